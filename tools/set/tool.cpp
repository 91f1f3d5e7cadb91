#include "tools/set/tool.h"

#include <nlohmann/json.hpp>
#include <set>

#include "tools/set/args.h"

namespace tern {

using nlohmann::json;

namespace {

std::string parameter_list(const json& schema) {
  std::string text;
  for (const auto& [name, one] : object_in(schema, "properties").items()) {
    bool required = false;
    for (const auto& r : array_in(schema, "required")) required |= r == name;
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
    if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      twice = value;
    return true;
  });
}

}  // namespace

bool parse_args(const Tool& tool, std::string_view json_text, json& args, std::string& error) {
  if (json_text.find_first_not_of(" \t\r\n") == std::string_view::npos) json_text = "{}";
  const std::string& name = tool.name;
  std::string twice;
  if (nests_too_deep(json_text)) {
    error = "InputValidationError: the arguments of " + name +
            " are nested too deep; send the call again, written plainly.";
    return false;
  }
  try {
    args = parse_once(json_text, twice);
  } catch (const json::parse_error& e) {
    bool cut = e.byte > json_text.size();
    error = "InputValidationError: the arguments of " + name + " are not valid JSON (" +
            (cut ? "they end in the middle: the answer was probably cut off; send the call again, in smaller "
                   "pieces"
                 : "at byte " + std::to_string(e.byte) +
                       ", near: " + shorten(json_text.substr(e.byte > 20 ? e.byte - 20 : 0), 40)) +
            ").";
    return false;
  }
  if (args.is_string()) {  // sent as text of JSON
    const std::string inner = args.get<std::string>();
    args = nests_too_deep(inner) || !json::accept(inner) ? json() : parse_once(inner, twice);
  }
  if (!twice.empty()) {
    error = "InputValidationError: the arguments of " + name + " give `" + shorten(twice, 60) +
            "` twice; send each parameter once.";
    return false;
  }
  json schema = json::parse(tool.schema);
  auto issues = check_args(schema, tool.aliases, args, tool.foreign);
  if (issues.empty()) return true;
  error = "InputValidationError: " + name + " failed due to the following " +
          (issues.size() == 1 ? "issue:" : "issues:");
  for (const auto& issue : issues) error += "\n" + issue;
  error += "\nParameters of " + name + ": " + parameter_list(schema) + ".";
  return false;
}

}  // namespace tern
