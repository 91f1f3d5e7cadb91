// A page of a file too large to hold: it streams by once, and only the lines of the page are decoded and
// kept.
#pragma once

#include <cstdint>
#include <stop_token>

#include "tools/files/encoding.h"
#include "tools/files/read_page.h"

namespace tern {

struct LargePage {
  ReadPage page;
  Charset charset;  // by the first bytes that are not ASCII; binary: nothing was read
  bool counted_all = true;
};

// `size` as the file system tells it: of a very large file the lines behind the page are not counted.
LargePage page_of_large(int fd, std::uint64_t size, std::size_t offset, std::size_t limit,
                        std::stop_token stop, std::size_t piece_bytes = 1 << 20);

}  // namespace tern
