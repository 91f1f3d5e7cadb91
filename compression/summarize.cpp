#include "compression/summarize.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "compression/blocks.h"
#include "compression/boundary.h"
#include "compression/importance.h"
#include "compression/index.h"
#include "compression/lines.h"
#include "compression/range.h"
#include "compression/rules.h"
#include "compression/snip.h"
#include "compression/summary_answer.h"
#include "compression/summary_prompt.h"
#include "compression/tokens.h"

namespace tern {

namespace {

constexpr double words_share = 0.2;  // of the goal: so much room is made for those words where the tail leaves less
constexpr double tail_share = 0.5;   // of the goal, for what stays verbatim behind the summary
constexpr double crowd_share = 0.4;  // earlier summaries over this share of the goal are summarised together
constexpr std::size_t least_covered = 4, least_after = 3;  // messages
constexpr Tokens least_target = 1'000;  // less no model keeps to, and what is rejected is paid for all the same
constexpr Tokens least_excerpt = 60;
constexpr std::string_view kept_heading = "What the user wrote, word for word:";
constexpr std::string_view index_heading = "Specifics of the originals (recall by id):";

// --- request -------------------------------------------------------------------------------------------------------------

// A message of the person; an earlier summary's quote of one has no id of its own.
struct Words {
  std::string text;  // as it is quoted
  RecallId recall;
};

Words quoted(const Item& item) {
  std::string text;
  for (const auto* block : blocks_of<Text>(item)) text += (text.empty() ? "" : "\n") + block->text;
  return {"> " + text, item.recall};
}

// Head and tail of what does not fit, with the id of the whole; empty when not even that fits.
std::string excerpt(const Words& words, Tokens room) {
  if (!words.recall || room < least_excerpt) return {};
  auto limit = static_cast<double>(words.text.size()) * static_cast<double>(room) / static_cast<double>(estimate(words.text));
  for (; limit > least_excerpt; limit *= 0.8) {
    auto cut = snip_text(words.text, {.limit = static_cast<std::size_t>(limit), .kind = OutputKind::source}, words.recall);
    if (estimate(cut) + 1 <= room) return cut;
  }
  return {};
}

// Stands for the person's messages that found no room; how many, when a text is such a note.
constexpr std::string_view more_head = "> [and ", more_tail = " older messages of the user: Recall finds each by a word of it]";
std::string more_note(std::size_t messages) { return std::string(more_head) + std::to_string(messages) + std::string(more_tail); }
std::size_t more_of(std::string_view text) {
  std::size_t messages = 0;
  if (!text.starts_with(more_head) || !text.ends_with(more_tail)) return 0;
  text = text.substr(more_head.size(), text.size() - more_head.size() - more_tail.size());
  return std::from_chars(text.data(), text.data() + text.size(), messages).ptr == text.data() + text.size() ? messages : 0;
}

// It stays kept when that summary is summarised in its turn. The person's own paragraphs and quotes are part of a message.
void carry_over(const Item& summary, std::vector<Words>& messages) {
  for (const auto* block : blocks_of<Summary>(summary)) {
    for (auto rest = kept_part(block->text); !rest.empty();) {
      const auto next = rest.find("\n> ");
      messages.push_back({std::string(rest.substr(0, next)), {}});
      rest = next == rest.npos ? std::string_view() : rest.substr(next + 1);
    }
  }
}

struct People {
  std::vector<Words> messages;
  std::size_t more = 0;  // left out of earlier summaries
  Tokens tokens = 0;
};

People people_of(const std::vector<ItemPtr>& items) {
  People people;
  for (const auto& item : items) {
    carry_over(*item, people.messages);
    if (is_human(*item)) people.messages.push_back(quoted(*item));
  }
  std::erase_if(people.messages, [&](const Words& words) {
    const auto left_out = more_of(words.text);
    people.more += left_out;
    return left_out > 0;
  });
  for (const auto& words : people.messages) people.tokens += estimate(words.text) + 1;
  return people;
}

// Of a message, quoted, the sentences that demand something; empty when there is none, or little else.
std::string demands_of(std::string_view message) {
  std::string out;
  for (const auto rule : rules_in(message.substr(std::min(message.size(), message.find_first_not_of("> ")))))
    out.append(out.empty() ? "> \xE2\x80\xA6 " : " ").append(rule);
  return out.size() * 5 > message.size() * 4 ? std::string() : out;
}

// All of it when it fits; else the first request, what the others demand, then the newest, and how many more there are. Of a long
// one that does not fit head and tail, within half of the room that is left.
std::string kept_messages(const People& people, Tokens budget) {
  const auto& messages = people.messages;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < messages.size(); ++i) order.push_back(i == 0 ? 0 : messages.size() - i);
  if (people.more > 0 || people.tokens > budget) budget -= estimate(more_note(messages.size()));
  std::vector<std::string> kept(messages.size());
  const auto keep = [&](std::size_t i, std::string text) {
    const Tokens cost = estimate(text) - estimate(kept[i]) + (kept[i].empty() ? 1 : 0);
    if (text.empty() || cost > budget) return;
    budget -= cost;
    kept[i] = std::move(text);
  };
  const auto keep_words = [&](std::size_t i) {
    keep(i, messages[i].text);
    if (kept[i].empty()) keep(i, excerpt(messages[i], budget / 2));
  };
  if (!messages.empty()) keep_words(0);
  if (people.tokens > budget) {
    for (const auto i : order)
      if (kept[i].empty()) keep(i, demands_of(messages[i].text));
  }
  for (const auto i : order)
    if (i > 0) keep_words(i);
  const auto more = people.more + static_cast<std::size_t>(std::count(kept.begin(), kept.end(), std::string()));
  std::string out;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!kept[i].empty()) out += kept[i] + '\n';
    if (i == 0 && more > 0) out += more_note(more) + '\n';
  }
  if (!out.empty()) out.pop_back();
  return out;
}

