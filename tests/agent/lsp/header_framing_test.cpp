#include "agent/lsp/header_framing.h"

#include <catch2/catch_test_macros.hpp>

namespace {

using namespace tern;
using Texts = std::vector<std::string>;

Texts read_in_pieces(const std::string& bytes, std::size_t piece, std::size_t limit = 1000) {
  Texts got;
  const StdioFraming framing = header_framing(limit);
  const LineSplitter::Lines lines{
      .whole = [&](std::string text) { got.push_back(std::move(text)); },
      .too_long = [&](std::string_view, std::string_view) { got.push_back("(too long)"); }};
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    framing.feed(std::string_view(bytes).substr(at, piece), lines);
  return got;
}

}  // namespace

TEST_CASE("a server's messages come whole however their bytes are cut", "[lsp]") {
  const StdioFraming framing = header_framing();
  const std::string bytes = framing.frame("{\"a\":1}") +
                            "content-length:2\r\nContent-Type: x; charset=utf-8\r\n\r\n{}" +
                            "Content-Length: 0\r\n\r\n" + framing.frame("[\"\n\n\"]");
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{7}, bytes.size()})
    CHECK(read_in_pieces(bytes, piece) == Texts{"{\"a\":1}", "{}", "[\"\n\n\"]"});
}

TEST_CASE("what is no header, or too large, loses no message behind it", "[lsp]") {
  const StdioFraming framing = header_framing();
  CHECK(read_in_pieces("starting …\n\nContent-Length: nonsense\r\n\r\n" + framing.frame("{}"), 5) ==
        Texts{"{}"});
  CHECK(read_in_pieces(framing.frame(std::string(50, 'x')) + framing.frame("{}"), 9, 40) ==
        Texts{"(too long)", "{}"});
  CHECK(read_in_pieces("Content-Length: 99999999999999999999999\r\n\r\n" + framing.frame("{}"), 9) ==
        Texts{"{}"});
  CHECK(read_in_pieces(std::string(100'000, 'h') + "\n" + framing.frame("{}"), 4096) == Texts{"{}"});
}
