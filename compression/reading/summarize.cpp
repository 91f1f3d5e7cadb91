#include "compression/reading/summarize.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "compression/reading/boundary.h"
#include "compression/reading/importance.h"
#include "compression/reading/index.h"
#include "compression/reading/kept_words.h"
#include "compression/reading/snip.h"
#include "compression/reading/summary_answer.h"
#include "compression/reading/summary_prompt.h"
#include "compression/reading/summary_text.h"
#include "compression/text/lines.h"
#include "compression/text/plain_text.h"
#include "compression/text/rules.h"
#include "compression/values/blocks.h"
#include "compression/values/range.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr double words_share =
    0.2;  // of the goal: so much room is made for those words where the tail leaves less
constexpr double tail_share = 0.5;   // of the goal, for what stays verbatim behind the summary
constexpr double crowd_share = 0.4;  // earlier summaries over this share of the goal are summarised together
constexpr double said_share =
    0.4;  // of what the target leaves beside those words and the index: for answers, word for word
constexpr std::size_t least_covered = 4, least_after = 3;  // messages
constexpr int literal_rounds = 2;                          // the newest tool rounds always stay as they are
constexpr Tokens least_target =
    1'600;  // less no model keeps to, and what is rejected is paid for all the same
constexpr Tokens usual_answer = 2'000;  // so much is left to the model before answers are kept word for word

// --- answer
// ----------------------------------------------------------------------------------------------------

// A fence around everything goes; fences inside stay.
std::string_view without_fence(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with("```")) return text;
  const auto line = text.find('\n');
  if (line == text.npos) return {};
  text.remove_prefix(line + 1);
  text = trimmed(text);
  if (text.ends_with("```")) text.remove_suffix(3);
  return trimmed(text);
}

// Leading chatter ends where the first heading stands ("1. …", "# …", "<overall_goal>").
std::string_view without_chatter(std::string_view text) {
  std::size_t at = 0;
  for (int line = 0; line < 6 && at < text.size(); ++line) {
    const auto rest = trimmed(text.substr(at));
    if (rest.starts_with("1.") || rest.starts_with("#") || rest.starts_with("**1") ||
        rest.starts_with("<overall_goal"))
      return rest;
    const auto next = text.find('\n', at);
    if (next == text.npos) break;
    at = next + 1;
  }
  return text;
}

// Chatter is looked for only where no tag tells the answer from it.
std::string_view body_of(const ParsedSummary& answer) {
  if (answer.opened) return without_fence(answer.text);
  return without_fence(without_chatter(without_fence(answer.text)));
}

std::string summary_text(const SummaryRequest& request, std::string_view body) {
  std::string text =
      summary_opening(static_cast<std::size_t>(std::count(request.goes.begin(), request.goes.end(), true))) +
      "\n\n";
  text += body;
  if (!request.said.empty()) text.append("\n\n").append(said_heading).append("\n").append(request.said);
  if (!request.kept.empty()) text.append("\n\n").append(kept_heading).append("\n").append(request.kept);
  if (!request.index.empty()) text.append("\n\n").append(index_heading).append("\n").append(request.index);
  return text;
}

// What leaves of a stretch. A pin keeps the whole round it belongs to, a protected message of the user
// itself.
std::vector<bool> leaving(const std::vector<ItemPtr>& items, const std::vector<bool>& keep) {
  std::vector<bool> goes(items.size(), true);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (keep[i] && is_human(*items[i])) goes[i] = false;
    if (!items[i]->pinned && items[i]->role != Role::system) continue;
    goes[i] = false;
    if (has<ToolResult>(*items[i]) && i > 0) goes[i - 1] = false;
    if (has<ToolCall>(*items[i]) && i + 1 < items.size()) goes[i + 1] = false;
  }
  return goes;
}

// The first gap gets the summary. A later gap needs a message of the user's side only where two answers would
// meet.
Edits replaced(const SummaryRequest& request, ItemPtr made) {
  const auto& items = request.source.items;
  const auto& goes = request.goes;
  const auto left = static_cast<std::size_t>(std::count(goes.begin(), goes.end(), true));
  const Reason why{Tier::compact, "summarize", std::to_string(left) + " messages summarised"};
  Edits edits;
  for (std::size_t i = 0, gap = 0; i < items.size(); ++i) {
    if (!goes[i]) {
      gap = i + 1;
      continue;
    }
    edits.push_back({items[i]->id, Drop{}, why, items[i]->tokens});
    if (i + 1 < items.size() && goes[i + 1]) continue;
    const bool needed = made != nullptr || gap == 0 || items[gap - 1]->role == Role::assistant;
    if (!needed) continue;
    if (!made)
      made = make_item({.role = Role::user,
                        .when = request.now,
                        .blocks = {Text{"[Summarised above.]"}},
                        .synthetic = true});
    const Tokens cost = made->tokens;
    edits.push_back({i + 1 < items.size() ? items[i + 1]->id : request.insert_before, Insert{std::move(made)},
                     why, -cost});
    made = nullptr;
  }
  return edits;
}

