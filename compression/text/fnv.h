// FNV-1a: quick, the same in every process, and no defence against somebody who wants two texts to meet.
#pragma once

#include <cstdint>
#include <string_view>

namespace tern {

constexpr std::uint64_t fnv_offset = 14695981039346656037u, fnv_prime = 1099511628211u;

constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = fnv_offset) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * fnv_prime;
  return hash;
}

}  // namespace tern
