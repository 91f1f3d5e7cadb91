// Prose as sentences: what people and the assistant said, told apart from code.
#pragma once

#include <string_view>
#include <vector>

namespace tern {

// Sentences and list entries outside fences, without their list marks; they end at . ! ? 。！？ or at the end
// of a line. Scraps of less than 12 bytes are left out. Views into `text`.
std::vector<std::string_view> sentences_in(std::string_view text);

}  // namespace tern
