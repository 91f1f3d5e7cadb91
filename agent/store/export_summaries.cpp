#include "agent/store/export_summaries.h"

#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "agent/store/compaction_text.h"
#include "agent/store/project_dir.h"

namespace tern {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string cut(const std::string& text, std::size_t characters) {
  std::size_t at = 0, seen = 0;
  for (; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80 && seen++ == characters)
      return text.substr(0, at) + "…";
  }
  return text;
}

bool same_on_disk(const std::filesystem::path& file, const std::string& bytes) {
  std::ifstream in(file, std::ios::binary);
  return in && std::string(std::istreambuf_iterator<char>(in), {}) == bytes;
}

}  // namespace

std::string iso_time(TimePoint when) {
  const std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(when.time_since_epoch()).count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string summaries_json(const std::vector<NumberedSummary>& summaries, std::size_t key_point_chars) {
  Json list = Json::array();
  for (const NumberedSummary& one : summaries) {
    const CompactionRecord& record = one.record;
    Json points = Json::array();
    for (const std::string& point : record.key_points) points.push_back(cut(point, key_point_chars));
    list.push_back({{"number", one.number},
                    {"session", one.session},
                    {"timestamp", iso_time(record.when)},
                    {"turnRange", {record.first_turn, record.last_turn}},
                    {"content", record.summary},
                    {"keyPoints", points},
                    {"messagesBefore", record.messages_before},
                    {"messagesAfter", record.messages_after},
                    {"tokensBefore", record.before},
                    {"tokensAfter", record.after},
                    {"boundary", {{"index", record.boundary}, {"score", record.boundary_score}}},
                    {"strategy", record.strategy},
                    {"model", record.model},
                    {"cost", record.dollars},
                    {"pauseMs", record.pause_ms},
                    {"cause", std::string(to_string(record.cause))},
                    {"why", record.why},
                    {"undone", record.undone}});
  }
  return dump(list, 2) + "\n";
}

std::string summary_markdown(const NumberedSummary& summary) {
  const CompactionRecord& record = summary.record;
  std::string text = "---\nnumber: " + std::to_string(summary.number) + "\nsession: " + summary.session +
                     "\ntimestamp: " + iso_time(record.when);
  text += "\nturns: " + std::to_string(record.first_turn) + "-" + std::to_string(record.last_turn);
  text += "\nmessages: " + std::to_string(record.messages_before) + " -> " +
          std::to_string(record.messages_after);
  text += "\ntokens: " + std::to_string(record.before) + " -> " + std::to_string(record.after);
  text += "\nstrategy: " + dump(record.strategy) + "\nmodel: " + dump(record.model) +
          "\ncost: " + dump(record.dollars);
  if (record.boundary > 0)
    text += "\nboundary: " + std::to_string(record.boundary) + " (score " +
            std::to_string(record.boundary_score) + ")";
  text += "\npause: " + std::to_string(record.pause_ms) + " ms";
  text += std::string("\nundone: ") + (record.undone ? "true" : "false") + "\nwhy: " + dump(record.why) +
          "\n---\n\n# Summary\n\n" + record.summary + "\n";
  if (!record.index.empty()) text += "\n# Index\n\n" + index_page(record.index);
  if (!record.audit.empty() || !record.audit_full.empty()) text += "\n# Audit\n\n" + record.audit + "\n";
  if (!record.audit_full.empty()) text += "\n" + record.audit_full + "\n";
  return text;
}

std::string export_summaries(const std::vector<NumberedSummary>& all, const std::filesystem::path& folder,
                             std::size_t key_point_chars) {
  if (folder.empty()) return {};
  std::string why;
  const std::filesystem::path pages = folder / "summaries";
  if (!make_private_dir(pages, why) ||
      !write_private_file(folder / "summaries.json", summaries_json(all, key_point_chars), why))
    return why;
  for (const NumberedSummary& one : all) {
    std::string name = std::to_string(one.number);
    name.insert(0, name.size() < 4 ? 4 - name.size() : 0, '0');
    const std::string text = summary_markdown(one);
    const std::filesystem::path page = pages / (name + ".md");
    if (!same_on_disk(page, text) && !write_private_file(page, text, why)) return why;
  }
  return {};
}

}  // namespace tern
