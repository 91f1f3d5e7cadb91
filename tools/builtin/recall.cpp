#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "tools/files/change.h"
#include "tools/set/args.h"
#include "tools/set/tool.h"

namespace tern {

using nlohmann::json;

namespace {

// "10-40", "10:40", "10,40", "10-", "10" → both ends included.
std::optional<std::pair<std::size_t, std::size_t>> line_range(std::string_view text) {
  std::size_t first = 0, last = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), first);
  if (error != std::errc() || first == 0) return std::nullopt;
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (rest.empty()) return std::pair{first, first};
  if (std::string_view("-:,").find(rest[0]) == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(1);
  if (rest.empty()) return std::pair{first, static_cast<std::size_t>(-1)};
  auto [end2, error2] = std::from_chars(rest.data(), rest.data() + rest.size(), last);
  if (error2 != std::errc() || end2 != rest.data() + rest.size() || last < first) return std::nullopt;
  return std::pair{first, last};
}

ToolOutput run_recall(const json& args, ToolContext& ctx) {
  RecallQuery query{.id = text_arg(args, "id"), .search = text_arg(args, "search")};
  query.list = text_arg(args, "list");
  std::string subject = !query.list.empty() ? query.list
                        : query.id.empty()  ? "\"" + query.search + "\""
                                            : query.id;
  if (query.id.empty() && query.search.empty() && query.list.empty())
    return failure("Give the id of a result (\"r17\"), or text to search for in all of them.");
  std::string lines = text_arg(args, "lines");
  std::erase(lines, ' ');
  if (!lines.empty()) {
    query.lines = line_range(lines);
    if (!query.lines) return failure("lines must be a range such as \"10-40\", \"10-\" or \"10\".", subject);
  }
  if (!ctx.recall) return failure("Nothing can be recalled here.", subject);
  std::string text = ctx.recall(query);
  auto count = std::count(text.begin(), text.end(), '\n') + (!text.empty() && text.back() != '\n');
  return {.text = std::move(text),
          .subject = subject,
          .note = std::to_string(count) + (count == 1 ? " line" : " lines")};
}

std::string id_of(const json& args) {
  std::string id = text_arg(args, "id");
  if (const auto list = text_arg(args, "list"); !list.empty()) return list;
  return id.empty() ? "\"" + text_arg(args, "search") + "\"" : id;
}

}  // namespace

Tool recall_tool() {
  return {
      .name = "Recall",
      .description =
          "Originals of what was shortened, by id; lines 10-40; search in it or in all; list tool=Bash "
          "path=src.",
      .about = "Looks up the original of something that was shortened.",
      .schema = R"({"type":"object","properties":{"id":{"type":"string"},"lines":{"type":"string"},)"
                R"("search":{"type":"string"},"list":{"type":"string"}}})",
      .effects = Effect::context,
      .duty = ToolDuty::recall,
      .basic = true,
      .aliases = "recallid=id resultid=id range=lines query=search pattern=search text=search",
      .run = run_recall,
      .subject = id_of,
      .label = {},
  };
}

}  // namespace tern
