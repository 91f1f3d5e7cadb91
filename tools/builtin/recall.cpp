#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "tools/args.h"
#include "tools/change.h"
#include "tools/tool.h"

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
  std::string subject = query.id.empty() ? "\"" + query.search + "\"" : query.id;
  if (query.id.empty() && query.search.empty())
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
  return {.text = std::move(text), .subject = subject, .note = std::to_string(count) + (count == 1 ? " line" : " lines")};
}

std::string id_of(const json& args) {
  std::string id = text_arg(args, "id");
  return id.empty() ? "\"" + text_arg(args, "search") + "\"" : id;
}

}  // namespace

extern constinit const Tool recall{
    .name = "Recall",
    .description =
        "Gives back the original of anything shortened or compressed, by its id; lines \"10-40\"; search looks in it, or in all.",
    .schema = R"({"type":"object","properties":{"id":{"type":"string"},"lines":{"type":"string"},"search":{"type":"string"}}})",
    .effect = Effect::context,
    .basic = true,
    .aliases = "recallid=id resultid=id range=lines query=search pattern=search text=search",
    .run = run_recall,
    .subject = id_of,
    .label = "",
};

}  // namespace tern
