#include "compression/plan/select.h"

#include <algorithm>
#include <array>

#include "compression/plan/plan.h"
#include "compression/plan/strategies.h"
#include "compression/text/plain_text.h"
#include "compression/values/blocks.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr double enough = 0.6;  // confidence below which both ways are tried
constexpr Tokens long_message = 300;
constexpr std::size_t recent = 5, few_messages = 20, many_messages = 30;
constexpr double much_recent = 0.4;

struct TableRow {
  std::string_view provider, model;  // parts of the lower-case names; the first row that matches counts
  ModelRule rule;
};
constexpr std::array<TableRow, 14> table{{
    {"openai", "gpt-4", {std::nullopt, 1.0, "OpenAI GPT-4: start and end in balance"}},
    {"openai", "gpt-5", {Removal::middle, 1.2, "OpenAI reasoning model: wants more of the context kept"}},
    {"openai", "gpt-6", {Removal::middle, 1.2, "OpenAI reasoning model: wants more of the context kept"}},
    {"openai", "o1", {Removal::middle, 1.2, "OpenAI reasoning model: wants more of the context kept"}},
    {"openai", "o3", {Removal::middle, 1.2, "OpenAI reasoning model: wants more of the context kept"}},
    {"openai", "o4", {Removal::middle, 1.2, "OpenAI reasoning model: wants more of the context kept"}},
    {"anthropic", "", {Removal::oldest, 1.0, "Anthropic: the newest messages count most"}},
    {"google", "1.5", {Removal::middle, 1.1, "Gemini 1.5: large window, cut with care"}},
    {"gemini", "1.5", {Removal::middle, 1.1, "Gemini 1.5: large window, cut with care"}},
    {"lmstudio", "", {std::nullopt, 0.9, "local model: small window, cut harder"}},
    {"lm-studio", "", {std::nullopt, 0.9, "local model: small window, cut harder"}},
    {"ollama", "", {std::nullopt, 0.9, "local model: small window, cut harder"}},
    {"llama", "", {std::nullopt, 0.9, "local model: small window, cut harder"}},
    {"local", "", {std::nullopt, 0.9, "local model: small window, cut harder"}},
}};

const char* name_of(Severity severity) {
  switch (severity) {
    case Severity::light: return "light";
    case Severity::moderate: return "moderate";
    case Severity::heavy: return "heavy";
  }
  return "";
}

std::string thousandths(double value) {
  const auto n = static_cast<int>(value * 1000 + 0.5);
  const auto digits = std::to_string(1000 + n % 1000).substr(1);
  return std::to_string(n / 1000) + "." + digits;
}

Outcome outcome_of(const Conversation& conversation, const Edits& edits) {
  const auto after = tern::apply(conversation, edits);
  return {count(conversation), count(after), conversation.items.size(), after.items.size()};
}

}  // namespace

ModelRule model_rule(std::string_view provider, std::string_view model) {
  const auto name = lowered(provider), m = lowered(model);
  const std::string_view p =
      name == "responses" ? "openai" : std::string_view(name);  // the other of its two APIs
  for (const auto& row : table) {
    if (p.find(row.provider) != p.npos && m.find(row.model) != m.npos) return row.rule;
  }
  return {std::nullopt, 1.0, "no rule for this model"};
}

Severity severity_of(double ratio) {
  if (ratio > 0.8) return Severity::light;
  return ratio > 0.6 ? Severity::moderate : Severity::heavy;
}

Features features_of(const Conversation& conversation, Tokens target) {
  Features f;
  const auto& items = conversation.items;
  const auto tokens = static_cast<double>(std::max<Tokens>(1, count(conversation)));
  f.messages = items.size();
  f.ratio = static_cast<double>(target) / tokens;
  Tokens last = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i + recent >= items.size()) last += items[i]->tokens;
    f.long_messages = f.long_messages || items[i]->tokens > long_message;
    f.tools = f.tools || has<ToolResult>(*items[i]) || has<ToolCall>(*items[i]);
    f.system = f.system || items[i]->role == Role::system;
  }
  f.recent_share = static_cast<double>(last) / tokens;
  return f;
}