// The first item that stays when about `tail` tokens stay, never between a call and its result.
std::size_t place_for_tail(const std::vector<ItemPtr>& items, Tokens tail) {
  std::size_t at = items.size();
  while (at > 0 && tail >= items[at - 1]->tokens) tail -= items[--at]->tokens;
  at = std::min(at, items.size() - std::min(items.size(), least_after));
  while (at > 0 && at < items.size() && has<ToolResult>(*items[at])) --at;
  return at;
}

// What the newest rounds hold open: two always, `keepRecent` while they leave half of the goal to the rest;
// and the results that are protected.
std::size_t latest_end(const Conversation& conversation, const Budget& budget) {
  const auto& items = conversation.items;
  const auto& config = budget.config;
  const auto keep = protected_items(conversation, config);
  Tokens room = compaction_goal(budget) / 2;
  std::size_t end = items.size();
  int rounds = 0, calls = 0;
  for (std::size_t i = items.size(); i-- > 0;) {
    room -= items[i]->tokens;
    if (items[i]->role != Role::assistant) continue;
    calls += has<ToolCall>(*items[i]);
    const bool spared = i + 1 < items.size() && keep[i + 1] && has<ToolResult>(*items[i + 1]);
    const bool recent = ++rounds <= config.keep_recent && room >= 0;
    if (spared || recent || (calls <= literal_rounds && has<ToolCall>(*items[i]))) end = i;
  }
  return end;
}

// At most `maxTurns` turns stay unsummarised.
std::size_t earliest_end(const std::vector<ItemPtr>& items, int turns) {
  for (std::size_t i = items.size(); i-- > 0;)
    if (is_human(*items[i]) && --turns < 0) return i + 1;
  return 0;
}

ItemPtr made_of(const SummaryRequest& request, std::string_view body) {
  return make_item({.id = request.new_id,
                    .role = Role::user,
                    .when = request.now,
                    .blocks = {Summary{summary_text(request, body), request.covers}},
                    .synthetic = true});
}

bool is_heading(std::string_view line) {
  while (!line.empty() && (line.front() == '*' || line.front() == '#')) line.remove_prefix(1);
  return line.empty() || line.front() == '<' || (line.front() >= '0' && line.front() <= '9');
}

// An answer over its length without its longest lines, headings kept. Models overshoot by a fifth or so, and
// a refused summary is paid for all the same. Empty when a third would not be enough.
std::string within(std::string_view body, Tokens most) {
  std::vector<std::string_view> lines;
  each_line_of(body, [&](std::string_view line) { lines.push_back(line); });
  std::vector<std::size_t> longest;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!is_heading(lines[i])) longest.push_back(i);
  std::stable_sort(longest.begin(), longest.end(),
                   [&](auto a, auto b) { return lines[a].size() > lines[b].size(); });
  const Tokens all = estimate(body);
  Tokens over = all - most;
  std::vector<bool> gone(lines.size(), false);
  for (std::size_t n = 0; n < longest.size() && over > 0; ++n) {
    gone[longest[n]] = true;
    over -= estimate(lines[longest[n]]);
  }
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!gone[i]) out.append(lines[i]).append("\n");
  return over > 0 || estimate(out) < all * 2 / 3 ? std::string() : out;
}

}  // namespace

std::optional<ItemRange> summary_range(const Conversation& conversation, const Budget& budget) {
  const auto& items = conversation.items;
  const auto goal = static_cast<double>(compaction_goal(budget));
  const auto tail = static_cast<Tokens>(goal * adaptive_ratio(mix_of(conversation), tail_share));
  std::size_t first = 0;
  Tokens summaries = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i]->role == Role::system) first = i + 1;
    if (has<Summary>(*items[i])) summaries += items[i]->tokens;
  }
  const bool crowded = static_cast<double>(summaries) > crowd_share * goal;
  for (std::size_t i = first; i < items.size() && !crowded; ++i) {
    if (has<Summary>(*items[i])) first = i + 1;
  }
  const auto latest = latest_end(conversation, budget);
  auto end = std::min(place_for_tail(items, tail), latest);
  const double share = static_cast<double>(end) / static_cast<double>(std::max<std::size_t>(1, items.size()));
  if (const auto boundary = find_boundary(conversation, {.ratio = share, .latest = latest})) {
    end = boundary->index;
  }
  end = std::max(end, earliest_end(items, budget.config.max_turns));
  end = std::min(end, latest);
  while (end > 0 && end < items.size() && has<ToolResult>(*items[end])) --end;
  if (end < first + least_covered) return std::nullopt;
  return ItemRange{items[first]->id, items[end - 1]->id};
}

