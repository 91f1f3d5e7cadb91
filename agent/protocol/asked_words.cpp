#include "agent/protocol/asked_words.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>

#include "agent/protocol/effort.h"
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
  return Misread{"Write /permissions allow|ask|deny|remove|scope Tool(spec), or /permissions test COMMAND."};
}

Command config(Words words) {
  const auto [key, value] = split(words);
  if (key.empty()) return AskSettings{};
  if (value.empty()) return AskSetting{std::string(key)};
  return ChangeSetting{std::string(key), std::string(value)};
}

constexpr std::string_view cost_usage = "/cost, or /cost limit turn|session|day|TOOL|mcp__SERVER DOLLARS";

// "session 5", "Bash off", "off".
Command cost_limit(Words words) {
  if (words == "off") return LimitCost{};
  const auto [what, given] = split(words);
  if (given == "off") return LimitCost{std::string(what)};
  const std::string amount(given.starts_with('$') ? given.substr(1) : given);
  char* end = nullptr;
  const double dollars = std::strtod(amount.c_str(), &end);
  const bool whole = !amount.empty() && *end == '\0' && dollars >= 0 && dollars < 1e9;
  if (!whole) return Misread{std::string(cost_usage) + ", or off"};
  return LimitCost{std::string(what), dollars};
}

Command cost(Words words) {
  if (words.empty()) return AskCost{};
  const auto [verb, limit] = split(words);
  if (verb == "limit") return cost_limit(limit);
  return Misread{std::string(cost_usage)};
}

Command effort(Words words) {
  if (words.empty()) return AskEffort{};
  if (words == "more" || words == "less") return StepEffort{words == "more"};
  for (const auto& level : effort_levels())
    if (level.name == words) return SetEffort{level.tokens};
  const auto tokens = number_in(words);
  if (tokens && *tokens < 1'000'000) return SetEffort{static_cast<int>(*tokens)};
  return Misread{"/effort takes off, low, medium, high or a number of tokens, not \"" + std::string(words) +
                 "\"."};
}

Command tasks(Words words) {
  if (words.empty()) return AskTasks{};
  return AskTaskOutput{std::string(words)};
}

// "--text" may come before the focus or after it.
Command handoff(Words words) {
  constexpr std::string_view option = "--text", blanks = " \t\n";
  const auto blank = [&](char c) { return blanks.find(c) != blanks.npos; };
  const bool longer = words.size() > option.size();
  const bool first = words == option || (words.starts_with(option) && blank(words[option.size()]));
  const bool last =
      !first && longer && words.ends_with(option) && blank(words[words.size() - option.size() - 1]);
  if (first) words.remove_prefix(option.size());
  if (last) words.remove_suffix(option.size());
  std::string focus(trimmed(words));
  if (first || last) return AskHandover{std::move(focus)};
  return HandOver{std::move(focus)};
}

struct Reader {
  std::string_view name;
  Command (*read)(Words words);
};
template <class Asked>
Command plain(Words) {
  return Asked{};
}
template <class Asked>
Command worded(Words words) {
  return Asked{std::string(words)};
}

constexpr Reader readers[] = {
    {"add-dir", worded<AddFolder>},
    {"config", config},
    {"context", context},
    {"cost", cost},
    {"debug", plain<AskLastRequest>},
    {"diff", plain<AskDiff>},
    {"doctor", plain<AskDoctor>},
    {"effort", effort},
    {"export", worded<ExportConversation>},
    {"handoff", handoff},
    {"hooks", worded<AskHooks>},
    {"log", plain<AskCompactionLog>},
    {"lsp", worded<AskLanguageServers>},
    {"mcp", worded<AskServers>},
    {"memory", plain<AskMemory>},
    {"notes", worded<AskNotes>},
    {"permissions", permissions},
    {"recall", recall},
    {"rewind", plain<AskRewindPoints>},
    {"status", plain<AskStatus>},
    {"summaries", summaries},
    {"tasks", tasks},
    {"tools", plain<AskTools>},
};

}  // namespace

Command asked_words(std::string_view name, std::string_view words) {
  for (const auto& reader : readers)
    if (reader.name == name) return reader.read(trimmed(words));
  return Misread{"Unknown request \"" + std::string(name) + "\"."};
}

}  // namespace tern
