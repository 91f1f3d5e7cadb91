// Private to store_*.cpp: the rows of the log as the store keeps them in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tern {

// One row of the log, without its body: 24 bytes, so that 100,000 of them are nothing.
struct LogRow {
  enum Kind : std::uint8_t { item, batch, undone, redone, rewound, event, returned };
  enum Flag : std::uint8_t {
    role_mask = 3,
    turn = 4,
    calls = 8,
    quiet = 16,
    pinned = 32,
    files_only = 64
  };  // turn: a person's prompt; quiet: not a compression; files_only: a rewind that cuts nothing
  std::int64_t seq = 0;   // 0 = written by this process, found by its number
  std::uint64_t ref = 0;  // item id, batch id, or a running number
  std::int32_t session = 0;
  Kind kind = item;
  std::uint8_t flags = 0;
};

struct Cut {  // a rewind that can be taken back
  LogRow row;
  std::string files;
  std::size_t at = 0;  // where `rest` stood
  std::vector<LogRow> rest;
};

}  // namespace tern