Tokens asked_tokens(const SummaryRequest& request) {
  constexpr double asked_share = 0.6;  // models overshoot, and names take more tokens than words
  const Tokens body = request.target - estimate(request.kept) - estimate(request.said) -
                      estimate(request.index) - estimate(summary_opening(0));
  const Tokens asked = std::max<Tokens>(100, static_cast<Tokens>(asked_share * static_cast<double>(body)));
  constexpr Tokens chars_a_token = 4;
  return request.most_chars > 0 ? std::min(asked, static_cast<Tokens>(request.most_chars) / chars_a_token + 1)
                                : asked;
}

SummaryRequest summary_request(const Conversation& conversation, const Budget& budget, ItemRange range,
                               const std::string& focus, TimePoint now, const SummaryForm& form) {
  const auto& items = conversation.items;
  const auto [first, end] = stretch_of(items, range);
  SummaryRequest request;
  request.style = budget.config.strategy == "snapshot" ? SummaryStyle::snapshot : budget.config.style;
  request.now = now;
  request.source.items.assign(items.begin() + static_cast<std::ptrdiff_t>(first),
                              items.begin() + static_cast<std::ptrdiff_t>(end));
  if (first == end) return request;
  request.covers = {items[first]->id, items[end - 1]->id};
  request.insert_before = end < items.size() ? items[end]->id : ItemId{};
  auto keep = protected_items(conversation, budget.config);
  keep = std::vector<bool>(keep.begin() + static_cast<std::ptrdiff_t>(first),
                           keep.begin() + static_cast<std::ptrdiff_t>(end));
  if (form.zone == Zone::pins) keep.assign(keep.size(), false);
  request.goes = leaving(request.source.items, keep);
  const auto& goes = request.goes;
  for (std::size_t i = 0; i < goes.size(); ++i)
    request.replaces += goes[i] ? request.source.items[i]->tokens : 0;
  const Tokens rest = count(conversation) - request.replaces;
  const Tokens most = std::max<Tokens>(1, request.replaces * 3 / 4);
  const Tokens goal = compaction_goal(budget);
  const auto people = people_of(request.source.items, goes);
  const Tokens words = std::min(people.tokens, static_cast<Tokens>(words_share * static_cast<double>(goal)));
  request.target = std::clamp(goal - rest, std::min(least_target + words, most), most);
  const auto share = static_cast<Tokens>(form.kept * static_cast<double>(request.target));
  request.kept = kept_messages(people, std::max(share, std::min(words, request.target - least_target)));
  const Tokens left = request.target - estimate(request.kept);
  request.index =
      index_of(request.source, std::min({budget.config.index_budget, request.target / 5, left * 2 / 5}));
  const Tokens spare = request.target - estimate(request.kept) - estimate(request.index);
  const auto most_said =
      std::min(static_cast<Tokens>(said_share * static_cast<double>(spare)), spare - usual_answer);
  request.said = kept_answers(request.source.items, goes, budget.config.importance_threshold, most_said);
  if (budget.config.cap_summary) request.most_chars = budget.config.summary_max_chars;
  request.instructions = summary_prompt(request.style, focus);
  return request;
}

std::variant<Edits, Rejected> with_summary(const SummaryRequest& request, const std::string& answer,
                                           bool complete) {
  const auto parsed = summary_answer(answer, request.style);
  const auto whole = body_of(parsed);
  const std::string told = request.most_chars > 0 ? clipped(whole, request.most_chars) : std::string(whole);
  const std::string_view body = told;
  if (!complete && !parsed.closed) return Rejected{"the summary was cut off"};
  if (is_blank(body)) return Rejected{"the summary is empty"};
  auto made = made_of(request, body);
  for (const auto extra : {&SummaryRequest::said,
                           &SummaryRequest::index}) {  // a long answer takes the room of what was added to it
    if (made->tokens <= request.target || (request.*extra).empty()) continue;
    auto shorter = request;
    shorter.said.clear();
    (shorter.*extra).clear();
    made = made_of(shorter, body);
  }
  if (made->tokens > request.target) {
    auto bare = request;
    bare.said.clear();
    bare.index.clear();
    const Tokens around = made->tokens - estimate(body);
    if (const auto shorter = within(body, request.target - around - 8); !shorter.empty())
      made = made_of(bare, shorter);
  }
  if (made->tokens >= request.replaces) {
    return Rejected{"the summary is larger than what it replaces: " + std::to_string(made->tokens) +
                    " tokens for " + std::to_string(request.replaces)};
  }
  if (made->tokens > request.target) {
    return Rejected{"the summary is over its target: " + std::to_string(made->tokens) + " of " +
                    std::to_string(request.target) + " tokens"};
  }
  return replaced(request, std::move(made));
}

}  // namespace tern
