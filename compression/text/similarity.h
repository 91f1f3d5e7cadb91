// How alike two texts are, by shingles: hashed runs of three words, a fixed-size sketch of the smallest
// hashes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tern {

struct Sketch {
  std::vector<std::uint64_t> smallest;  // sorted, at most 128
};
Sketch sketch(std::string_view text);

// Estimated share of common shingles, 0..1. Texts of equal words are 1.
double similarity(const Sketch& a, const Sketch& b);
double similarity(std::string_view a, std::string_view b);

}  // namespace tern
