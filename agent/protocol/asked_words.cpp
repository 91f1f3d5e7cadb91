#include "agent/protocol/asked_words.h"

#include <charconv>
#include <optional>
#include <string>

#include "compression/text/plain_text.h"

namespace tern {
namespace {

using Words = std::string_view;

struct Split {
  Words first, rest;
};
Split split(Words words) {
  const auto end = words.find(' ');
  if (end == words.npos) return {words, {}};
  return {words.substr(0, end), trimmed(words.substr(end))};
}

std::optional<std::size_t> number_in(Words words) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number);
  if (error != std::errc() || end != words.data() + words.size()) return std::nullopt;
  return number;
}

Command context(Words words) {
  if (words.empty()) return AskContext{};
  if (words == "items") return AskContextItems{};
  if (words == "log") return AskCompactionLog{};
  if (words == "tune") return AskTuning{};
  if (words == "tune --apply") return ApplyTuning{};
  return Misread{"/context, /context items, /context log, or /context tune [--apply]"};
}

Command summaries(Words words) {
  if (words.empty()) return AskSummaries{};
  if (words == "audit") return AskSummaryAudit{};
  const auto count = number_in(words);
  if (count && *count > 0) return AskSummaryTexts{*count};
  return Misread{"/summaries [how many | audit]: \"" + std::string(words) +
                 "\" is not a number of summaries."};
}

Command recall(Words words) {
  if (words.empty()) return AskOriginals{};
  if (const auto id = parse_recall_id(words)) return AskOriginal{id};
  return SearchOriginals{std::string(words)};
}

Command permissions(Words words) {
  const auto [verb, spec] = split(words);
  if (verb.empty()) return AskRules{};
  const std::string rest(spec);
  if (verb == "allow") return AddRule{RuleKind::allow, rest};
  if (verb == "ask") return AddRule{RuleKind::ask, rest};
  if (verb == "deny") return AddRule{RuleKind::deny, rest};
  if (verb == "remove") return RemoveRule{rest};
  if (verb == "scope") return RescopeRule{rest};
  if (verb == "test" && !rest.empty()) return AskVerdict{rest};
  return Misread{"Write /permissions allow|ask|deny|remove Tool(spec), or /permissions test COMMAND."};
}

Command config(Words words) {
  const auto [key, value] = split(words);
  if (key.empty()) return AskSettings{};
  if (value.empty()) return AskSetting{std::string(key)};
  return ChangeSetting{std::string(key), std::string(value)};
}

struct Reader {
  std::string_view name;
  Command (*read)(Words words);
};
constexpr Reader readers[] = {
    {"add-dir", [](Words words) -> Command { return AddFolder{std::string(words)}; }},
    {"config", config},
    {"context", context},
    {"log", [](Words) -> Command { return AskCompactionLog{}; }},
    {"permissions", permissions},
    {"recall", recall},
    {"summaries", summaries},
};

}  // namespace

Command asked_words(std::string_view name, std::string_view words) {
  for (const auto& reader : readers)
    if (reader.name == name) return reader.read(trimmed(words));
  return AskedWords{std::string(name), std::string(words)};
}

}  // namespace tern
