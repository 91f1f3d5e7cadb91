// A chip: a pasted text that stands in the composer's buffer as one letter of plane 16, which is private:
// never typed, and removed from whatever is pasted. Its index is the letter's place in the plane.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

constexpr std::uint32_t first_chip = 0x100000;

inline std::string chip_letter(std::size_t index) {
  const std::uint32_t c = first_chip + static_cast<std::uint32_t>(index);
  return {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3F)),
          static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
}

inline bool is_chip(std::string_view text, std::size_t at) {
  return at < text.size() && static_cast<unsigned char>(text[at]) == 0xF4;
}

inline std::size_t chip_index(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i]));
  };
  const std::uint32_t c =
      (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  return c - first_chip;
}

}  // namespace tern
