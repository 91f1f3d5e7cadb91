// "// ... rest of code": finds the lines that stand in for text the model did not write out, and no others.
// Such a line is a comment, or stands in brackets or behind dots; what it says is whole words about code that
// stays.
#include <algorithm>
#include <array>
#include <cctype>

#include "tools/files/edit_match.h"
#include "tools/files/fold.h"

namespace tern {

namespace {

constexpr std::size_t longest = 120;
using Words = std::vector<std::string>;

constexpr std::array nouns = {
    "code",     "codes",     "method",  "methods",   "function", "functions", "implementation",
    "content",  "contents",  "line",    "lines",     "file",     "files",     "import",
    "imports",  "test",      "tests",   "class",     "classes",  "field",     "fields",
    "logic",    "body",      "module",  "component", "styles",   "props",     "implementations",
    "handlers", "constants", "section", "document",  "script",   "program",   "definitions"};
constexpr std::array abouts = {"rest",     "existing",   "unchanged", "remaining", "remains", "remainder",
                               "previous", "omitted",    "other",     "keep",      "stays",   "stay",
                               "remain",   "unmodified", "original",  "same"};
constexpr std::array fillers = {"of",     "the",   "this",   "your",    "as",  "is",  "are",
                                "before", "above", "below",  "in",      "and", "all", "here",
                                "goes",   "these", "intact", "exactly", "from"};

template <class List>
bool in(const List& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

Words words_of(std::string_view text) {
  Words words(1);
  for (char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool has_phrase(const Words& words, std::initializer_list<const char*> phrase) {
  return std::search(words.begin(), words.end(), phrase.begin(), phrase.end()) != words.end();
}

bool take_front(std::string_view& text, std::string_view mark) {
  if (text.substr(0, mark.size()) != mark) return false;
  text = trimmed(text.substr(mark.size()));
  return true;
}

bool take_back(std::string_view& text, std::string_view mark) {
  if (text.size() < mark.size() || text.substr(text.size() - mark.size()) != mark) return false;
  text = trimmed(text.substr(0, text.size() - mark.size()));
  return true;
}

// The words of a comment line, without its marks. False: it is none.
bool take_comment(std::string_view& text) {
  constexpr std::array opens = {"{/*", "/*", "///", "//", "<!--", "##", "#", "--", ";;", ";", "%", "*"};
  constexpr std::array closes = {"*/}", "*/", "-->"};
  if (std::none_of(opens.begin(), opens.end(), [&](const char* mark) { return take_front(text, mark); }))
    return false;
  std::any_of(closes.begin(), closes.end(), [&](const char* mark) { return take_back(text, mark); });
  return true;
}

bool take_brackets(std::string_view& text) {
  for (const std::string_view pair : {"[]", "()", "<>", "{}"}) {
    if (text.size() < 2 || text.front() != pair[0] || text.back() != pair[1]) continue;
    text = trimmed(text.substr(1, text.size() - 2));
    return true;
  }
  return false;
}

struct Dots {
  bool first = false, last = false;  // at all
  bool apart = false;                // with a blank beside
};

Dots take_dots(std::string_view& text) {
  Dots dots;
  for (const std::string_view mark : {"...", "…"}) {
    const std::string_view before = text;
    if (!dots.first && take_front(text, mark)) {
      dots.first = true;
      dots.apart = dots.apart || (before.size() > mark.size() && before[mark.size()] == ' ');
    }
  }
  for (const std::string_view mark : {"...", "…"}) {
    const std::string_view before = text;
    if (!dots.last && take_back(text, mark)) {
      dots.last = true;
      dots.apart =
          dots.apart || (before.size() > mark.size() && before[before.size() - mark.size() - 1] == ' ');
    }
  }
  return dots;
}

// Nothing but that something stays: "rest of the code stays the same", "unchanged", "same as before".
bool says_only_that(const Words& words) {
  const bool only = std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return in(nouns, word) || in(abouts, word) || in(fillers, word);
  });
  return only && (has_phrase(words, {"rest", "of"}) || has_phrase(words, {"unchanged"}) ||
                  has_phrase(words, {"same", "as", "before"}));
}

bool speaks_of_code_that_stays(const Words& words) {
  const auto count = [&](const auto& list) {
    return std::count_if(words.begin(), words.end(), [&](const std::string& word) { return in(list, word); });
  };
  const auto unknown =
      static_cast<std::ptrdiff_t>(words.size()) - count(nouns) - count(abouts) - count(fillers);
  const bool named =
      count(nouns) > 0 || has_phrase(words, {"rest", "of"}) || has_phrase(words, {"same", "as", "before"});
  return unknown <= 2 && ((count(abouts) > 0 && named) || in(words, "unchanged") || in(words, "omitted"));
}

bool is_placeholder(std::string_view text) {
  if (text.size() < 6 || text.size() > longest) return false;
  const bool comment = take_comment(text);
  const bool bracketed = take_brackets(text);
  if (!comment && text.find_first_of("=;\"'(){}") != text.npos) return false;
  const Dots dots = take_dots(text);
  const bool inner = take_brackets(text);
  const Words words = words_of(text);
  if (words.empty()) return false;
  if ((comment || bracketed || inner) && says_only_that(words)) return true;
  const bool dotted =
      comment || bracketed ? dots.apart || (dots.first && dots.last) : dots.first && dots.apart;
  if (!dotted) return false;
  if (dots.first && dots.last && words.size() == 1 && in(nouns, words.front())) return true;
  return speaks_of_code_that_stays(words);
}

}  // namespace

std::string find_placeholder(std::string_view new_text, std::string_view old_text) {
  for (const auto& line : lines_of(new_text)) {
    const std::string_view body = trimmed(line.body);
    if (is_placeholder(body) && old_text.find(body) == std::string_view::npos) return std::string(body);
  }
  return {};
}

}  // namespace tern
