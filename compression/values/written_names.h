// Which lines of an old result name something that the assistant has since written: those it may need again
// word for word. A light lexer over specific names only (snake_case, camelCase, paths, names with digits);
// one pass over the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

class WrittenNames {
 public:
  void add(const Item& assistant);  // texts and call arguments

  // The lines of `text` that hold a name added and not yet held by a line given before, best first within
  // `bytes`, shown in their order. Names in `known` (the subject beside the result) do not count.
  std::string lines_of(std::string_view text, std::string_view known, std::size_t bytes);

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t held_by = 0;  // the number of the text whose lines hold it; 0 is none
  };
  Slot* find(std::uint64_t hash);
  void add(std::uint64_t hash);
  void add_text(std::string_view text);
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::size_t used_ = 0;
  std::uint32_t texts_ = 0;
};

}  // namespace tern
