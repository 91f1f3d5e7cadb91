// The framing of language servers: "Content-Length: N", an empty line, N bytes. Pure; the same messages
// however the bytes are cut. What is larger than `limit` is skipped; bytes that are no header are skipped to
// the next one.
#pragma once

#include <cstddef>

#include "agent/mcp/stdio_link.h"

namespace tern {

StdioFraming header_framing(std::size_t limit = largest_message);

}  // namespace tern
