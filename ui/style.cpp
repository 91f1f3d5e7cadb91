#include "ui/style.h"

#include <utility>

#include "ui/width.h"

namespace tern {

RowBuilder& RowBuilder::add(std::string_view text, Style style) {
  if (text.empty()) return *this;
  const auto begin = static_cast<std::uint32_t>(row_.text.size());
  const auto length = static_cast<std::uint32_t>(text.size());
  row_.text += text;
  columns_ += width(text);
  if (style == Style{}) return *this;
  const bool extends =
      !row_.spans.empty() && row_.spans.back().style == style && row_.spans.back().begin + row_.spans.back().length == begin;
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
