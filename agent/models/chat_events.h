// The chunks of a chat completion, read: text, thoughts and calls of the many servers that speak it.
#pragma once

#include <memory>

#include "agent/models/chat_traits.h"
#include "agent/models/codec.h"

namespace tern {

// The request must outlive the decoder.
std::unique_ptr<Decoder> chat_decoder(const Request& request, ChatTraits traits);

}  // namespace tern
