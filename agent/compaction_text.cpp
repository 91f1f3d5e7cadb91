#include "agent/compaction_text.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "agent/cost.h"
#include "compression/blocks.h"
#include "compression/tokens.h"

namespace tern {
namespace {

constexpr std::size_t most_points = 12, most_parts = 6, most_edits_text = 4'000;

std::string first_words(const Item& item) {
  for (const auto& block : item.blocks) {
    if (const auto* text = std::get_if<Text>(&block))
      return text->text.substr(0, std::min<std::size_t>(text->text.find('\n'), 60));
    if (const auto* result = std::get_if<ToolResult>(&block)) return result->tool + ' ' + result->subject;
    if (std::holds_alternative<Summary>(block)) return "an earlier summary";
  }
  return "a message";
}

std::string line_of(const Fact& fact, const char* fate) {
  return std::string(fate) + std::string(to_string(fact.kind)) + "  " + fact.text +
         (fact.recall ? "  " + to_string(fact.recall) : "") + '\n';
}

struct Part {
  std::string id, what;
  Tokens tokens = 0;
};

// Results that stand whole in one conversation and not in the other.
std::vector<Part> parts_between(const Conversation& undone, const Conversation& now) {
  std::unordered_set<const Item*> standing;
  for (const auto& item : now.items) standing.insert(item.get());
  std::vector<Part> parts;
  for (const auto& item : undone.items) {
    if (standing.count(item.get())) continue;
    for (const auto& block : item->blocks)
      if (const auto* result = std::get_if<ToolResult>(&block); result && result->recall)
        parts.push_back({to_string(result->recall), result->tool + ' ' + result->subject, estimate(block)});
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.tokens > b.tokens; });
  return parts;
}

}  // namespace

std::string describe_range(const std::vector<ItemPtr>& items) {
  if (items.empty()) return "nothing";
  if (items.size() == 1) return "one message, \"" + first_words(*items.front()) + '"';
  return std::to_string(items.size()) + " messages, from \"" + first_words(*items.front()) + "\" to \"" +
         first_words(*items.back()) + '"';
}

std::string describe_edits(const Edits& edits) {
  std::string text;
  std::size_t more = 0;
  for (const auto& edit : edits) {
    if (text.size() > most_edits_text)
      ++more;
    else
      text += "- " + edit.why.unit + ": " + edit.why.why + " (" + thousands(edit.saved) + " tokens)\n";
  }
  return more ? text + "… and " + std::to_string(more) + " more\n" : text;
}

std::string full_audit(const LossReport& loss) {
  std::string text;
  for (const auto& [fate, fact] : loss.lost) text += line_of(fact, fate == Fate::dropped ? "- lost: " : "- by recall: ");
  for (const auto& fact : loss.stays) text += line_of(fact, "- kept: ");
  return text;
}

std::string index_page(const std::string& index) {
  std::string text, line;
  for (std::istringstream in(index); std::getline(in, line); text += line + '\n')
    if (!text.empty() && !line.starts_with("- ")) text += '\n';
  return text;
}

std::vector<std::string> key_points(const std::string& summary, std::size_t limit) {
  std::vector<std::string> points;
  for (std::size_t at = 0; at < summary.size() && points.size() < most_points;) {
    const auto end = std::min(summary.find('\n', at), summary.size());
    auto line = summary.substr(at, end - at);
    at = end + 1;
    const auto first = line.find_first_not_of(" \t-*");
    if (first == std::string::npos || first == 0 || line.find_first_of("-*") > first) continue;
    line = line.substr(first);
    if (line.size() > limit) line = line.substr(0, line.find_last_of(' ', limit)) + " …";
    points.push_back(std::move(line));
  }
  return points;
}

std::string offer_parts(const Conversation& undone, const Conversation& now, Tokens room, std::vector<std::string>& ids) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& part : parts_between(undone, now)) {
    if (shown == most_parts || part.tokens > room) continue;
    ++shown;
    text += (text.empty() ? "" : " · ") + part.id + "  " + part.what + "  " + thousands(part.tokens);
    if (part.tokens > room) continue;
    room -= part.tokens;
    ids.push_back(part.id);
  }
  return text;
}

std::string cut_messages(const Conversation& before, const Conversation& after) {
  std::unordered_map<std::uint64_t, const Item*> now;
  for (const auto& item : after.items) now[item->id.value] = item.get();
  std::string text;
  for (const auto& item : before.items) {
    const auto found = now.find(item->id.value);
    if (!is_human(*item) || found == now.end() || found->second == item.get() || found->second->tokens >= item->tokens) continue;
    text += (text.empty() ? "" : "; ") + thousands(item->tokens) + " tokens cut to " + thousands(found->second->tokens) +
            (item->recall ? ", whole as " + to_string(item->recall) : "");
  }
  if (text.empty()) return text;
  return "What you wrote does not fit the context window and is sent with parts left out: " + text +
         ". Nothing is lost: the model reads the rest with Recall, you with /recall or `tern recall`.";
}

}  // namespace tern
