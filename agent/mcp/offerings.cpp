#include "agent/mcp/offerings.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/extend/user_command.h"
#include "agent/mcp/rpc.h"
#include "compression/text/lines.h"

namespace tern {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestDescription = 2'048, kLongestSchema = 64 * 1024;

bool wanted(const McpServer& server, const std::string& tool) {
  const auto has = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), tool) != names.end();
  };
  return (server.only_tools.empty() || has(server.only_tools)) && !has(server.without_tools);
}

McpToolInfo tool_from(const json& entry) {
  McpToolInfo tool;
  tool.name = member_text(entry, "name");
  tool.description = clipped(member_text(entry, "description"), kLongestDescription);
  const auto schema = entry.find("inputSchema");
  if (schema != entry.end() && schema->is_object()) tool.schema = one_line(*schema);
  if (tool.schema.empty() || tool.schema.size() > kLongestSchema)
    tool.schema = R"({"type":"object","additionalProperties":true})";
  const json annotations = entry.value("annotations", json::object());
  const json hint = annotations.is_object() ? annotations.value("readOnlyHint", json()) : json();
  tool.says_read_only = hint.is_boolean() && hint.get<bool>();
  return tool;
}

McpPrompt prompt_from(const json& entry) {
  McpPrompt prompt{
      member_text(entry, "name"), clipped(member_text(entry, "description"), kLongestDescription), {}};
  const json arguments = entry.value("arguments", json::array());
  for (const json& each : arguments.is_array() ? arguments : json::array()) {
    const std::string name = member_text(each, "name");
    const json required = each.is_object() ? each.value("required", json()) : json();
    if (!name.empty())
      prompt.arguments.push_back(
          {name, clipped(member_text(each, "description"), kLongestDescription), required == true});
  }
  return prompt;
}

// Sorted by what `key` gives; of two with one key the first stays.
template <typename Value, typename Key>
void sort_once(std::vector<Value>& values, Key key) {
  std::erase_if(values, [&](const Value& value) { return key(value).empty(); });
  std::stable_sort(values.begin(), values.end(),
                   [&](const Value& a, const Value& b) { return key(a) < key(b); });
  values.erase(std::unique(values.begin(), values.end(),
                           [&](const Value& a, const Value& b) { return key(a) == key(b); }),
               values.end());
}

}  // namespace

std::vector<McpToolInfo> tools_from(const McpServer& server, const std::vector<json>& entries) {
  std::vector<McpToolInfo> tools;
  for (const json& entry : entries)
    if (McpToolInfo tool = entry.is_object() ? tool_from(entry) : McpToolInfo{}; wanted(server, tool.name))
      tools.push_back(std::move(tool));
  sort_once(tools, [](const McpToolInfo& tool) { return tool.name; });
  return tools;
}

std::vector<McpPrompt> prompts_from(const std::vector<json>& entries) {
  std::vector<McpPrompt> prompts;
  for (const json& entry : entries)
    if (entry.is_object()) prompts.push_back(prompt_from(entry));
  sort_once(prompts, [](const McpPrompt& prompt) { return prompt.name; });
  return prompts;
}

std::vector<McpResource> resources_from(const std::vector<json>& entries, bool templates) {
  std::vector<McpResource> resources;
  resources.reserve(entries.size());
  for (const json& entry : entries)
    resources.push_back({member_text(entry, templates ? "uriTemplate" : "uri"), member_text(entry, "name"),
                         clipped(member_text(entry, "description"), kLongestDescription), templates});
  sort_once(resources, [](const McpResource& resource) { return resource.uri; });
  return resources;
}

std::string mcp_command_name(std::string_view server, std::string_view prompt) {
  std::string name = std::string(server) + ":";
  for (const char c : prompt) {
    const auto byte = static_cast<unsigned char>(c);
    name += byte <= ' ' || byte == 0x7f ? '-' : c;
  }
  return name;
}

McpArguments read_arguments(const McpPrompt& prompt, std::string_view text) {
  McpArguments read;
  std::vector<const McpArgument*> open;
  for (const McpArgument& argument : prompt.arguments) open.push_back(&argument);
  std::vector<std::string> plain;
  for (const std::string& word : argument_words(text)) {
    const auto named = std::find_if(open.begin(), open.end(),
                                    [&](const McpArgument* a) { return word.starts_with(a->name + "="); });
    if (named == open.end()) {
      plain.push_back(word);
      continue;
    }
    read.values.emplace_back((*named)->name, word.substr((*named)->name.size() + 1));
    open.erase(named);
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (i >= plain.size()) {
      if (open[i]->required) read.missing.push_back(*open[i]);
      continue;
    }
    std::string value = plain[i];
    for (std::size_t rest = i + 1; i + 1 == open.size() && rest < plain.size(); ++rest)
      value += " " + plain[rest];
    read.values.emplace_back(open[i]->name, std::move(value));
  }
  return read;
}

}  // namespace tern
