// The memory files of folders below the root, as they stand in a conversation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

// File and tokens of each, in the order they joined.
std::vector<std::pair<std::string, Tokens>> folder_notes(const Conversation& conversation);

}  // namespace tern
