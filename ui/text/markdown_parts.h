// The parts of a Markdown text that have a layout of their own. Each row of them begins with the prefix of
// what they are in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/text/style.h"

namespace tern {

enum class Align { left, centre, right };
struct TableCell {
  Row row;
  Align align = Align::left;
  bool head = false;
};
using Table = std::vector<std::vector<TableCell>>;

// Columns shrink to fit, widest first, and cells wrap inside their column. Where that cannot be read each
// line is a list.
Rows table_rows(const Table& table, int width, std::string_view prefix);
// Behind a rail, its language at the right of the first row; lines too long are cut at the edge and marked.
Rows code_rows(std::string_view code, std::string_view language, int width, std::string_view prefix);
// "&copy;" and "&#169;" as text; what is not known stays as it is written.
std::string entity_text(std::string_view entity);

}  // namespace tern
