// A cell of the transcript as rows of a given width. Pure; cached by transcript.h per cell version and width.
#pragma once

#include "ui/parts/view.h"
#include "ui/text/style.h"
#include "ui/text/wrap.h"

namespace tern {

struct RowOptions {
  int width = 80;
  bool unfold_all = false;  // Ctrl-O: verbose
  int folded_lines = 4;     // how much of a tool's output shows when folded
  int own_lines = 20;       // … when the user ran it
  int live_lines = 6;       // of a running command's tail
};
Rows rows_of(const Cell& cell, const RowOptions& options);
Rows tool_rows(const ToolCell& body, const RowOptions& options, Tier left_context, bool open);
// What a compaction that did not come about says: cancelled is not failed.
std::string not_compacted(const Compaction& compaction);

// A growing answer: blocks that are complete are rendered once, only the last one again with each delta.
struct StreamRows {
  Rows rows;
  std::size_t stable_rows = 0, stable_bytes = 0;
};
void stream_rows(StreamRows& stream, const AssistantCell& cell, const RowOptions& options);

// Behind a rail; of more than `most` rows that many, and a row that says how many there are.
Rows folded(Rows inner, std::size_t most, bool open);
std::string more_lines(std::size_t hidden, std::string_view which = "more");

}  // namespace tern
