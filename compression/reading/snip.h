// Tier 1: a tool result is cut to a size when it enters the context.
#pragma once

#include <string>
#include <string_view>

#include "compression/text/clean_output.h"
#include "compression/values/budget.h"

namespace tern {

struct SnipForm {
  std::size_t limit = 10'000;  // characters; shorter text passes
  double head = 0.30, tail = 0.30;
  bool halves = false;  // the marker between two halves of the limit
  OutputKind kind = OutputKind::log;
  std::string_view language;  // of a file, for its outline
};

// What the limit of a result depends on besides the result.
struct Arrival {
  double share = 1;     // of the effective window, used when the result enters
  bool ranged = false;  // the call asked for some lines only
  std::string file;     // what a recalled original was read from
};

// The limits by what enters: `relaxed_limit` while less than 40 % of the window is used, then `snip_limit`;
// `read_limit` for a file or a recalled original, twice that for a range of it. In a small window no result
// takes more than about a twelfth of it (at 4 characters a token; a range twice that), but `snip_limit`
// always comes in. In halves `max_tool_output` rules alone.
SnipForm snip_form(const ToolResult& result, const Budget& budget, const Arrival& arrival);

// Snips each full result of an item, once, when it enters: text over the limit keeps head, tail and the error
// lines of the middle.
Item snip(Item item, const Budget& budget, const Arrival& arrival = {});

// Source text keeps its lines exact; a log file that was read is a log.
OutputKind output_kind(const ToolResult& result);

// Cleaned, then head and tail on line boundaries; the marker between them gives exact counts and the recall
// id, and below it stand the error lines of the middle with their line numbers, or the outline of a file.
// Never larger than the input; the second time nothing changes. In halves the marker says the same, no error
// lines follow, and all of it keeps to the limit.
std::string snip_text(std::string_view text, const SnipForm& form, RecallId recall);

}  // namespace tern
