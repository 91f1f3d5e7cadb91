// Pictures and documents weigh by bytes and number, not by tokens: what a provider takes of them in one request, and which give way.
#pragma once

#include <cstdint>
#include <string_view>

#include "compression/values/context_edit.h"

namespace tern {

struct AttachmentLimits {
  std::size_t count = 100;
  std::uint64_t bytes = 20u << 20;  // as they are, before base64
};
AttachmentLimits attachment_limits(std::string_view provider);

struct AttachmentLoad {
  std::size_t count = 0;
  std::uint64_t bytes = 0;
};
AttachmentLoad attachments_of(const Conversation& conversation);

// Over a limit the oldest become a line each, three quarters of the limit stay: one cut, not one with every picture. Never a pinned one.
Edits fewer_attachments(const Conversation& conversation, const AttachmentLimits& limits);

}  // namespace tern
