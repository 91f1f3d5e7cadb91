#include "compression/utf8.h"

#include <cstdint>
#include <cstring>

namespace tern {

namespace {

constexpr std::uint64_t ones = 0x0101010101010101, highs = ones << 7;

std::size_t sum_of_bytes(std::uint64_t word) { return (word * ones) >> 56; }

// `mark` sets the lowest bit of each byte that counts, `one` says whether a single byte does.
template <class Mark, class One>
std::size_t count_bytes(std::string_view text, Mark mark, One one) {
  std::size_t n = 0, at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof word);
    n += sum_of_bytes(mark(word));
  }
  for (; at < text.size(); ++at) n += one(text[at]) ? 1 : 0;
  return n;
}

}  // namespace

std::size_t count_characters(std::string_view text) {
  const auto continuations = [](std::uint64_t w) { return (w >> 7) & ~(w >> 6) & ones; };
  return text.size() - count_bytes(text, continuations, is_continuation);
}

std::size_t count_newlines(std::string_view text) {
  const auto newlines = [](std::uint64_t w) {
    const std::uint64_t x = w ^ (ones * '\n');
    return (~(((x & ~highs) + ~highs) | x) & highs) >> 7;
  };
  return count_bytes(text, newlines, [](char c) { return c == '\n'; });
}

}  // namespace tern
