// What must be true of the store after each life of the day of work.
#pragma once

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <string>

#include "agent/store/store.h"
#include "compression/text/sha256.h"
#include "compression/values/check.h"
#include "tests/agent/turn/day_provider.h"

namespace tern::test {

struct DayReport {
  int turns = 0, refused = 0, overflows = 0, kills = 0, restarts = 0;
  Tokens sent = 0;  // in requests, all together
  std::size_t ids = 0, unequal = 0, silent = 0, missing_prompts = 0, changed_pins = 0, compactions = 0,
              swapped = 0, waited = 0;
  std::size_t by_small = 0, by_main = 0, by_none = 0;  // who wrote the summaries
  std::int64_t payload = 0, store = 0;
  double resume_ms = 0;              // the slowest
  long first_rss = 0, last_rss = 0;  // KB
  std::string broken;                // the first thing that went wrong besides the figures
};

namespace day_of_work {

inline std::size_t changed_pins(const Conversation& conversation) {
  std::size_t found = 0;
  for (const auto& item : conversation.items)
    for (const auto& block : item->blocks)
      if (const auto* text = std::get_if<Text>(&block); text && item->pinned)
        for (const auto* pin : pins)
          found += text->text == "[Pinned by the user: keep to this.] " + std::string(pin);
  return std::size(pins) - std::min(found, std::size(pins));
}

inline void verify_recall(const Store& store, const Day& day, DayReport& report) {
  report.ids = report.unequal = report.silent = 0;
  report.payload = 0;
  for (const auto& original : store.originals(1'000'000)) {
    ++report.ids;
    const auto text = store.text(original.id);
    if (!text || static_cast<std::int64_t>(text->size()) != original.bytes) ++report.silent;
    report.payload += original.bytes;
  }
  std::ifstream hashes(day.folder / "hashes");
  std::uint32_t id = 0;
  for (std::string hash; hashes >> id >> hash;) {
    const auto text = store.text(RecallId{id});
    if (!text || sha256(*text) != hash) ++report.unequal;
  }
}

// Which rung of the ladder each summary was written on.
inline void count_rungs(const Store& store, DayReport& report) {
  report.by_small = report.by_main = report.by_none = 0;
  for (const auto& row : store.compactions()) {
    report.by_small += row.model == "small";
    report.by_main += row.model == "model";
    report.by_none += row.tier == Tier::compact && row.strategy == "local" && row.model.empty();
  }
}

inline void verify(const Day& day, int acknowledged, DayReport& report) {
  const auto begin = std::chrono::steady_clock::now();
  auto store = Store::open({.folder = day.folder});
  std::string why;
  const auto session = store->newest(why);
  const auto resumed =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (!session) return void(report.broken = "the session does not open: " + why);
  report.resume_ms = std::max(report.resume_ms, resumed);
  if (const auto problems = check(repair(session->conversation)); !problems.empty())
    report.broken = problems.front().what;
  std::set<std::string> prompts;
  for (const auto& point : store->rewind_points()) prompts.insert(point.text.substr(0, point.text.find(':')));
  for (int i = 0; i <= acknowledged; ++i)
    report.missing_prompts += !prompts.count("Task number " + std::to_string(i));
  report.changed_pins += changed_pins(session->conversation);
  verify_recall(*store, day, report);
  report.compactions = store->compactions().size();
  count_rungs(*store, report);
  store.reset();  // closed, its write-ahead log is back in the file
  report.store = static_cast<std::int64_t>(std::filesystem::file_size(day.folder / "tern.db"));
}

}  // namespace day_of_work
}  // namespace tern::test
