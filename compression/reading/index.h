// The specifics a summary would lose, found without a model: files with lines, commands, errors, identifiers
// edited, numbers with units, URLs and what the person demanded, each with the recall id of where it stood,
// ranked by how likely it is needed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

enum class FactKind { rule, file, command, error, ident, place, number, url };
std::string_view to_string(FactKind kind);

struct Fact {
  FactKind kind = FactKind::file;
  std::string text;
  RecallId recall;       // of the newest original that holds it
  int uses = 0;          // blocks that hold it
  bool written = false;  // the person or the assistant wrote it, too
  double need = 0;
};
// all: also names that only tool results hold; an index has no room for those, their originals do.
enum class Specifics { indexed, all };
// By kind, the most needed first. One pass; equal input gives equal output.
std::vector<Fact> facts_of(const Conversation& conversation, Specifics which = Specifics::indexed);

// The index as text, a line for each kind, within a budget of estimated tokens; empty when there is nothing
// to tell.
std::string index_of(const Conversation& conversation, Tokens budget);

}  // namespace tern
