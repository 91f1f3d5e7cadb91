// Pictures and documents weigh by bytes, number, pixels and pages, not by tokens: what a provider takes of
// them in one request, and which give way.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "compression/values/context_edit.h"

namespace tern {

struct AttachmentLimits {
  std::size_t count = 100;
  std::uint64_t bytes = 20u << 20;  // as they are, before base64
  int pages = 100;                  // of all documents
  Tokens tokens = std::numeric_limits<Tokens>::max();
  int pixels = 8'000;          // of a picture's longer side
  int pixels_of_many = 2'000;  // where there are more than `many`
  std::size_t many = 20;
};
AttachmentLimits attachment_limits(std::string_view provider);

struct AttachmentLoad {
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  int pages = 0;
  Tokens tokens = 0;
};
AttachmentLoad attachments_of(const Conversation& conversation);

// Pages of a PDF, as its page tree says; at least one.
int pdf_pages(std::string_view blob);

// Over a limit the oldest become a line each, three quarters of the limit stay: one cut, not one with every
// picture. A picture with more pixels than the provider takes goes, too; where only their number makes it too
// large, older ones go first. Never a pinned one.
Edits fewer_attachments(const Conversation& conversation, const AttachmentLimits& limits);

}  // namespace tern
