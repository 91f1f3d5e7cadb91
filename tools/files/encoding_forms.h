// How characters are laid out in the legacy encodings: what detection and conversion both need to know. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tern {

inline constexpr std::uint16_t cp1252_high[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

inline unsigned byte_at(std::string_view s, std::size_t i) {
  return i < s.size() ? static_cast<unsigned char>(s[i]) : 0;
}

// Length of the double-byte character at `at` (1 for ASCII), 0 when no such sequence is valid.
inline std::size_t gbk_length(std::string_view s, std::size_t at) {
  unsigned a = byte_at(s, at), b = byte_at(s, at + 1);
  if (a < 0x80) return 1;
  if (a == 0x80 || a == 0xFF) return 0;
  if (b >= 0x40 && b <= 0xFE && b != 0x7F) return 2;
  unsigned c = byte_at(s, at + 2), d = byte_at(s, at + 3);
  return b >= 0x30 && b <= 0x39 && c >= 0x81 && c <= 0xFE && d >= 0x30 && d <= 0x39 ? 4 : 0;
}

inline std::size_t sjis_length(std::string_view s, std::size_t at) {
  unsigned a = byte_at(s, at), b = byte_at(s, at + 1);
  if (a < 0x80 || (a >= 0xA1 && a <= 0xDF)) return 1;
  if (a == 0x80 || a == 0xA0 || a > 0xFC) return 0;
  return b >= 0x40 && b <= 0xFC && b != 0x7F ? 2 : 0;
}

// EUC-KR with the extension of Windows (code page 949).
inline std::size_t euc_kr_length(std::string_view s, std::size_t at) {
  unsigned a = byte_at(s, at), b = byte_at(s, at + 1);
  if (a < 0x80) return 1;
  return a != 0x80 && a != 0xFF && b >= 0x41 && b != 0xFF ? 2 : 0;
}

}  // namespace tern
