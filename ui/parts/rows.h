// A cell of the transcript as rows of a given width. Pure; cached by transcript.h per cell version and width.
#pragma once

#include "ui/style.h"
#include "ui/view.h"

namespace tern {

struct RowOptions {
  int width = 80;
  bool unfold_all = false;  // Ctrl-O: verbose
  int folded_lines = 4;     // how much of a tool's output shows when folded
  int live_lines = 6;       // of a running command's tail
};
Rows rows_of(const Cell& cell, const RowOptions& options);
// What a compaction that did not come about says: cancelled is not failed.
std::string not_compacted(const Compaction& compaction);

// A growing answer: blocks that are complete are rendered once, only the last one again with each delta.
struct StreamRows {
  Rows rows;
  std::size_t stable_rows = 0, stable_bytes = 0;
};
void stream_rows(StreamRows& stream, const AssistantCell& cell, const RowOptions& options);

// Greedy wrap at spaces with whole clusters; `first` and `rest` are gutters drawn before the first and the other rows.
// Spans of the row are carried over. Text holds no newline.
void wrap_into(Rows& out, const Row& row, int width, std::string_view first = "", std::string_view rest = "",
               Style gutter_style = {});

Rows markdown_rows(std::string_view markdown, int width, bool streaming);                   // markdown.cpp (md4c)
std::vector<Span> highlight(std::string_view line, std::string_view language, int& state);  // highlight.cpp; state across lines
Rows diff_rows(std::string_view unified_diff, std::string_view path, int width);            // diff_view.cpp

}  // namespace tern
