#include "compression/text/base64.h"

#include <array>

namespace tern {

std::string from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  static const auto values = [digits] {
    std::array<int, 256> table{};
    table.fill(-1);
    for (std::size_t i = 0; i < digits.size(); ++i)
      table[static_cast<unsigned char>(digits[i])] = static_cast<int>(i);
    table['-'] = 62, table['_'] = 63;
    return table;
  }();
  std::string bytes;
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=' || c == '\n' || c == '\r') continue;
    const int value = values[static_cast<unsigned char>(c)];
    if (value < 0) return {};
    buffer = buffer << 6 | static_cast<unsigned>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(buffer >> bits & 0xff);
  }
  return bytes;
}

}  // namespace tern
