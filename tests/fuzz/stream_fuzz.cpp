// Bytes of a model server's stream, hostile or cut: never a crash, and the same events whole or byte by byte,
// in each dialect.
//
// also built of: agent/models/compatible.cpp
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/support/decode.h"
#include "tests/support/wires.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view provider = tern::test::wires()[data[0] % tern::test::wires().size()].provider;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  tern::Request request;
  request.tools = {{"Read", "", ""}, {"Bash", "", ""}};
  const auto whole = tern::test::decode(provider, request, bytes, bytes.size(), bytes.size());
  if (!(whole == tern::test::decode(provider, request, bytes, 1, 1)) ||
      !(whole == tern::test::decode(provider, request, bytes, 3, 7)))
    std::abort();
  return 0;
}
