#include "compression/values/outcome.h"

#include <algorithm>
#include <array>

#include "compression/text/lines.h"
#include "compression/text/salient.h"

namespace tern {

namespace {

constexpr std::size_t line_bytes = 160, short_bytes = 600, most_failures = 4;

std::string_view body(const ToolResult& result) {
  const std::string_view text = result.text;
  const auto first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == text.npos ? std::string_view() : text.substr(first, last + 1 - first);
}

std::string_view first_of(std::string_view text) { return trimmed(text.substr(0, text.find('\n'))); }

std::string indented(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(c == '\n' ? "\n  " : std::string_view(&c, 1));
  return out;
}

}  // namespace

std::string outcome_line(const ToolResult& result) { return clipped(first_of(body(result)), line_bytes); }

std::string outcome(const ToolResult& result) {
  const auto text = body(result);
  if (text.size() <= short_bytes) return indented(text);
  std::string out = outcome_line(result);
  for (const auto& line : salient_lines(text, most_failures))
    if (line.strong && line.line > 0) out += "\n  " + clipped(trimmed(line.text), line_bytes);
  return out;
}

std::string_view error_category(std::string_view text) {
  struct Row {
    std::string_view sign, category;
  };
  static constexpr std::array<Row, 20> rows{{
      {"no such file", "not found"},
      {"not found", "not found"},
      {"cannot find", "not found"},
      {"does not exist", "not found"},
      {"permission denied", "permission"},
      {"not permitted", "permission"},
      {"timed out", "timeout"},
      {"timeout", "timeout"},
      {"connection", "network"},
      {"could not resolve", "network"},
      {"syntax", "syntax"},
      {"unexpected token", "syntax"},
      {"undefined", "compile error"},
      {"error: ", "compile error"},
      {"fail", "test failure"},
      {"assert", "test failure"},
      {"conflict", "conflict"},
      {"找不到", "not found"},
      {"权限", "permission"},
      {"失败", "test failure"},
  }};
  std::string low(text.substr(0, 2'000));
  std::transform(low.begin(), low.end(), low.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const auto& row : rows) {
    if (low.find(row.sign) != low.npos) return row.category;
  }
  return "other";
}

}  // namespace tern
