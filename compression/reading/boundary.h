// Where to cut a conversation in two: the best-scored place near a target, each term of the score a function
// of its own. A place is the index of the first item that stays; the item before it is the last that goes.
#pragma once

#include <optional>
#include <string>

#include "compression/values/conversation.h"

namespace tern {

bool after_tool_result(const Conversation& conversation, std::size_t index);  // +50
bool after_assistant(const Conversation& conversation, std::size_t index);    // +30
bool in_tool_sequence(const Conversation& conversation,
                      std::size_t index);  // -100: call -> result, or a text naming the result's id
bool conversation_break(const Conversation& conversation,
                        std::size_t index);  // +20: user -> user, 5 minutes, a phrase
bool near_errors(const Conversation& conversation, std::size_t index);   // -30
bool topic_change(const Conversation& conversation, std::size_t index);  // +25

// "new question", "moving on", 换个话题 … in a text the person opens with.
bool has_break_phrase(std::string_view text);

int boundary_score(const Conversation& conversation, std::size_t index);  // 100 and the terms

// Whether a cut there would part a call from its result: never allowed, whatever the score.
bool parts_a_pair(const Conversation& conversation, std::size_t index);

struct BoundarySearch {
  double ratio = 0.5;  // of the items that go
  std::size_t window = 5, least_before = 10, least_after = 5;
  std::size_t latest = static_cast<std::size_t>(-1);  // no place behind this one
};
struct Boundary {
  std::size_t index = 0;
  int score = 0;
  std::string why;  // the terms that spoke
};
std::optional<Boundary> find_boundary(const Conversation& conversation, const BoundarySearch& search = {});

}  // namespace tern
