#include "compression/plan/window.h"

#include <algorithm>

#include "compression/plan/strategies.h"
#include "compression/plan/summary_local.h"
#include "compression/reading/summarize.h"
#include "compression/reading/summary_text.h"
#include "compression/text/lines.h"
#include "compression/values/blocks.h"
#include "compression/values/rounds.h"
#include "compression/values/tokens.h"

namespace tern {

namespace {

constexpr Tokens most_merged =
    1'500;  // of an earlier summary's own text: a larger one is not retold by rules
constexpr std::string_view earlier_heading = "## Earlier";

Outline outline_of(const Conversation& conversation, const CompressionConfig& config) {
  auto keep = protected_items(conversation, config);
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = keep[i] || has<Summary>(*conversation.items[i]);
  return outline(conversation, keep);
}

std::vector<std::size_t> real_turns(const Conversation& conversation, const Outline& parts) {
  std::vector<std::size_t> turns;
  for (std::size_t i = 0; i < parts.turns.size(); ++i) {
    const Turn& turn = parts.turns[i];
    const bool summary = turn.user != Turn::none && has<Summary>(*conversation.items[turn.user]);
    const bool empty = turn.first_round == turn.end_round && i + 1 < parts.turns.size();
    if (!summary && !empty) turns.push_back(i);
  }
  return turns;
}

bool is_small_summary(const Item& item) {
  const auto summaries = blocks_of<Summary>(item);
  return !summaries.empty() && !item.pinned && estimate(told_part(summaries.front()->text)) <= most_merged;
}

// What earlier summaries told, an entry a line, the newest first while there is room; their counts of tools
// say nothing later.
std::string earlier_part(const std::vector<ItemPtr>& items, Tokens room) {
  std::vector<std::string> entries;
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    for (const auto* summary : blocks_of<Summary>(**item)) {
      for (auto rest = told_part(summary->text); !rest.empty();) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const bool counts = line.starts_with("- Frequency: ") || line.starts_with("- Patterns: ");
        if (is_blank(line) || line.starts_with('#') || counts) continue;
        entries.push_back(line.starts_with("- ") ? std::string(line) : "- " + std::string(line));
      }
    }
  }
  room -= estimate(earlier_heading) + 2;
  std::string text;
  for (const auto& entry : entries) {
    room -= estimate(entry) + 1;
    if (room < 0) break;
    text += "\n" + entry;
  }
  return text.empty() ? text : std::string(earlier_heading) + text + "\n";
}

// Everything in the range as one summary; empty where that gains nothing. Its own text stays small enough to
// be taken into the next.
Edits summarised(const Conversation& conversation, const Budget& budget, ItemRange range, TimePoint now) {
  constexpr double words_share = 0.6;
  constexpr Tokens most_part = 350, most_tools = 150;
  const auto request =
      summary_request(conversation, budget, range, {}, now, {.kept = words_share, .zone = Zone::pins});
  const Tokens room =
      (request.target - estimate(request.kept) - estimate(request.said) - estimate(request.index)) * 3 / 4;
  const Groups groups = group(request.source.items);
  const PointOrder order{
      .threshold = budget.config.importance_threshold, .topic = {}, .topics = {}, .referenced = {}};
  auto text = system_part(groups, {});
  text += critical_part(groups, std::min(room / 3, most_part));
  text += conversation_part(groups, std::min(room / 3, most_part), order);
  if (budget.config.preserve_tool_calls) text += tool_part(groups, std::min(room / 6, most_tools));
  text += earlier_part(request.source.items, most_merged - estimate(text));
  const auto made = with_summary(request, "<summary>\n" + text + "</summary>");
  const auto* edits = std::get_if<Edits>(&made);
  return edits ? *edits : Edits{};
}

Edits propose_window(const Conversation& conversation, const Budget& budget) {
  return window_summary(conversation, budget, {});
}

}  // namespace

Edits slide(const Conversation& conversation, const CompressionConfig& config) {
  const Outline parts = outline_of(conversation, config);
  const auto turns = real_turns(conversation, parts);
  const auto recent = static_cast<std::size_t>(std::max(1, config.keep_recent));
  auto most = static_cast<std::size_t>(std::max(1, config.max_turns));
  if (most <= recent) most = 2 * recent;  // no batch would be left to slide
  if (turns.size() <= most) return {};
  Taker taker(
      conversation, parts,
      {Tier::compact, "sliding window", "older than the newest " + std::to_string(recent) + " turns"});
  for (std::size_t turn = 0; turn < turns[turns.size() - recent]; ++turn) taker.take_turn(turn);
  return std::move(taker).edits();
}

Edits window_summary(const Conversation& conversation, const Budget& budget, TimePoint now) {
  auto dropped = slide(conversation, budget.config);
  if (dropped.empty()) return dropped;
  const auto& items = conversation.items;
  std::size_t first = 0, last = items.size() - 1;
  while (items[first]->id != dropped.front().target) ++first;
  while (items[last]->id != dropped.back().target) --last;
  while (first > 0 && (!is_human(*items[first]) || is_small_summary(*items[first - 1]))) --first;
  auto behind = first;  // the last summary of the range
  for (std::size_t i = first; i <= last; ++i) {
    if (!has<Summary>(*items[i])) continue;
    behind = i + 1;
    if (!is_small_summary(*items[i])) first = i + 1;
  }
  while (behind < last && !is_human(*items[behind])) ++behind;
  while (first < last && !is_human(*items[first]) && !has<Summary>(*items[first])) ++first;
  for (const auto from : {first, behind}) {  // beside the earlier ones where it cannot take them in
    if (from >= last) break;
    const auto edits = summarised(conversation, budget, ItemRange{items[from]->id, items[last]->id}, now);
    if (edits.empty()) continue;
    std::size_t at = 0;
    std::erase_if(dropped, [&](const Edit& edit) {  // they are in the order of the items
      while (items[at]->id != edit.target) ++at;
      return at >= from;
    });
    dropped.insert(dropped.end(), edits.begin(), edits.end());
    break;
  }
  return dropped;
}

constinit const Strategy window_strategy{"window", "keep the newest turns, one summary by rules for the rest",
                                         propose_window};

}  // namespace tern
