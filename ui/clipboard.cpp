#include "ui/clipboard.h"

#include <cstdint>

namespace tern {

std::string base64(std::string_view bytes) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : letters[group >> (18 - 6 * k) & 63];
  }
  return out;
}

std::string copy_sequence(std::string_view text, bool in_tmux) {
  const std::string plain = "\x1b]52;c;" + base64(text) + "\a";
  if (!in_tmux) return plain;
  std::string doubled;
  for (const char c : plain) doubled += c == '\x1b' ? std::string("\x1b\x1b") : std::string(1, c);
  return "\x1bPtmux;" + doubled + "\x1b\\" + plain;
}

}  // namespace tern
