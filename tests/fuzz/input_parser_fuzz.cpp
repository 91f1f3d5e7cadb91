// Keyboard bytes in any order and any cut: never a crash, bounded memory, and the same events whole or byte
// by byte.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "ui/terminal/input_parser.h"

namespace {

std::vector<tern::Input> parse(std::string_view bytes, std::size_t step) {
  tern::InputParser parser;
  std::vector<tern::Input> all;
  const auto take = [&](std::vector<tern::Input> some) { all.insert(all.end(), some.begin(), some.end()); };
  for (std::size_t at = 0; at < bytes.size(); at += step) take(parser.feed(bytes.substr(at, step)));
  if (parser.pending() || parser.pasting()) take(parser.timeout());
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = parse(bytes, bytes.size() + 1);
  if (whole != parse(bytes, 1) || whole != parse(bytes, 3)) std::abort();
  return 0;
}