// --- answer --------------------------------------------------------------------------------------------------------------

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

// A fence around everything goes; fences inside stay.
std::string_view without_fence(std::string_view text) {
  text = trim(text);
  if (!text.starts_with("```")) return text;
  const auto line = text.find('\n');
  if (line == text.npos) return {};
  text.remove_prefix(line + 1);
  text = trim(text);
  if (text.ends_with("```")) text.remove_suffix(3);
  return trim(text);
}

// Leading chatter ends where the first heading stands ("1. …", "# …", "<overall_goal>").
std::string_view without_chatter(std::string_view text) {
  std::size_t at = 0;
  for (int line = 0; line < 6 && at < text.size(); ++line) {
    const auto rest = trim(text.substr(at));
    if (rest.starts_with("1.") || rest.starts_with("#") || rest.starts_with("**1") || rest.starts_with("<overall_goal"))
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
  std::string text = summary_opening(request.source.items.size()) + "\n\n";
  text += body;
  if (!request.kept.empty()) text.append("\n\n").append(kept_heading).append("\n").append(request.kept);
  if (!request.index.empty()) text.append("\n\n").append(index_heading).append("\n").append(request.index);
  return text;
}

// A pin keeps the whole round it belongs to.
std::vector<bool> leaving(const std::vector<ItemPtr>& items) {
  std::vector<bool> goes(items.size(), true);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i]->pinned && items[i]->role != Role::system) continue;
    goes[i] = false;
    if (has<ToolResult>(*items[i]) && i > 0) goes[i - 1] = false;
    if (has<ToolCall>(*items[i]) && i + 1 < items.size()) goes[i + 1] = false;
  }
  return goes;
}

