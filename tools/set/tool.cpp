#include "tools/tool.h"

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/args.h"

namespace tern {

using nlohmann::json;

#define TOOL(name) extern const Tool name;
#include "tools/tools.inc"
#undef TOOL

namespace {

// Names other agents taught their models, by plain_name().
constexpr std::pair<std::string_view, std::string_view> known_as[] = {
    {"shell", "Bash"},
    {"runshellcommand", "Bash"},
    {"execcommand", "Bash"},
    {"executecommand", "Bash"},
    {"runcommand", "Bash"},
    {"runterminalcmd", "Bash"},
    {"terminal", "Bash"},
    {"exec", "Bash"},
    {"readfile", "Read"},
    {"view", "Read"},
    {"cat", "Read"},
    {"openfile", "Read"},
    {"editfile", "Edit"},
    {"replace", "Edit"},
    {"strreplace", "Edit"},
    {"searchreplace", "Edit"},
    {"strreplaceeditor", "Edit"},
    {"writefile", "Write"},
    {"createfile", "Write"},
    {"create", "Write"},
    {"grepsearch", "Grep"},
    {"search", "Grep"},
    {"ripgrep", "Grep"},
    {"searchfilecontent", "Grep"},
    {"rg", "Grep"},
    {"searchfiles", "Grep"},
    {"find", "Glob"},
    {"findfiles", "Glob"},
    {"filesearch", "Glob"},
    {"listdirectory", "LS"},
    {"listdir", "LS"},
    {"listfiles", "LS"},
    {"list", "LS"},
    {"updateplan", "TodoWrite"},
    {"writetodos", "TodoWrite"},
    {"todo", "TodoWrite"},
    {"multireplace", "MultiEdit"},
    {"taskoutput", "BashOutput"},
    {"killshell", "KillBash"},
    {"taskstop", "KillBash"},
};

std::string parameter_list(const json& schema) {
  std::string text;
  for (const auto& [name, one] : schema["properties"].items()) {
    bool required = false;
    if (schema.contains("required")) {
      for (const auto& r : schema["required"]) required |= r == name;
    }
    text += (text.empty() ? "" : ", ") + name + (required ? " (required)" : "");
  }
  return text;
}

// A key that is there twice says two things, and which was meant nobody knows: it is told in `twice`.
json parse_once(std::string_view text, std::string& twice) {
  std::vector<std::set<std::string>> keys;
  return json::parse(text, [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) twice = value;
    return true;
  });
}

}  // namespace

const std::vector<const Tool*>& all_tools() {
  static const std::vector<const Tool*> tools = {
#define TOOL(name) &name,
#include "tools/tools.inc"
#undef TOOL
  };
  return tools;
}

const Tool* find_tool(std::string_view name) {
  std::string plain = plain_name(name);
  for (int round = 0; round < 2; ++round) {
    for (const Tool* tool : all_tools()) {
      if (plain_name(tool->name) == plain) return tool;
    }
    for (const auto& [alias, real] : known_as) {
      if (alias == plain) plain = plain_name(real);
    }
  }
  return nullptr;
}

bool parse_args(const Tool& tool, std::string_view json_text, json& args, std::string& error) {
  if (json_text.find_first_not_of(" \t\r\n") == std::string_view::npos) json_text = "{}";
  std::string name(tool.name), twice;
  if (nests_too_deep(json_text)) {
    error = "InputValidationError: the arguments of " + name + " are nested too deep; send the call again, written plainly.";
    return false;
  }
  try {
    args = parse_once(json_text, twice);
  } catch (const json::parse_error& e) {
    bool cut = e.byte > json_text.size();
    error =
        "InputValidationError: the arguments of " + name + " are not valid JSON (" +
        (cut ? "they end in the middle: the answer was probably cut off; send the call again, in smaller pieces"
             : "at byte " + std::to_string(e.byte) + ", near: " + shorten(json_text.substr(e.byte > 20 ? e.byte - 20 : 0), 40)) +
        ").";
    return false;
  }
  if (args.is_string()) {  // sent as text of JSON
    const std::string inner = args.get<std::string>();
    args = nests_too_deep(inner) || !json::accept(inner) ? json() : parse_once(inner, twice);
  }
  if (!twice.empty()) {
    error =
        "InputValidationError: the arguments of " + name + " give `" + shorten(twice, 60) + "` twice; send each parameter once.";
    return false;
  }
  json schema = json::parse(tool.schema);
  auto issues = check_args(schema, tool.aliases, args);
  if (issues.empty()) return true;
  error = "InputValidationError: " + name + " failed due to the following " + (issues.size() == 1 ? "issue:" : "issues:");
  for (const auto& issue : issues) error += "\n" + issue;
  error += "\nParameters of " + name + ": " + parameter_list(schema) + ".";
  return false;
}

}  // namespace tern
