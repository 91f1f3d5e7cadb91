#include "ui/search.h"

#include <algorithm>

namespace tern {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

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
  const auto hit = std::search(begin, text.end(), query.begin(), query.end(), [](char a, char b) { return lower(a) == b; });
  return hit == text.end() ? text.npos : static_cast<std::size_t>(hit - text.begin());
}

void lay_over(Row& row, std::size_t begin, std::size_t end, Style over) {
  std::vector<Span> spans;
  std::size_t at = begin;
  const auto add = [&](std::size_t first, std::size_t last, Style style) {
    if (first < last) spans.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last - first), style});
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

}  // namespace tern
