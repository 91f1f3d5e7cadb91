// A conversation as a text for whoever goes on with it: a new session, or another agent.
#pragma once

#include <string>
#include <vector>

#include "agent/store/note_book.h"
#include "compression/values/budget.h"
#include "compression/values/conversation.h"

namespace tern {

struct TodoItem;

struct Handover {
  std::string from, focus;  // the session it comes from; what comes next, in the person's words
  std::vector<Note> notes;
};
std::string handover_text(const Handover& handover, const Conversation& conversation,
                          const CompressionConfig& config, const std::vector<TodoItem>& todos);

}  // namespace tern
