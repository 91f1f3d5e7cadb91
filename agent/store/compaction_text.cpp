#include "agent/compaction_text.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "agent/cost.h"
#include "compression/blocks.h"
#include "compression/tokens.h"
#include "compression/utf8.h"

namespace tern {
namespace {

constexpr std::size_t most_points = 12, most_parts = 6, most_edits_text = 4'000;

std::string first_words(const Item& item) {
  for (const auto& block : item.blocks) {
    if (const auto* text = std::get_if<Text>(&block))
      return text->text.substr(0, utf8_floor(text->text, std::min<std::size_t>(text->text.find('\n'), 60)));
    if (const auto* result = std::get_if<ToolResult>(&block)) return result->tool + ' ' + result->subject;
    if (std::holds_alternative<Summary>(block)) return "an earlier summary";
  }
  return "a message";
}

// One line for each sentence; names of one fate, kind and id share a line.
class AuditList {
 public:
  void add(const char* fate, const Fact& fact) {
    const std::string kind(to_string(fact.kind)), id = fact.recall ? to_string(fact.recall) : std::string();
    if (fact.kind == FactKind::rule || fact.kind == FactKind::command || fact.kind == FactKind::error) {
      lines_.push_back(fate + kind + "  " + fact.text + (id.empty() ? "" : "  " + id));
      return;
    }
    const auto head = fate + kind + (id.empty() ? "" : ' ' + id) + ':';
    const auto [at, fresh] = open_.try_emplace(head, lines_.size());
    if (!fresh && lines_[at->second].size() + fact.text.size() > longest_line) at->second = lines_.size();
    if (at->second == lines_.size()) lines_.push_back(head);
    auto& line = lines_[at->second];
    line += (line.size() > head.size() ? ", " : " ") + fact.text;
  }
  std::string text() const {
    std::string text;
    for (const auto& line : lines_) text += line + '\n';
    return text;
  }

 private:
  static constexpr std::size_t longest_line = 160;
  std::vector<std::string> lines_;
  std::unordered_map<std::string, std::size_t> open_;
};

// What a line says of its own: a list entry, what stands behind a numbered heading, or a line right under one.
std::string point_of(std::string line, bool& under_heading) {
  for (auto at = line.find("**"); at != std::string::npos; at = line.find("**", at)) line.erase(at, 2);
  const auto first = line.find_first_not_of(" \t-*#");
  if (first == std::string::npos) return {};
  const bool under = std::exchange(under_heading, false);
  if (line.find_first_of("-*") < first) return line.substr(first);
  const auto dot = line.find_first_not_of("0123456789", first), colon = line.find(": "), end = line.find_last_not_of(" \t\r");
  const bool numbered = dot != std::string::npos && dot > first && line[dot] == '.';
  under_heading = numbered && line[end] == ':';
  if (under_heading) return {};
  if (numbered && colon != std::string::npos) return line.substr(colon + 2);
  return under ? line.substr(first) : std::string();
}

// At a blank, else between two characters.
std::string shortened(const std::string& text, std::size_t limit) {
  const auto blank = text.find_last_of(' ', limit);
  return text.substr(0, blank == std::string::npos || blank == 0 ? utf8_floor(text, limit) : blank) + " …";
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
  AuditList list;
  for (const auto& [fate, fact] : loss.lost) list.add(fate == Fate::dropped ? "- lost: " : "- by recall: ", fact);
  for (auto fact : loss.stays) {
    fact.recall = {};  // it stands in the context
    list.add("- kept: ", fact);
  }
  return list.text();
}

std::string index_page(const std::string& index) {
  std::string text, line;
  for (std::istringstream in(index); std::getline(in, line); text += line + '\n')
    if (!text.empty() && !line.starts_with("- ")) text += '\n';
  return text;
}

std::vector<std::string> key_points(const std::string& summary, std::size_t limit) {
  std::vector<std::string> points;
  std::istringstream lines(summary);
  bool under_heading = false;
  for (std::string line; points.size() < most_points && std::getline(lines, line);) {
    auto point = point_of(line, under_heading);
    if (point.empty() || point == "none" || point == "None" || point == "none.") continue;
    if (point.size() > limit) point = shortened(point, limit);
    points.push_back(std::move(point));
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
