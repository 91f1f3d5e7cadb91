// The shape every request must have. check() names each fault; repair() mends what a crash or a cut stream
// left behind.
#pragma once

#include <string>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

struct Problem {
  ItemId item;
  std::string what;
};

// Every call answered by exactly one result in the next message, results only for calls of the message
// before, roles in order (first non-system item is the user's; assistant messages never adjacent), never an
// empty text.
std::vector<Problem> check(const Conversation& conversation);

// What an edit must not do besides: system items untouched, pinned items byte-identical, tokens never grown.
std::vector<Problem> check_edit(const Conversation& before, const Conversation& after);

// A conversation that passes check(): unanswered calls get an "interrupted" result with a stable id, orphan
// results leave, empty texts leave, adjacent assistant messages are joined (user messages stay apart: each
// keeps its id and its pin). Unchanged items keep their pointer.
Conversation repair(const Conversation& conversation);

}  // namespace tern
