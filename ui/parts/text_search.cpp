#include "ui/parts/text_search.h"

#include <algorithm>
#include <utility>

#include "compression/text/plain_text.h"

namespace tern {
namespace {

Style mixed(Style style, Style over) {
  if (over.bg != Colour::none) style.bg = over.bg;
  style.inverse |= over.inverse;
  style.underline |= over.underline;
  return style;
}

}  // namespace

std::size_t find_text(std::string_view text, std::string_view query, std::size_t from) {
  if (from > text.size()) return text.npos;
  const bool exact = std::any_of(query.begin(), query.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (exact) return text.find(query, from);
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(from);
  const auto hit = std::search(begin, text.end(), query.begin(), query.end(),
                               [](char a, char b) { return lower_char(a) == b; });
  return hit == text.end() ? text.npos : static_cast<std::size_t>(hit - text.begin());
}

void lay_over(Row& row, std::size_t begin, std::size_t end, Style over) {
  std::vector<Span> spans;
  std::size_t at = begin;
  const auto add = [&](std::size_t first, std::size_t last, Style style) {
    if (first < last)
      spans.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first), style});
  };
  for (const Span& span : row.spans) {
    const std::size_t first = span.begin, last = span.begin + span.length;
    add(first, std::min(last, begin), span.style);
    if (last > begin && first < end) {
      add(at, std::max(first, begin), over);
      add(std::max(first, begin), std::min(last, end), mixed(span.style, over));
      at = std::min(last, end);
    } else if (first >= end) {
      add(at, end, over);
      at = end;
    }
    add(std::max(first, end), last, span.style);
  }
  add(at, end, over);
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  row.spans = std::move(spans);
}

void mark_hits(Row& row, std::string_view query, bool current) {
  if (query.empty()) return;
  const Style style = current ? Style{.inverse = true} : Style{.underline = true};
  for (std::size_t at = 0; (at = find_text(row.text, query, at)) != std::string::npos; at += query.size())
    lay_over(row, at, at + query.size(), style);
}

namespace {

// As much of the line around rows[at] as a hit that touches this row can reach.
struct Line {
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> begins;  // rows, and where each begins in the text
  std::size_t begin = 0, end = 0, skipped = 0;  // of rows[at] in the text; its gutter, which is not in it
};

Line line_around(const Rows& rows, std::size_t at, std::size_t reach) {
  const auto gutter = [](const Row& row) {
    return row.continued ? std::min<std::size_t>(row.gutter, row.text.size()) : 0;
  };
  std::size_t first = at;
  for (std::size_t above = 0; first > 0 && rows[first].continued && above < reach; --first)
    above += rows[first - 1].text.size();
  Line line;
  for (std::size_t r = first; r < rows.size() && (r == first || rows[r].continued); ++r) {
    line.begins.emplace_back(r, line.text.size());
    if (rows[r].blank_lost && r > first) line.text += ' ';
    if (r == at) line.begin = line.text.size();
    line.text += std::string_view(rows[r].text).substr(gutter(rows[r]));
    if (r == at) line.end = line.text.size();
    if (r > at && line.text.size() >= line.end + reach) break;
  }
  line.skipped = gutter(rows[at]);
  return line;
}

std::size_t row_of(const Line& line, std::size_t byte) {
  std::size_t row = line.begins.front().first;
  for (const auto& [index, begin] : line.begins)
    if (begin <= byte) row = index;
  return row;
}

bool alone(const Rows& rows, std::size_t at) {
  return !rows[at].continued && (at + 1 >= rows.size() || !rows[at + 1].continued);
}

}  // namespace

bool hit_begins(const Rows& rows, std::size_t at, std::string_view query) {
  if (alone(rows, at)) return find_text(rows[at].text, query) != std::string::npos;
  const Line line = line_around(rows, at, query.size());
  for (std::size_t hit = 0; (hit = find_text(line.text, query, hit)) != std::string::npos; ++hit)
    if (row_of(line, hit) == at) return true;
  return false;
}

void mark_hits(Row& row, const Rows& rows, std::size_t at, std::string_view query,
               std::optional<std::size_t> current) {
  if (query.empty()) return;
  if (alone(rows, at)) return mark_hits(row, query, current == at);
  const Line line = line_around(rows, at, query.size());
  for (std::size_t hit = 0; (hit = find_text(line.text, query, hit)) != std::string::npos;
       hit += query.size()) {
    const std::size_t begin = std::max(hit, line.begin), end = std::min(hit + query.size(), line.end);
    const Style style = current == row_of(line, hit) ? Style{.inverse = true} : Style{.underline = true};
    if (begin < end) lay_over(row, begin - line.begin + line.skipped, end - line.begin + line.skipped, style);
  }
}

}  // namespace tern
