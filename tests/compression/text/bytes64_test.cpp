#include "compression/text/bytes64.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace tern;

TEST_CASE("the masks say of each byte what a look at it says") {
  std::string text;
  for (int i = 0; i < 256 + 37; ++i) text += static_cast<char>(i * 7);
  for (std::size_t at = 0; at < text.size(); at += 13) {
    const Bytes64 bytes(text, at);
    const auto letters = bytes.in('a', 'z'), dots = bytes.equal('.'), high = bytes.high(),
               zeros = bytes.equal('\0');
    for (std::size_t i = 0; i < 64; ++i) {
      const char c = at + i < text.size() ? text[at + i] : '\0';
      INFO(at << " + " << i);
      CHECK((letters >> i & 1) == (c >= 'a' && c <= 'z'));
      CHECK((dots >> i & 1) == (c == '.'));
      CHECK((high >> i & 1) == (static_cast<unsigned char>(c) >= 0x80));
      CHECK((zeros >> i & 1) == (c == '\0'));
    }
  }
}
