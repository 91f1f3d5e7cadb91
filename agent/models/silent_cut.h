// Servers that answer a prompt too long for them without a word.
#pragma once

#include <optional>

#include "agent/models/errors.h"

namespace tern {

// A server that cut the prompt reports far fewer tokens than were sent. Nothing when that is not so.
std::optional<RequestError> silent_cut(const Request& request, Tokens reported);

}  // namespace tern
