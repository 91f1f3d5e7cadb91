#include "compression/text/similarity.h"

#include <algorithm>

#include "compression/text/names.h"

namespace tern {

namespace {

constexpr std::size_t shingle_words = 3, sketch_size = 128;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The next word, taken off the front; empty at the end.
std::string_view take_word(std::string_view& text) {
  std::size_t start = 0;
  while (start < text.size() && is_space(text[start])) ++start;
  std::size_t end = start;
  while (end < text.size() && !is_space(text[end])) ++end;
  const auto word = text.substr(start, end - start);
  text.remove_prefix(end);
  return word;
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9E3779B97F4A7C15ull + b;
  x ^= x >> 32;
  return x * 0xD6E8FEB86659FD93ull;
}

void keep_smallest(std::vector<std::uint64_t>& hashes) {
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  if (hashes.size() > sketch_size) hashes.resize(sketch_size);
}

}  // namespace

Sketch sketch(std::string_view text) {
  std::uint64_t last[shingle_words] = {};
  Sketch result;
  auto& hashes = result.smallest;
  std::size_t words = 0;
  for (auto word = take_word(text); !word.empty(); word = take_word(text)) {
    last[words++ % shingle_words] = hash_text(word);
    if (words < shingle_words && !text.empty() && text.find_first_not_of(" \t\r\n\v\f") != text.npos)
      continue;
    std::uint64_t shingle = 0;
    for (std::size_t i = 0; i < shingle_words; ++i)
      shingle = mixed(shingle, last[(words + i) % shingle_words]);
    hashes.push_back(shingle);
    if (hashes.size() >= 32 * sketch_size) keep_smallest(hashes);
  }
  keep_smallest(hashes);
  return result;
}

double similarity(const Sketch& a, const Sketch& b) {
  if (a.smallest.empty() || b.smallest.empty()) return a.smallest.empty() && b.smallest.empty() ? 1.0 : 0.0;
  std::size_t i = 0, j = 0, common = 0, all = 0;
  while (all < sketch_size && (i < a.smallest.size() || j < b.smallest.size())) {
    ++all;
    if (j == b.smallest.size() || (i < a.smallest.size() && a.smallest[i] < b.smallest[j]))
      ++i;
    else if (i == a.smallest.size() || b.smallest[j] < a.smallest[i])
      ++j;
    else
      ++common, ++i, ++j;
  }
  return static_cast<double>(common) / static_cast<double>(all);
}

double similarity(std::string_view a, std::string_view b) { return similarity(sketch(a), sketch(b)); }

}  // namespace tern
