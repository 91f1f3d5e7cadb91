// Sentences of people and of answers: where they end, how many words they hold, which of them give a reason
// or a decision.
#pragma once

#include <cstddef>
#include <string_view>

namespace tern {

// The end of the sentence that begins at `at`: behind . ! ? or a line end, or behind 。！？.
std::size_t end_of_sentence(std::string_view text, std::size_t at);

// Words of two letters and more; each Chinese character counts.
std::size_t words_in(std::string_view text);

// "because", "instead", "decided", "the problem is", 因为, 所以, 决定 …: what nobody can work out again from
// names alone.
bool gives_reason(std::string_view sentence);

}  // namespace tern
