// The one reader of questions that come as words: what a user typed behind a slash, here or in an editor.
// Pure.
#pragma once

#include <string_view>

#include "agent/protocol/command.h"

namespace tern {

// `name` is that of a slash command, or one that has it as an alias; `words` follow it.
Command asked_words(std::string_view name, std::string_view words = {});

}  // namespace tern
