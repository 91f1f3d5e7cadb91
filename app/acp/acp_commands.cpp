#include "app/acp/acp_commands.h"

#include <nlohmann/json.hpp>
#include <string>

#include "agent/protocol/asked_words.h"
#include "app/acp/acp_json.h"

namespace tern {
namespace {

using nlohmann::json;
using Words = const std::string&;

struct SlashRow {
  const char *name, *help, *input;  // input: what to write behind it; empty = nothing
  Command (*make)(Words words);
};

Command asks(const char* name, Words words) { return asked_words(name, words); }

constexpr SlashRow slash_rows[] = {
    {"context", "What fills the context", "", [](Words) { return asks("context", {}); }},
    {"compact", "Make the context smaller now", "what to keep above all",
     [](Words words) -> Command {
       Compact compact;
       compact.focus = words;
       return compact;
     }},
    {"undo-compact", "Undo the last compaction", "", [](Words) -> Command { return UndoCompact{}; }},
    {"recall", "Show an original, or those that contain a text", "r17 or words",
     [](Words words) { return asks("recall", words); }},
    {"summaries", "Summaries written when the context was compacted", "",
     [](Words) { return asks("summaries", "5"); }},
    {"log", "Every compaction and its reason", "", [](Words) { return asks("log", {}); }},
    {"pin", "Keep something through every compaction", "r17, last, a path or a sentence",
     [](Words words) -> Command { return PinThis{.what = words}; }},
    {"unpin", "Remove a pin", "what was pinned",
     [](Words words) -> Command { return PinThis{.what = words, .on = false}; }},
    {"cost", "What this session has cost, and limits on it", "limit session 5",
     [](Words w) { return asks("cost", w); }},
    {"status", "Model, folder, sandbox, settings", "", [](Words) { return asks("status", {}); }},
    {"tasks", "Commands that run in the background", "", [](Words words) { return asks("tasks", words); }},
    {"mcp", "MCP servers: state and tools", "approve|on|off|login NAME",
     [](Words words) { return asks("mcp", words); }},
    {"hooks", "Hooks: commands that run on events", "approve|grant|refuse NUMBER",
     [](Words words) { return asks("hooks", words); }},
    {"permissions", "The rules in force, or another one", "allow|deny|test …",
     [](Words words) { return asks("permissions", words); }},
    {"memory", "Instruction files and what they cost", "", [](Words) { return asks("memory", {}); }},
    {"diff", "What has been changed in this session", "", [](Words) { return asks("diff", {}); }},
};

json command_row(const std::string& name, const std::string& help, const std::string& input) {
  json row;
  row["name"] = name;
  row["description"] = help;
  if (!input.empty()) row["input"]["hint"] = input;
  return row;
}

}  // namespace

std::optional<Command> slash_command(std::string_view prompt) {
  if (!prompt.starts_with('/')) return std::nullopt;
  const auto end = prompt.find_first_of(" \n\t");
  const auto name = prompt.substr(1, end == prompt.npos ? prompt.npos : end - 1);
  auto words = end == prompt.npos ? std::string_view() : prompt.substr(end + 1);
  words = words.substr(0, words.find_last_not_of(" \n\t") + 1);
  for (const auto& row : slash_rows)
    if (row.name == name) return row.make(std::string(words));
  return std::nullopt;
}

json commands_update(const std::vector<BroughtCommand>& brought) {
  auto update = acp_update("available_commands_update");
  auto& list = update["availableCommands"] = json::array();
  for (const auto& row : slash_rows) list.push_back(command_row(row.name, row.help, row.input));
  for (const auto& one : brought)
    if (!one.name.starts_with('@'))
      list.push_back(command_row(one.name, one.help.empty() ? one.source : one.help, one.usage));
  return update;
}

}  // namespace tern
