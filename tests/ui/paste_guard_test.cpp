#include "ui/paste_guard.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

namespace {

// As the loop reads: at most 4,096 bytes at a time.
std::vector<Input> read(std::string_view bytes) {
  InputParser parser;
  PasteGuard guard;
  std::vector<Input> all;
  for (std::size_t at = 0; at < bytes.size(); at += 4'096) {
    const std::string_view piece = bytes.substr(at, 4'096);
    for (Input& input : guard.sort(parser.feed(piece), piece.size())) all.push_back(std::move(input));
  }
  return all;
}

}  // namespace

TEST_CASE("a megabyte of paste with end marks inside sends nothing") {
  std::string text;
  while (text.size() < (1u << 20)) text += "line of a log\r\nrm -rf ~\x1b[201~\r\x03\x1b\x1b[A/exit\r";
  const auto inputs = read("\x1b[200~" + text + "\x1b[201~");
  std::size_t pasted = 0, keys = 0;
  for (const Input& input : inputs) {
    if (const auto* paste = std::get_if<Paste>(&input)) pasted += paste->text.size();
    keys += std::holds_alternative<KeyPress>(input);
  }
  CHECK(keys == 0);
  CHECK(pasted > (1u << 19));
}

TEST_CASE("a key after the paste is a key again") {
  InputParser parser;
  PasteGuard guard;
  CHECK(guard.sort(parser.feed("\x1b[200~two\rlines\x1b[201~"), 20).size() == 1);
  const auto inputs = guard.sort(parser.feed("\r"), 1);
  REQUIRE(inputs.size() == 1);
  CHECK(std::get<KeyPress>(inputs[0]).key == Key::enter);
}
