// Text as rows of a given width: wrapping, Markdown, code and diffs. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "ui/text/style.h"

namespace tern {

constexpr int longest_prose = 110;  // columns of running text; tables and code may use all

// Greedy wrap at spaces with whole clusters; `first` and `rest` are gutters drawn before the first and the
// other rows. Spans of the row are carried over. Text holds no newline.
void wrap_into(Rows& out, const Row& row, int width, std::string_view first = "", std::string_view rest = "",
               Style gutter_style = {});

struct WrapStyle {
  std::string_view first = {}, rest = {};  // gutters
  Style text = {}, gutter = {};
};
// The same for text of several lines; the background of its style reaches the edge.
void wrap_text(Rows& out, std::string_view safe, int width, const WrapStyle& look);
std::string_view without_last_newline(std::string_view text);
Rows markdown_rows(std::string_view markdown, int width);  // markdown.cpp (md4c)
std::vector<Span> highlight(std::string_view line, std::string_view language,
                            int& state);  // highlight.cpp; state across lines
Rows diff_rows(std::string_view unified_diff, std::string_view path, int width);  // diff_view.cpp

}  // namespace tern
