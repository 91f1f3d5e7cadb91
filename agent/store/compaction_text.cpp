#include "agent/store/compaction_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "compression/text/figures.h"
#include "compression/text/utf8.h"
#include "compression/values/blocks.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

constexpr std::size_t most_points = 18, most_parts = 6, most_edits_text = 4'000;

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

// "none open", "as under 1": a line that only fills its section.
bool says_nothing(std::string_view point) {
  const auto end = point.find_last_not_of(" \t\r.");
  std::string text(point.substr(0, end == std::string_view::npos ? 0 : end + 1));
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text == "none" || text == "n/a" || text == "nothing" || text == "unknown" || text == "无" ||
      text.empty())
    return true;
  const bool refers = text.starts_with("as under ") || text.starts_with("see section ") ||
                      text.starts_with("see under ") || text.starts_with("see above");
  const bool denies = text.starts_with("none ") || text.starts_with("no open ");
  return refers || (denies && text.size() < 24);
}

// A summary line by line: each numbered line or heading opens a section, each list entry or first line below
// one is a point.
class Points {
 public:
  void take(std::string line) {
    for (auto at = line.find("**"); at != std::string::npos; at = line.find("**", at)) line.erase(at, 2);
    const auto first = line.find_first_not_of(" \t-*#"), end = line.find_last_not_of(" \t\r");
    if (first == std::string::npos) return;
    if (line.find_first_of("-*") < first) return add(line.substr(first));
    const auto dot = line.find_first_not_of("0123456789", first), colon = line.find(": ");
    const bool numbered = dot != std::string::npos && dot > first && line[dot] == '.';
    if (numbered || line.starts_with('#')) {
      sections_.emplace_back();
      under_heading_ = line[end] == ':' || colon == std::string::npos;
      if (!under_heading_) add(line.substr(colon + 2));
    } else if (std::exchange(under_heading_, false)) {
      add(line.substr(first));
    }
  }

  // The first point of each section, then the second …, as many as there is room for; in the order of the
  // text.
  std::vector<std::string> chosen(std::size_t most) const {
    std::size_t deep = 0, count = 0;
    std::vector<std::size_t> taken(sections_.size(), 0);
    for (bool more = true; more && count < most; ++deep) {
      more = false;
      for (std::size_t i = 0; i < sections_.size() && count < most; ++i) {
        if (sections_[i].size() <= deep) continue;
        taken[i] = deep + 1, ++count, more = true;
      }
    }
    std::vector<std::string> points;
    for (std::size_t i = 0; i < sections_.size(); ++i)
      points.insert(points.end(), sections_[i].begin(),
                    sections_[i].begin() + static_cast<std::ptrdiff_t>(taken[i]));
    return points;
  }

 private:
  void add(std::string point) {
    under_heading_ = false;
    if (!says_nothing(point)) sections_.back().push_back(std::move(point));
  }
  std::vector<std::vector<std::string>> sections_{1};
  bool under_heading_ = false;
};

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

// Of each kind so many: the lines below, counted, must come to it.
static std::string audit_table(const LossReport& loss) {
  std::map<FactKind, std::array<std::size_t, 3>> kinds;
  for (const auto& fact : loss.stays) ++kinds[fact.kind][0];
  for (const auto& [fate, fact] : loss.lost) ++kinds[fact.kind][fate == Fate::reachable ? 1 : 2];
  std::string text;
  const auto row = [&](std::string_view what, std::size_t kept, std::size_t reachable, std::size_t lost) {
    text += std::string(what) + ": " + std::to_string(kept) + " kept, " + std::to_string(reachable) +
            " by recall, " + std::to_string(lost) + " lost\n";
  };
  std::array<std::size_t, 3> all{};
  for (const auto& [kind, of] : kinds) {
    row(to_string(kind), of[0], of[1], of[2]);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += of[i];
  }
  row("In all", all[0], all[1], all[2]);
  const auto& said = loss.answers;
  if (said.kept + said.reachable + said.dropped > 0)
    row("Sentences of answers", said.kept, said.reachable, said.dropped);
  return text + '\n';
}

std::string full_audit(const LossReport& loss) {
  AuditList list;
  for (const auto& [fate, fact] : loss.lost)
    list.add(fate == Fate::dropped ? "- lost: " : "- by recall: ", fact);
  for (auto fact : loss.stays) {
    fact.recall = {};  // it stands in the context
    list.add("- kept: ", fact);
  }
  return audit_table(loss) + list.text();
}

std::string index_page(const std::string& index) {
  std::string text, line;
  for (std::istringstream in(index); std::getline(in, line); text += line + '\n')
    if (!text.empty() && !line.starts_with("- ")) text += '\n';
  return text;
}

std::vector<std::string> key_points(const std::string& summary, std::size_t limit) {
  Points all;
  std::istringstream lines(summary);
  for (std::string line; std::getline(lines, line);) all.take(std::move(line));
  auto points = all.chosen(most_points);
  for (auto& point : points)
    if (point.size() > limit) point = shortened(point, limit);
  return points;
}

std::string offer_parts(const Conversation& undone, const Conversation& now, Tokens room,
                        std::vector<std::string>& ids) {
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
    if (!is_human(*item) || found == now.end() || found->second == item.get() ||
        found->second->tokens >= item->tokens)
      continue;
    text += (text.empty() ? "" : "; ") + thousands(item->tokens) + " tokens cut to " +
            thousands(found->second->tokens) + (item->recall ? ", whole as " + to_string(item->recall) : "");
  }
  if (text.empty()) return text;
  return "Your message doesn't fit the context window; these parts were left out: " + text +
         ". Nothing is lost: the model reads the rest with Recall, you with /recall or `tern recall`.";
}

}  // namespace tern
