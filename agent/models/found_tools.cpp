#include "agent/models/found_tools.h"

#include <algorithm>

#include "agent/models/codec_json.h"
#include "agent/models/wire.h"

namespace tern {

namespace {

bool same(const ToolSpec& a, const ToolSpec& b) {
  return a.name == b.name && a.description == b.description && a.schema == b.schema;
}

void keep_first(std::vector<ToolSpec>& all, const std::vector<std::string>& declared,
                std::vector<ToolSpec> more) {
  for (ToolSpec& tool : more) {
    const auto known = [&](const ToolSpec& old) { return old.name == tool.name; };
    const bool is_new = std::find(declared.begin(), declared.end(), tool.name) == declared.end();
    if (is_new && std::none_of(all.begin(), all.end(), known)) all.push_back(std::move(tool));
  }
}

}  // namespace

std::string found_line(std::string_view name, std::string_view description, std::string_view schema) {
  return "{\"name\":" + json_quote(name) + ",\"description\":" + json_quote(description) +
         ",\"parameters\":" + std::string(schema) + "}\n";
}

FoundTools found_tools(std::string_view result) {
  FoundTools found{{}, result};
  while (found.words.starts_with('{')) {
    const auto line = found.words.substr(0, found.words.find('\n'));
    const nlohmann::json tool = event_object(line);
    const auto schema = tool.is_object() ? tool.find("parameters") : tool.end();
    if (!tool.is_object() || schema == tool.end() || !schema->is_object() || text_field(tool, "name").empty())
      break;
    found.tools.push_back({text_field(tool, "name"), text_field(tool, "description"), schema->dump()});
    found.words.remove_prefix(std::min(line.size() + 1, found.words.size()));
  }
  return found;
}

bool ToolSearch::is(std::string_view tool) const { return on() && plain_name(tool) == plain_name(name); }

FoundTools ToolSearch::of(const ToolResult& result) const {
  if (!is(result.tool)) return {{}, result.text};
  FoundTools own = found_tools(result.text);
  std::erase_if(own.tools, [&](const ToolSpec& tool) {
    return std::find(declared.begin(), declared.end(), tool.name) != declared.end();
  });
  const bool whole = std::all_of(own.tools.begin(), own.tools.end(), [&](const ToolSpec& tool) {
    return std::any_of(found.begin(), found.end(), [&](const ToolSpec& known) { return same(known, tool); });
  });
  return whole && !own.tools.empty() ? own : FoundTools{{}, result.text};
}

ToolSearch tool_search(const Request& request, bool own) {
  ToolSearch search;
  const auto finds = std::find_if(request.tools.begin(), request.tools.end(),
                                  [](const ToolSpec& tool) { return tool.duty == ToolDuty::search; });
  if (!own || finds == request.tools.end()) return search;
  search.name = finds->name;
  for (const ToolSpec& tool : request.tools) search.declared.push_back(tool.name);
  for (const ItemPtr& item : request.conversation.items)
    for (const Block& block : item->blocks)
      if (const auto* result = std::get_if<ToolResult>(&block); result && search.is(result->tool))
        keep_first(search.found, search.declared, found_tools(result->text).tools);
  return search;
}

}  // namespace tern
