// Finding words in rows and showing where they are: the same in the transcript and on every page.
#pragma once

#include <string_view>

#include "ui/style.h"

namespace tern {

// From byte `from` on; ignores case unless the query has capitals. npos: not there.
std::size_t find_text(std::string_view text, std::string_view query, std::size_t from = 0);
// Lays the background, inversion and underline of `over` upon the bytes [begin, end) and keeps their colours.
void lay_over(Row& row, std::size_t begin, std::size_t end, Style over);
// Every place of the query in the row; the row of the current hit stands out.
void mark_hits(Row& row, std::string_view query, bool current);

}  // namespace tern
