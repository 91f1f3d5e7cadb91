// A scripted day of work through a small window: thousands of turns in one session, restarts, kill -9, a small model that fails
// for an hour, a provider that refuses a length. Each life is a process of its own; what it acknowledged is checked after it.
#pragma once

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "agent/turn.h"
#include "compression/check.h"
#include "tests/agent/day_provider.h"
#include "tests/agent/turn_rig.h"
#include "tests/support/sha256.h"

namespace tern::test {

struct DayReport {
  int turns = 0, refused = 0, overflows = 0, kills = 0, restarts = 0;
  Tokens sent = 0;  // in requests, all together
  std::size_t ids = 0, unequal = 0, silent = 0, missing_prompts = 0, changed_pins = 0, compactions = 0, swapped = 0, waited = 0;
  std::int64_t payload = 0, store = 0;
  double resume_ms = 0;              // the slowest
  long first_rss = 0, last_rss = 0;  // KB
  std::string broken;                // the first thing that went wrong besides the figures
};

// Runs the whole day: six lives, two of them ended by kill -9.
DayReport run_day(const Day& day);

namespace day_of_work {

// What the tools of the turn said, as it will have to be recalled; then the screen forgets it.
inline void note_originals(Rig& rig, std::ofstream& hashes) {
  for (const auto& event : rig.events)
    if (const auto* done = std::get_if<ToolFinished>(&event); done && done->recall)
      hashes << done->recall.value << ' ' << sha256(done->text) << '\n';
  hashes.flush();
  rig.events.clear();
}

// The child: goes on from wherever the store stands; says each finished turn on the pipe.
inline int live(const Day& day, int from, int to, int pipe) {
  Rig rig(day.window, day.folder);
  Clock clock;
  std::ofstream hashes(day.folder / "hashes", std::ios::app);
  clock.drafting = [&] { return rig.compactor.draft_pending(); };
  rig.connect = [&] { return std::make_unique<DayProvider>(day, clock, rig.root); };
  rig.provider = rig.connect();
  if (from > 0) rig.compactor.resumed(rig.context);
  for (int i = 0; from == 0 && i < 2; ++i) rig.compactor.pin(rig.context, {pins[i], true});
  for (int turn = from; turn < to; ++turn) {
    clock.turn = turn;
    rig.write("f" + std::to_string(turn) + ".txt", words(static_cast<unsigned>(turn), day.words));
    const auto end = rig.turn(prompt_of(turn));
    if (end.how != TurnEnded::How::done || !clock.bad.empty()) {
      std::fprintf(stderr, "turn %d: %s%s\n", turn, end.error.c_str(), clock.bad.c_str());
      return 2;
    }
    rig.compactor.keep_draft(rig.context);
    note_originals(rig, hashes);
    std::error_code ignored;
    std::filesystem::remove(rig.root / ("f" + std::to_string(turn) + ".txt"), ignored);
    const auto line = std::to_string(turn) + ' ' + std::to_string(rss_kb()) + ' ' + std::to_string(clock.refused) + ' ' +
                      std::to_string(clock.overflows) + ' ' + std::to_string(clock.sent) + ' ' +
                      std::to_string(rig.compactor.swapped()) + ' ' + std::to_string(rig.compactor.forced_pauses()) + '\n';
    if (::write(pipe, line.data(), line.size()) < 0) return 4;
  }
  return 0;
}

struct Life {
  int last = -1, status = 0, refused = 0, overflows = 0;
  long rss = 0;
  long long sent = 0;
  std::size_t swapped = 0, waited = 0;
};

inline Life one_life(const Day& day, int from, int to, bool murder) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const auto child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    ::_exit(live(day, from, to, ends[1]));
  }
  ::close(ends[1]);
  Life life;
  std::string line;
  for (char c; ::read(ends[0], &c, 1) == 1;) {
    if (c != '\n') {
      line += c;
      continue;
    }
    std::sscanf(line.c_str(), "%d %ld %d %d %lld %zu %zu", &life.last, &life.rss, &life.refused, &life.overflows, &life.sent,
                &life.swapped, &life.waited);
    line.clear();
    if (murder && life.last >= (from + to) / 2) {
      pollfd none{-1, 0, 0};
      ::poll(&none, 0, std::rand() % 20);  // somewhere inside the next turn
      ::kill(child, SIGKILL);
      murder = false;
    }
  }
  ::close(ends[0]);
  ::waitpid(child, &life.status, 0);
  return life;
}

inline std::size_t changed_pins(const Conversation& conversation) {
  std::size_t found = 0;
  for (const auto& item : conversation.items)
    for (const auto& block : item->blocks)
      if (const auto* text = std::get_if<Text>(&block); text && item->pinned)
        for (const auto* pin : pins) found += text->text == "[Pinned by the user: keep to this.] " + std::string(pin);
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

inline void verify(const Day& day, int acknowledged, DayReport& report) {
  const auto begin = std::chrono::steady_clock::now();
  auto store = Store::open({.folder = day.folder});
  std::string why;
  const auto session = store->newest(why);
  const auto resumed = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (!session) return void(report.broken = "the session does not open: " + why);
  report.resume_ms = std::max(report.resume_ms, resumed);
  if (const auto problems = check(repair(session->conversation)); !problems.empty()) report.broken = problems.front().what;
  std::set<std::string> prompts;
  for (const auto& point : store->rewind_points()) prompts.insert(point.text.substr(0, point.text.find(':')));
  for (int i = 0; i <= acknowledged; ++i) report.missing_prompts += !prompts.count("Task number " + std::to_string(i));
  report.changed_pins += changed_pins(session->conversation);
  verify_recall(*store, day, report);
  report.compactions = store->compactions().size();
  store.reset();  // closed, its write-ahead log is back in the file
  report.store = static_cast<std::int64_t>(std::filesystem::file_size(day.folder / "tern.db"));
}

}  // namespace day_of_work

inline DayReport run_day(const Day& day) {
  using namespace day_of_work;
  DayReport report;
  std::filesystem::create_directories(day.folder);
  int next = 0;
  for (int i = 0; i < lives && report.broken.empty(); ++i) {
    const int to = day.turns * (i + 1) / lives;
    const bool murder = i == 1 || i == 3;
    const auto life = one_life(day, next, to, murder);
    if (!murder && life.status != 0) report.broken = "life " + std::to_string(i) + " ended with a failure";
    if (life.last >= 0) next = life.last + 1;
    ++(murder ? report.kills : report.restarts);
    report.refused += life.refused;
    report.overflows += life.overflows;
    report.sent += life.sent;
    report.swapped += life.swapped;
    report.waited += life.waited;
    report.last_rss = life.rss;
    if (report.first_rss == 0) report.first_rss = life.rss;
    verify(day, next - 1, report);
  }
  report.turns = next;
  return report;
}

}  // namespace tern::test