StrategyVerdict judge(const Features& f) {
  const auto severity = severity_of(f.ratio);
  if (severity == Severity::light && f.messages < few_messages) {
    return {Removal::middle, 0.8, "light compression of a short conversation: both ends matter most"};
  }
  if (severity == Severity::heavy && f.messages > many_messages) {
    return {Removal::oldest, 0.9, "heavy compression of a long conversation: the newest matter most"};
  }
  if (f.recent_share > much_recent) {
    const auto share = percent(f.recent_share) + " of the tokens are in the last five messages";
    if (f.system || f.tools)
      return {Removal::middle, 0.7, share + ", with a system prompt or tools to keep: start and end stay"};
    return {Removal::oldest, 0.7, share + " of a pure chat: the newest stay"};
  }
  if (f.long_messages && severity != Severity::light) {
    return {Removal::oldest, 0.6, std::string("long messages and ") + name_of(severity) + " compression"};
  }
  if (f.tools || f.system)
    return {Removal::middle, 0.7, "tool or system messages: the frame of the work stays"};
  return {Removal::middle, 0.5, "nothing favors one over the other"};
}

double efficiency(const Outcome& o) {
  if (o.before <= 0 || o.messages == 0) return 0;
  const double reduction = 1 - static_cast<double>(o.after) / static_cast<double>(o.before);
  return 0.6 * reduction + 0.4 * static_cast<double>(o.kept) / static_cast<double>(o.messages);
}

Removal more_efficient(const Outcome& middle, const Outcome& oldest) {
  return efficiency(middle) >= efficiency(oldest) ? Removal::middle : Removal::oldest;
}

Selection select_removal(const Conversation& conversation, const Budget& budget, Tokens target) {
  const auto rule = model_rule(budget.provider, budget.model);
  Selection s;
  s.target = std::min(static_cast<Tokens>(static_cast<double>(target) * rule.retention),
                      std::max(target, count(conversation) * 9 / 10));
  s.reasons.push_back("model: " + std::string(rule.why) +
                      (rule.how ? " → " + std::string(to_string(*rule.how)) : " → hybrid"));
  if (rule.how) {
    s.how = *rule.how;
    s.edits = remove(conversation, budget.config, s.how, s.target);
    return s;
  }
  const auto verdict = judge(features_of(conversation, s.target));
  s.how = verdict.how;
  s.confidence = verdict.confidence;
  s.reasons.push_back("features: " + verdict.why + " → " + std::string(to_string(s.how)) + " (confidence " +
                      thousandths(s.confidence).substr(0, 3) + ")");
  s.edits = remove(conversation, budget.config, s.how, s.target);
  if (verdict.confidence >= enough) return s;
  auto oldest = remove(conversation, budget.config, Removal::oldest, s.target);
  auto middle = remove(conversation, budget.config, Removal::middle, s.target);
  const auto by_middle = outcome_of(conversation, middle), by_oldest = outcome_of(conversation, oldest);
  s.how = more_efficient(by_middle, by_oldest);
  s.edits = std::move(s.how == Removal::middle ? middle : oldest);
  s.reasons.push_back("efficiency: middle " + thousandths(efficiency(by_middle)) + ", oldest " +
                      thousandths(efficiency(by_oldest)) + " → " + std::string(to_string(s.how)));
  return s;
}

Edits remove_messages(const Conversation& conversation, const Budget& budget, Tokens target) {
  auto selection = select_removal(conversation, budget, target);
  std::string why;
  for (const auto& reason : selection.reasons) why += (why.empty() ? "" : "; ") + reason;
  for (auto& edit : selection.edits) edit.why.why = why;
  return std::move(selection.edits);
}

namespace {

Edits propose_hybrid(const Conversation& conversation, const Budget& budget) {
  return remove_messages(conversation, budget, removal_goal(budget));
}

}  // namespace

constinit const Strategy hybrid_strategy{
    "hybrid", "drop rounds from the middle or the oldest, as model and conversation suggest", propose_hybrid};

}  // namespace tern
