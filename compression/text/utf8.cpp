#include "compression/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tern {

namespace {

constexpr std::uint64_t ones = 0x0101010101010101, highs = ones << 7;

constexpr std::uint64_t pairs = 0x00FF00FF00FF00FF;

// The sum of eight counters of a byte each.
std::size_t sum_of_bytes(std::uint64_t counters) {
  return (((counters & pairs) + ((counters >> 8) & pairs)) * 0x0001000100010001) >> 48;
}

// `mark` sets the lowest bit of each byte that counts, `one` says whether a single byte does. The bytes of
// `counters` are summed before the first of them can overflow.
template <class Mark, class One>
std::size_t count_bytes(std::string_view text, Mark mark, One one) {
  std::size_t n = 0, at = 0;
  while (text.size() - at >= 8) {
    const std::size_t words = std::min<std::size_t>(255, (text.size() - at) / 8);
    std::uint64_t counters = 0;
    for (std::size_t i = 0; i < words; ++i) {
      std::uint64_t word;
      std::memcpy(&word, text.data() + at + 8 * i, sizeof word);
      counters += mark(word);
    }
    n += sum_of_bytes(counters);
    at += 8 * words;
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
