// Tier 2: old tool results become one line each, with the lines that name what the assistant has since
// written. One deep batch, so that the prompt cache breaks once: everything after the first edited result is
// written anew.
#pragma once

#include <string>
#include <vector>

#include "compression/values/budget.h"
#include "compression/values/context_edit.h"

namespace tern {

struct MicroForm {
  Tokens target = 0;         // estimated tokens the items come down to; 0 takes all that may be taken
  double oldest = 0.5;       // share of the messages, from the oldest, that is taken first
  double kept_lines = 0.12;  // of a result's size, for lines that name what was since written
};

// The oldest half first; what is newer only when the target is not met by then, so that one cut is deep and
// the next is far off. In each half superseded results first, then large file reads, then other results,
// errors last; oldest first in each class. Never the protected zone, never what is compacted already, never
// where nothing is gained.
Edits microcompact(const Conversation& conversation, const Budget& budget, const MicroForm& form);

// --- the same by a small model, as two pure halves
// ----------------------------------------------------------------------

struct MicroRequest {
  std::string instructions, input;  // all results of the batch, numbered
  Tokens max_output = 0;            // at most 100 for each result
};
// `edits` are what microcompact proposed; the originals are read from the conversation before them.
MicroRequest micro_request(const Conversation& conversation, const Edits& edits);

// The edits with the model's line in place of the local one. A line that is missing, empty or over its 100
// tokens leaves the local one standing.
Edits with_micro_answer(const Conversation& conversation, Edits edits, std::string_view answer);

}  // namespace tern
