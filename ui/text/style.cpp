#include "ui/text/style.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ui/text/width.h"

namespace tern {

void append(Row& to, const Row& from, std::size_t begin, std::size_t end) {
  const auto shift = static_cast<std::uint32_t>(to.text.size());
  end = std::min(end, from.text.size());
  for (const Span& span : from.spans) {
    const std::size_t first = std::max<std::size_t>(span.begin, begin);
    const std::size_t last = std::min<std::size_t>(span.begin + span.length, end);
    if (first >= last) continue;
    to.spans.push_back({static_cast<std::uint32_t>(first - begin) + shift,
                        static_cast<std::uint32_t>(last - first), span.style});
  }
  to.text.append(from.text, begin, end - begin);
}

void append(Rows& to, Rows from) { std::move(from.begin(), from.end(), std::back_inserter(to)); }

Row indented(const Row& row, std::string_view gutter, Style style) {
  Row made = RowBuilder().gutter(gutter, style).take();
  append(made, row);
  made.gutter += row.gutter;
  made.trailer = row.trailer;
  made.continued = row.continued;
  made.blank_lost = row.blank_lost;
  made.fill = row.fill;
  return made;
}

RowBuilder& RowBuilder::add(std::string_view text, Style style) {
  if (text.empty()) return *this;
  const auto begin = static_cast<std::uint32_t>(row_.text.size());
  const auto length = static_cast<std::uint32_t>(text.size());
  row_.text += text;
  columns_ += width(text);
  if (style == Style{}) return *this;
  const bool extends = !row_.spans.empty() && row_.spans.back().style == style &&
                       row_.spans.back().begin + row_.spans.back().length == begin;
  if (extends)
    row_.spans.back().length += length;
  else
    row_.spans.push_back({begin, length, style});
  return *this;
}

RowBuilder& RowBuilder::gutter(std::string_view text, Style style) {
  add(text, style);
  row_.gutter = static_cast<std::uint32_t>(row_.text.size());
  return *this;
}

RowBuilder& RowBuilder::fill_to(int columns, Style style) {
  if (columns_ < columns) add(std::string(static_cast<std::size_t>(columns - columns_), ' '), style);
  return *this;
}

Row RowBuilder::take() {
  columns_ = 0;
  return std::exchange(row_, {});
}

}  // namespace tern
