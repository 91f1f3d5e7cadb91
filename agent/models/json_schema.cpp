#include "agent/models/json_schema.h"

#include <nlohmann/json.hpp>

#include "compression/text/plain_text.h"
#include "tools/search/regex.h"
#include "tools/set/args.h"
#include "tools/set/schema_check.h"

namespace tern {
namespace {

using nlohmann::json;

bool found_in(const std::string& pattern, const std::string& text) {
  std::string ignored;
  const auto regex = Regex::compile(pattern, {.multiline = true}, ignored);
  return !regex || Matcher(*regex).find(text, 0).has_value();
}

}  // namespace

std::string schema_problem(std::string_view text) {
  return schema_problem(json::parse(text, nullptr, false));
}

std::optional<std::string> json_of_answer(std::string_view answer) {
  const auto is_json = [](std::string_view text) { return json::accept(text) && !nests_too_deep(text); };
  if (const auto whole = trimmed(answer); is_json(whole)) return std::string(whole);
  const auto open = answer.find("```"), line = answer.find('\n', open), close = answer.rfind("```");
  if (open == answer.npos || line == answer.npos || close <= line) return std::nullopt;
  const auto inside = trimmed(answer.substr(line, close - line));
  return is_json(inside) ? std::optional(std::string(inside)) : std::nullopt;
}

std::string schema_mismatch(std::string_view schema, std::string_view answer) {
  const auto value = json_of_answer(answer);
  if (!value) return "it is not JSON";
  const json root = json::parse(schema, nullptr, false);
  return root.is_discarded() ? std::string() : schema_mismatch(root, root, json::parse(*value), found_in);
}

}  // namespace tern
