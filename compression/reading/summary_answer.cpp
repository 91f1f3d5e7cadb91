#include "compression/reading/summary_answer.h"

#include <algorithm>
#include <initializer_list>

#include "compression/reading/summary_prompt.h"
#include "compression/text/plain_text.h"

namespace tern {

namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::string_view blanks = " \t\r\n";

std::string opening(std::string_view name) { return "<" + std::string(name) + ">"; }
std::string closing(std::string_view name) { return "</" + std::string(name) + ">"; }

constexpr SummaryStyle styles[] = {SummaryStyle::sections, SummaryStyle::snapshot};

bool begins_line(std::string_view text, std::size_t at) {
  const auto before = text.substr(0, at).find_last_not_of(" \t");
  return before == npos || text[before] == '\n';
}

// A tag that opens stands at the start of a line, or right before a line's end, a heading or a tag; one in a
// sentence does not.
bool opens(std::string_view text, std::size_t at, std::size_t size) {
  if (begins_line(text, at) || at + size >= text.size()) return true;
  const char next = text[at + size];
  return next == '\n' || next == '\r' || next == '#' || next == '*' || next == '<' ||
         (next >= '0' && next <= '9');
}

enum class Unsure { first, last };  // which to take when none of several opens
std::size_t find_opening(std::string_view text, std::string_view name, std::size_t from, Unsure unsure) {
  const auto tag = opening(name);
  std::size_t other = npos;
  for (auto at = text.find(tag, from); at != npos; at = text.find(tag, at + 1)) {
    if (opens(text, at, tag.size())) return at;
    if (other == npos || unsure == Unsure::last) other = at;
  }
  return other;
}

// A text and its lower case, cut alike.
struct Folded {
  std::string text, low;

  explicit Folded(std::string_view t) : text(t), low(lowered(t)) {}
  void erase(std::size_t from, std::size_t to) {
    text.erase(from, to - from);
    low.erase(from, to - from);
  }
};

bool followed_by(std::string_view low, std::size_t at, std::string_view tag) {
  const auto next = low.find_first_not_of(blanks, at);
  return next != npos && low.substr(next).starts_with(tag);
}

// Behind the end of a private part that opens at `begin`: the closing tag that the answer follows, else the
// first one; where it was never closed, the place the answer opens at, else the end of the text.
std::size_t end_of_private(std::string_view low, std::size_t begin, std::string_view thinking,
                           std::string_view answer) {
  const auto tag = closing(thinking);
  const auto first = low.find(tag, begin);
  for (auto at = first; at != npos; at = low.find(tag, at + 1)) {
    if (followed_by(low, at + tag.size(), opening(answer))) return at + tag.size();
  }
  const auto open = find_opening(low, answer, begin, Unsure::last);
  const bool closed =
      first != npos && (open == npos || first < open || low.find(opening(answer), first) != npos);
  return closed ? first + tag.size() : std::min(open, low.size());
}

// Of what comes before the answer, all that is private.
void strip_front(Folded& all, std::string_view answer) {
  for (const auto style : styles) {
    const auto thinking = summary_tags(style).thinking;
    const auto tag = opening(thinking);
    for (auto at = all.low.find(tag); at != npos; at = all.low.find(tag, at)) {
      const auto open = find_opening(all.low, answer, 0, Unsure::first);
      if (open < at) break;
      all.erase(at, end_of_private(all.low, at, thinking, answer));
    }
  }
}

// Inside the answer a thought is one only where it opens a line and is closed, or opens the answer itself.
void strip_inside(Folded& all) {
  for (const auto style : styles) {
    const auto thinking = summary_tags(style).thinking;
    const auto tag = opening(thinking), end = closing(thinking);
    for (std::size_t at = all.low.find(tag); at != npos; at = all.low.find(tag, at)) {
      const bool leads = all.low.find_first_not_of(blanks) == at;
      const auto close = all.low.find(end, at);
      if (leads || (begins_line(all.low, at) && close != npos))
        all.erase(at, close == npos ? all.low.size() : close + end.size());
      else
        ++at;
    }
  }
}

// The closing tag that ends the answer: the last, unless thoughts follow an earlier one.
std::size_t find_closing(std::string_view low, std::string_view name) {
  const auto tag = closing(name);
  for (auto at = low.find(tag); at != npos; at = low.find(tag, at + 1)) {
    for (const auto style : styles) {
      if (followed_by(low, at + tag.size(), opening(summary_tags(style).thinking))) return at;
    }
  }
  return low.rfind(tag);
}

// Behind the closing tag nothing of the answer may follow: a fence's end and thoughts are none of it.
bool ends_there(std::string_view low, std::size_t at) {
  at = low.find_first_not_of(blanks, at);
  if (at == npos) return true;
  const auto rest = low.substr(at);
  for (const auto style : styles) {
    if (rest.starts_with(opening(summary_tags(style).thinking))) return true;
  }
  return rest.starts_with("```") && rest.find_first_not_of(blanks, 3) == npos;
}

}  // namespace

SummaryStyle style_of_answer(std::string_view answer, SummaryStyle otherwise) {
  const auto low = lowered(answer);
  std::size_t first = low.size();
  auto found = otherwise;
  for (const auto style : styles) {
    const auto name = summary_tags(style).answer;
    const auto at = find_opening(low, name, 0, Unsure::first);
    if (at >= first || !opens(low, at, opening(name).size())) continue;
    first = at;
    found = style;
  }
  return found;
}

ParsedSummary summary_answer(std::string_view answer, SummaryStyle style) {
  style = style_of_answer(answer, style);
  for (const auto with : {style, styles[style == styles[0] ? 1 : 0]}) {
    const auto name = summary_tags(with).answer;
    Folded all(answer);
    strip_front(all, name);
    const auto open = find_opening(all.low, name, 0, Unsure::first);
    const auto begin = open == npos ? 0 : open + opening(name).size();
    const auto end = find_closing(std::string_view(all.low).substr(begin), name);
    if (open == npos && end == npos && with == style) continue;
    ParsedSummary found{.opened = open != npos};
    found.closed = end != npos && ends_there(all.low, begin + end + closing(name).size());
    Folded inner(std::string_view(all.text).substr(begin, end));
    strip_inside(inner);
    found.text = std::move(inner.text);
    return found;
  }
  return {};
}

}  // namespace tern