// Every gap gets a message of the user's side, the first the summary itself: what stays between gaps stays legal.
Edits replaced(const SummaryRequest& request, ItemPtr made) {
  const auto& items = request.source.items;
  const Reason why{Tier::compact, "summarize", std::to_string(items.size()) + " messages summarised"};
  const auto goes = leaving(items);
  Edits edits;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!goes[i]) continue;
    edits.push_back({items[i]->id, Drop{}, why, items[i]->tokens});
    if (i + 1 < items.size() && goes[i + 1]) continue;
    if (!made)
      made = make_item({.role = Role::user, .when = request.now, .blocks = {Text{"[Summarised above.]"}}, .synthetic = true});
    const Tokens cost = made->tokens;
    edits.push_back({i + 1 < items.size() ? items[i + 1]->id : request.insert_before, Insert{std::move(made)}, why, -cost});
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

}  // namespace

std::string_view kept_part(std::string_view summary) {
  auto at = summary.rfind(kept_heading);
  if (at == summary.npos) return {};
  at = std::min(at + kept_heading.size() + 1, summary.size());
  const auto index = summary.find("\n\n" + std::string(index_heading), at);
  return summary.substr(at, index == summary.npos ? index : index - at);
}

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
  auto end = place_for_tail(items, tail);
  if (const auto boundary = find_boundary(
          conversation, {.ratio = static_cast<double>(end) / static_cast<double>(std::max<std::size_t>(1, items.size()))})) {
    end = boundary->index;
  }
  if (end < first + least_covered) return std::nullopt;
  return ItemRange{items[first]->id, items[end - 1]->id};
}

Tokens asked_tokens(const SummaryRequest& request) {
  constexpr double asked_share = 0.6;  // models overshoot, and names take more tokens than words
  const Tokens body = request.target - estimate(request.kept) - estimate(request.index) - estimate(summary_opening(0));
  return std::max<Tokens>(100, static_cast<Tokens>(asked_share * static_cast<double>(body)));
}

SummaryRequest summary_request(const Conversation& conversation, const Budget& budget, ItemRange range, const std::string& focus,
                               TimePoint now, double kept) {
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
  const auto goes = leaving(request.source.items);
  for (std::size_t i = 0; i < goes.size(); ++i) request.replaces += goes[i] ? request.source.items[i]->tokens : 0;
  const Tokens rest = count(conversation) - request.replaces;
  const Tokens most = std::max<Tokens>(1, request.replaces * 3 / 4);
  const Tokens goal = compaction_goal(budget);
  const auto people = people_of(request.source.items);
  const Tokens words = std::min(people.tokens, static_cast<Tokens>(words_share * static_cast<double>(goal)));
  request.target = std::clamp(goal - rest, std::min(least_target + words, most), most);
  const auto share = static_cast<Tokens>(kept * static_cast<double>(request.target));
  request.kept = kept_messages(people, std::max(share, std::min(words, request.target - least_target)));
  const Tokens left = request.target - estimate(request.kept);
  request.index = index_of(request.source, std::min({budget.config.index_budget, request.target / 5, left * 2 / 5}));
  request.instructions = summary_prompt(request.style, focus, std::min<Tokens>(asked_tokens(request), 4'000));
  return request;
}

std::variant<Edits, Rejected> with_summary(const SummaryRequest& request, const std::string& answer, bool complete) {
  const auto parsed = summary_answer(answer, request.style);
  const auto body = body_of(parsed);
  if (!complete && !parsed.closed) return Rejected{"the summary was cut off"};
  if (is_blank(body)) return Rejected{"the summary is empty"};
  Item item{.id = request.new_id,
            .role = Role::user,
            .when = request.now,
            .blocks = {Summary{summary_text(request, body), request.covers}},
            .synthetic = true};
  auto made = make_item(std::move(item));
  if (made->tokens >= request.replaces) {
    return Rejected{"the summary is larger than what it replaces: " + std::to_string(made->tokens) + " tokens for " +
                    std::to_string(request.replaces)};
  }
  if (made->tokens > request.target) {
    return Rejected{"the summary is over its target: " + std::to_string(made->tokens) + " of " + std::to_string(request.target) +
                    " tokens"};
  }
  return replaced(request, std::move(made));
}

}  // namespace tern
