// The outline of a part of a file: the lines that define something, each with its line number, so that the
// next read of the file asks for the right lines.
#pragma once

#include <string>
#include <string_view>

namespace tern {

// Functions and types of the languages in source_words.h, headings of Markdown, the upper keys of JSON, YAML
// and TOML: those between the bytes `from` and `to` of `text`. Numbers are those the text prints before its
// lines, else lines are counted from
// 1. A header says how many lines there are; where not all fit `limit` characters the outer levels come first
// and the rest is thinned evenly. Empty when there is nothing to show. Never longer than half of the part.
std::string file_outline(std::string_view text, std::size_t from, std::size_t to, std::string_view language,
                         std::size_t limit);

}  // namespace tern
