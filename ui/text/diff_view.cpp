// A unified diff as rows: line numbers, sign, syntax, a tint to the edge, and the words that changed inside a
// changed pair.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <string>
#include <vector>

#include "ui/text/text_safe.h"
#include "ui/text/width.h"
#include "ui/text/wrap.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

struct Line {
  char sign = ' ';
  int number = 0;
  std::string text;
  std::size_t changed_begin = 0, changed_end = 0;  // bytes that differ from the partner line
};

int number_after(std::string_view header, char sign) {
  const std::size_t at = header.find(sign);
  int number = 1;
  if (at != header.npos) std::from_chars(header.data() + at + 1, header.data() + header.size(), number);
  return number;
}

bool continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c < 0; };
  Words words;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && letter(line[end])) ++end;
    if (end > at) words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  std::sort(words.begin(), words.end());
  return words;
}

// Whether the one became the other, or only takes its place: two fifths of the words are the same.
bool related(std::string_view a, std::string_view b) {
  const Words one = words_of(a), two = words_of(b);
  Words both;
  std::set_intersection(one.begin(), one.end(), two.begin(), two.end(), std::back_inserter(both));
  return both.size() * 5 >= std::max(one.size(), two.size()) * 2;
}

// Common head and tail leave the words in the middle; whole characters only.
void mark_changed(Line& removed, Line& added) {
  const std::string &a = removed.text, &b = added.text;
  if (!related(a, b)) return;
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (head > 0 &&
         ((head < a.size() && continuation(a[head])) || (head < b.size() && continuation(b[head]))))
    --head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  while (tail > 0 && continuation(a[a.size() - tail])) --tail;
  removed.changed_begin = added.changed_begin = head;
  removed.changed_end = a.size() - tail;
  added.changed_end = b.size() - tail;
}

void mark_pairs(std::vector<Line>& lines) {
  for (std::size_t i = 0; i < lines.size();) {
    if (lines[i].sign != '-') {
      ++i;
      continue;
    }
    std::size_t middle = i, end = i;
    while (middle < lines.size() && lines[middle].sign == '-') ++middle;
    for (end = middle; end < lines.size() && lines[end].sign == '+';) ++end;
    for (std::size_t k = 0; i + k < middle && middle + k < end; ++k)
      mark_changed(lines[i + k], lines[middle + k]);
    i = std::max(end, i + 1);
  }
}

std::string_view language_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
  if (name == "CMakeLists.txt") return "cmake";
  const std::size_t dot = name.rfind('.');
  return dot == name.npos ? name : name.substr(dot + 1);
}

std::vector<Line> parse(std::string_view diff) {
  std::vector<Line> lines;
  int old_line = 1, new_line = 1;
  bool first_hunk = true;
  for (std::size_t at = 0; at < diff.size();) {
    const std::size_t end = std::min(diff.find('\n', at), diff.size());
    const std::string_view line = diff.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("@@")) {
      old_line = number_after(line, '-');
      new_line = number_after(line, '+');
      if (!first_hunk) lines.push_back({'@', 0, {}});
      first_hunk = false;
    } else if (line.starts_with("\\") ||
               (first_hunk &&
                (line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with("diff ")))) {
      continue;
    } else if (line.starts_with("-")) {
      lines.push_back({'-', old_line++, safe_text(line.substr(1), Lines::one)});
    } else if (line.starts_with("+")) {
      lines.push_back({'+', new_line++, safe_text(line.substr(1), Lines::one)});
    } else {
      lines.push_back({' ', new_line++, safe_text(line.empty() ? line : line.substr(1), Lines::one)});
      ++old_line;
    }
  }
  return lines;
}

// The lexer's spans with the line's tint below them and the changed words' tint above.
std::vector<Span> tinted(const Line& line, std::vector<Span> spans) {
  const Colour tint = line.sign == '+' ? Colour::added_tint : Colour::removed_tint;
  const Colour word = line.sign == '+' ? Colour::added_word : Colour::removed_word;
  std::vector<std::uint32_t> cuts = {0, static_cast<std::uint32_t>(line.text.size()),
                                     static_cast<std::uint32_t>(line.changed_begin),
                                     static_cast<std::uint32_t>(line.changed_end)};
  for (const Span& span : spans) cuts.insert(cuts.end(), {span.begin, span.begin + span.length});
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Span> out;
  std::size_t k = 0;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    while (k < spans.size() && spans[k].begin + spans[k].length <= cuts[i]) ++k;
    Style style = k < spans.size() && spans[k].begin <= cuts[i] ? spans[k].style : Style{};
    const bool changed = cuts[i] >= line.changed_begin && cuts[i] < line.changed_end;
    style.bg = changed ? word : tint;
    out.push_back({cuts[i], cuts[i + 1] - cuts[i], style});
  }
  return out;
}

}  // namespace

Rows diff_rows(std::string_view unified_diff, std::string_view path, int width) {
  std::vector<Line> lines = parse(unified_diff);
  mark_pairs(lines);
  int most = 1;
  for (const Line& line : lines) most = std::max(most, line.number);
  const int digits = static_cast<int>(std::to_string(most).size());
  const std::string_view language = language_of(path);
  Rows rows;
  int state = 0;
  for (const Line& line : lines) {
    if (line.sign == '@') {
      rows.push_back(
          RowBuilder().gutter(std::string(static_cast<std::size_t>(digits), ' ') + " ⋯", muted).take());
      state = 0;
      continue;
    }
    std::string number = std::to_string(line.number);
    number.insert(0, static_cast<std::size_t>(digits) - number.size(), ' ');
    const std::string_view sign = line.sign == '-' ? " − " : line.sign == '+' ? " + " : "   ";
    Style gutter = muted;
    Row row;
    row.text = line.text;
    row.spans = highlight(line.text, language, state);
    if (line.sign != ' ') {
      const bool added = line.sign == '+';
      gutter = {.fg = added ? Colour::good : Colour::bad,
                .bg = added ? Colour::added_edge : Colour::removed_edge};
      row.fill = added ? Colour::added_tint : Colour::removed_tint;
      row.spans = tinted(line, std::move(row.spans));
    }
    const std::string blank(static_cast<std::size_t>(digits) + 3, ' ');
    wrap_into(rows, row, width, number + std::string(sign), blank, gutter);
  }
  return rows;
}

}  // namespace tern
