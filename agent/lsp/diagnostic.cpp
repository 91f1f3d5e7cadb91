#include "agent/lsp/diagnostic.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "agent/mcp/rpc.h"
#include "compression/text/lines.h"
#include "tools/set/args.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::size_t kMostRead = 5'000;
constexpr std::size_t kLongestMessage = 300;

int number_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<int>() : 0;
}

std::string one_row(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return clipped(text, kLongestMessage);
}

std::string code_of(const json& one) {
  const auto found = one.find("code");
  if (found == one.end()) return {};
  if (found->is_number_integer()) return std::to_string(found->get<std::int64_t>());
  return found->is_string() ? one_row(found->get<std::string>()) : std::string();
}

const char* word_for(DiagnosticLevel level) {
  switch (level) {
    case DiagnosticLevel::error: return "ERROR";
    case DiagnosticLevel::warning: return "WARNING";
    case DiagnosticLevel::information: return "INFO";
    case DiagnosticLevel::hint: break;
  }
  return "HINT";
}

}  // namespace

std::vector<Diagnostic> read_diagnostics(const json& list) {
  std::vector<Diagnostic> all;
  if (!list.is_array()) return all;
  for (const json& one : list) {
    if (!one.is_object() || all.size() == kMostRead) continue;
    const json& start = object_in(object_in(one, "range"), "start");
    const int level = number_in(one, "severity");
    all.push_back({.line = number_in(start, "line") + 1,
                   .column = number_in(start, "character") + 1,
                   .level = static_cast<DiagnosticLevel>(std::clamp(level == 0 ? 1 : level, 1, 4)),
                   .message = one_row(member_text(one, "message")),
                   .code = code_of(one)});
  }
  const auto place = [](const Diagnostic& d) {
    return std::tie(d.line, d.column, d.level, d.message, d.code);
  };
  std::sort(all.begin(), all.end(),
            [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<Diagnostic> new_errors(const std::vector<Diagnostic>& before,
                                   const std::vector<Diagnostic>& now) {
  std::map<std::string_view, int> known;
  for (const Diagnostic& one : before)
    if (one.level == DiagnosticLevel::error) ++known[one.message];
  std::vector<Diagnostic> fresh;
  for (const Diagnostic& one : now)
    if (one.level == DiagnosticLevel::error && known[one.message]-- <= 0) fresh.push_back(one);
  return fresh;
}

std::string diagnostic_rows(const std::vector<Diagnostic>& list, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < list.size() && i < most; ++i) {
    const Diagnostic& one = list[i];
    text += std::string(word_for(one.level)) + " [" + std::to_string(one.line) + ":" +
            std::to_string(one.column) + "] " + one.message +
            (one.code.empty() ? "" : " (" + one.code + ")") + "\n";
  }
  if (list.size() > most) text += "… " + std::to_string(list.size() - most) + " more\n";
  return text;
}

}  // namespace tern
