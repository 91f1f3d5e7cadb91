#include "compression/reading/boundary.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "compression/reading/cluster.h"
#include "compression/text/names.h"
#include "compression/text/plain_text.h"
#include "compression/values/blocks.h"

namespace tern {

namespace {

constexpr int base = 100;
constexpr auto long_gap = std::chrono::minutes(5);
constexpr double other_topic = 0.1;  // overlap under which a request is about something else
constexpr std::size_t topic_items = 4, error_reach = 2, error_bytes = 2'000, phrase_bytes = 400;

constexpr std::array<std::string_view, 22> break_phrases = {
    "新问题",         "不同话题",         "换个话题",        "继续",
    "让我们切换",     "接下来",           "下一个问题",      "另一个问题",
    "new question",   "new topic",        "different topic", "moving on",
    "next question",  "another question", "next task",       "switch to",
    "let's switch",   "let us switch",    "change of topic", "unrelated",
    "on to the next", "let's continue"};

const Item* at(const Conversation& c, std::size_t index) {
  return index < c.items.size() ? c.items[index].get() : nullptr;
}
const Item* before(const Conversation& c, std::size_t index) {
  return index == 0 ? nullptr : at(c, index - 1);
}

bool says_error(const Item& item) {
  return std::any_of(item.blocks.begin(), item.blocks.end(), [](const Block& block) {
    const auto* result = std::get_if<ToolResult>(&block);
    return result &&
           (result->is_error || reports_error(std::string_view(result->text).substr(0, error_bytes)));
  });
}

struct Term {
  int points;
  std::string_view why;
  bool (*holds)(const Conversation&, std::size_t);
};
constexpr std::array<Term, 6> terms{{
    {50, "after a tool result", after_tool_result},
    {30, "after the assistant", after_assistant},
    {-100, "inside a tool sequence", in_tool_sequence},
    {20, "a break in the talk", conversation_break},
    {-30, "errors nearby", near_errors},
    {25, "a new topic", topic_change},
}};

}  // namespace

bool after_tool_result(const Conversation& conversation, std::size_t index) {
  const auto* prev = before(conversation, index);
  return prev && prev->role == Role::user && !prev->blocks.empty() &&
         std::holds_alternative<ToolResult>(prev->blocks.front());
}

bool after_assistant(const Conversation& conversation, std::size_t index) {
  const auto* prev = before(conversation, index);
  return prev && prev->role == Role::assistant;
}

bool parts_a_pair(const Conversation& conversation, std::size_t index) {
  const auto* prev = before(conversation, index);
  const auto* next = at(conversation, index);
  return prev && next && has<ToolCall>(*prev) && has<ToolResult>(*next);
}

bool in_tool_sequence(const Conversation& conversation, std::size_t index) {
  if (parts_a_pair(conversation, index)) return true;
  const auto* prev = before(conversation, index);
  const auto* next = at(conversation, index);
  if (!prev || !next || next->role != Role::assistant || !has<ToolCall>(*next)) return false;
  const auto results = blocks_of<ToolResult>(*prev);
  const auto texts = blocks_of<Text>(*next);
  return std::any_of(results.begin(), results.end(), [&](const ToolResult* result) {
    return std::any_of(texts.begin(), texts.end(), [&](const Text* text) {
      return text->text.find(result->call_id) != std::string::npos;
    });
  });
}

bool has_break_phrase(std::string_view text) {
  const auto opening = lowered(text.substr(0, phrase_bytes));
  return std::any_of(break_phrases.begin(), break_phrases.end(),
                     [&](std::string_view phrase) { return opening.find(phrase) != opening.npos; });
}

bool conversation_break(const Conversation& conversation, std::size_t index) {
  const auto* prev = before(conversation, index);
  const auto* next = at(conversation, index);
  if (!prev || !next) return false;
  if (prev->role == Role::user && next->role == Role::user) return true;
  if (next->when - prev->when > long_gap) return true;
  const auto texts = blocks_of<Text>(*next);
  return is_human(*next) && std::any_of(texts.begin(), texts.end(),
                                        [](const Text* text) { return has_break_phrase(text->text); });
}

bool near_errors(const Conversation& conversation, std::size_t index) {
  const std::size_t from = index > error_reach ? index - error_reach : 0;
  for (std::size_t i = from; i < std::min(conversation.items.size(), index + error_reach); ++i) {
    if (says_error(*conversation.items[i])) return true;
  }
  return false;
}

// Only the person changes the topic.
bool topic_change(const Conversation& conversation, std::size_t index) {
  const auto* next = at(conversation, index);
  if (!next || !is_human(*next) || index == 0) return false;
  const auto request = signature_of(*next);
  if (request.words.size() + request.paths.size() + request.names.size() < 3) return false;
  Signature past;
  for (std::size_t i = index > topic_items ? index - topic_items : 0; i < index; ++i)
    merge(past, signature_of(*conversation.items[i]));
  return !past.empty() && overlap(past, request) < other_topic;
}

int boundary_score(const Conversation& conversation, std::size_t index) {
  int score = base;
  for (const auto& term : terms) score += term.holds(conversation, index) ? term.points : 0;
  return score;
}

std::optional<Boundary> find_boundary(const Conversation& conversation, const BoundarySearch& search) {
  const auto n = conversation.items.size();
  if (n < search.least_before + search.least_after) return std::nullopt;
  const auto last = std::min(n - search.least_after, search.latest);
  if (last < search.least_before) return std::nullopt;
  const auto wanted = static_cast<std::size_t>(std::floor(static_cast<double>(n) * search.ratio));
  const auto target = std::clamp(wanted, search.least_before, last);
  const auto from = std::max(search.least_before, target - std::min(target, search.window));
  const auto to = std::min(last, target + search.window);
  std::optional<Boundary> best;
  for (std::size_t i = from; i <= to; ++i) {
    if (i == 0 || i >= n || parts_a_pair(conversation, i)) continue;
    const int score = boundary_score(conversation, i);
    if (!best || score > best->score) best = Boundary{i, score, {}};
  }
  if (!best) return best;
  for (const auto& term : terms) {
    if (term.holds(conversation, best->index))
      best->why += (best->why.empty() ? "" : ", ") + std::string(term.why);
  }
  return best;
}

}  // namespace tern
