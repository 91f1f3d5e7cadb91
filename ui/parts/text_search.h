// Finding words in rows and showing where they are: the same in the transcript and on every page.
#pragma once

#include <optional>
#include <string_view>

#include "ui/text/style.h"

namespace tern {

// From byte `from` on; ignores case unless the query has capitals. npos: not there.
std::size_t find_text(std::string_view text, std::string_view query, std::size_t from = 0);
// Lays the background, inversion and underline of `over` upon the bytes [begin, end) and keeps their colours.
void lay_over(Row& row, std::size_t begin, std::size_t end, Style over);
// A row of `rows` and those continued from it are one line of text: a hit may begin in one row and end in
// another.
bool hit_begins(const Rows& rows, std::size_t at, std::string_view query);
// Marks every hit in `row`, a copy of rows[at]; the one that begins in rows[current] stands out.
void mark_hits(Row& row, const Rows& rows, std::size_t at, std::string_view query,
               std::optional<std::size_t> current);
// Every place of the query in the row; the row of the current hit stands out.
void mark_hits(Row& row, std::string_view query, bool current);

}  // namespace tern
