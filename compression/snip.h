// Tier 1: what a tool wrote, cut to a size when it enters the context. Item-level snip() is declared in plan.h.
#pragma once

#include <string>
#include <string_view>

#include "compression/budget.h"
#include "compression/clean_output.h"

namespace tern {

struct SnipForm {
  std::size_t limit = 10'000;  // characters; shorter text passes
  double head = 0.30, tail = 0.30;
  bool halves = false;  // the marker between two halves of the limit
  OutputKind kind = OutputKind::log;
};
SnipForm snip_form(const CompressionConfig& config);

// Source text keeps its lines exact; a log file that was read is a log.
OutputKind output_kind(const ToolResult& result);

// Cleaned, then head and tail on line boundaries; the marker between them gives exact counts and the recall id, and below it
// stand the error lines of the middle with their line numbers. Never larger than the input; the second time nothing changes.
// In halves the marker says the same, no error lines follow, and all of it keeps to the limit.
std::string snip_text(std::string_view text, const SnipForm& form, RecallId recall);

}  // namespace tern
