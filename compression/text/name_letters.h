// The kinds of letters that names are made of, one table of bits; and runs of them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tern::name_letters {

enum Bits : std::uint8_t {
  lower = 1,
  upper = 2,
  digit = 4,
  under = 8,
  joint = 16,
  hex = 32,
  starts_bad = 64
};
constexpr std::uint8_t word = lower | upper | digit | under, letter = lower | upper, piece = word | joint;

constexpr std::array<std::uint8_t, 256> make_bits() {
  std::array<std::uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = c <= 'f' ? lower | hex : lower;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = upper;
  for (int c = '0'; c <= '9'; ++c) table[c] = digit | hex;
  for (const char c : {'.', '/', '-', '@', '+', '~'}) table[static_cast<unsigned char>(c)] = joint;
  table['_'] = under;
  for (const char c : {'a', 'c', 'd', 'e', 'f', 'n', 'p', 's', 't', 'u'}) {
    table[static_cast<unsigned char>(c)] |= starts_bad;
    table[static_cast<unsigned char>(c - 32)] |= starts_bad;
  }
  return table;
}
constexpr auto bits = make_bits();

inline bool is(char c, std::uint8_t kind) { return (bits[static_cast<unsigned char>(c)] & kind) != 0; }

inline const char* run_of(const char* p, const char* end, std::uint8_t kind) {
  while (p < end && is(*p, kind)) ++p;
  return p;
}

inline std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

inline char low(char c) { return is(c, upper) ? static_cast<char>(c + 32) : c; }

}  // namespace tern::name_letters
