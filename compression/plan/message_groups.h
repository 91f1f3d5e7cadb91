// A stretch of messages sorted by kind: requests, answers, calls with their results, pictures. Borrows from
// its items.
#pragma once

#include <string>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

struct CallNote {
  const ToolCall* call = nullptr;
  const ToolResult* result = nullptr;  // null when it was never answered
  RecallId recall;                     // of the result, else of the message
};

struct Groups {
  std::vector<const Item*> requests, answers;
  std::vector<CallNote> calls;
  std::vector<CallNote> errors;
  std::size_t messages = 0, images = 0, documents = 0;
  std::vector<std::string> media;  // of those, the type and size of each
  Tokens tokens = 0;
};
Groups group(const std::vector<ItemPtr>& items);

}  // namespace tern
