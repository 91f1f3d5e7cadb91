// What a person takes out of the context item by item, without a summary. Pure: whoever calls logs the edits
// and applies them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compression/values/context_edit.h"

namespace tern {

// A result with its call, or what else a message says.
struct HandUnit {
  ItemId item;
  std::optional<std::size_t> result;  // its block; none: the words, pictures and summaries of the message
  std::string id;                     // how a person names it: "r17", or "m12" where there is no original
  std::string kind, subject;          // "Read", "src/a.cpp"; "you", the first words
  Tokens tokens = 0;
  bool pinned = false;
  bool shortened = false;  // by whatever tier, or by hand
};

// Everything a person may take out, in the order of the context.
std::vector<HandUnit> hand_units(const Conversation& conversation);
std::vector<HandUnit> hand_units(const Item& item, const Item* before);

// Away as a whole, a call with its result. Where the shape of the conversation needs something in that place,
// a line stays.
Edits drop_by_hand(const Conversation& conversation, const std::vector<HandUnit>& units);
// To one line each; what is as short already stays.
Edits fold_by_hand(const Conversation& conversation, const std::vector<HandUnit>& units);

// Before which item one that had left comes back: its place by age among those that stand.
ItemId place_of(const Conversation& conversation, ItemId gone);

}  // namespace tern
