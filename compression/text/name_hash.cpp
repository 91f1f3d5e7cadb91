// The numbers by which names and lines are compared: eight bytes at a time.
#include <cstring>

#include "compression/text/names.h"

namespace tern {

namespace {

template <class Word>
std::uint64_t word_at(const char* p) {
  Word w;
  std::memcpy(&w, p, sizeof w);
  return w;
}

// The last bytes of a text, up to eight, without a copy of unknown size: words that may overlap.
std::uint64_t tail_of(const char* end, std::size_t size, std::size_t left) {
  if (size >= 8) return word_at<std::uint64_t>(end - 8);
  if (left >= 4) return word_at<std::uint32_t>(end - left) | word_at<std::uint32_t>(end - 4) << 32;
  if (left >= 2) return word_at<std::uint16_t>(end - left) | word_at<std::uint16_t>(end - 2) << 32;
  return static_cast<unsigned char>(*(end - left));
}

}  // namespace

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t h = 0x9E3779B97F4A7C15ull ^ (text.size() * 0xC2B2AE3D27D4EB4Full);
  const char* p = text.data();
  std::size_t left = text.size();
  const auto mix = [&h](std::uint64_t chunk) {
    h = (h ^ chunk) * 0xD6E8FEB86659FD93ull;
    h ^= h >> 32;
  };
  for (; left > 8; left -= 8, p += 8) mix(word_at<std::uint64_t>(p));
  if (left > 0) mix(tail_of(p + left, text.size(), left));
  return h;
}

std::uint64_t key_of(const Name& name) {
  return hash_text(name.text) + static_cast<std::uint64_t>(name.kind) * 0x9E3779B97F4A7C15ull;
}

}  // namespace tern
