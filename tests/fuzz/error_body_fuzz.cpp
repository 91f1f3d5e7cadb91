// Error bodies, retry-after values and calls written as text: never a crash, always a message, never an
// endless loop.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/models/errors.h"
#include "agent/models/text_calls.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  static constexpr int statuses[] = {0, 400, 401, 413, 429, 500, 502, 529};
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto trouble = tern::request_error_of({.status = statuses[data[0] % 8],
                                               .body = text,
                                               .retry_after = text.substr(0, 40),
                                               .retry_after_ms = {},
                                               .request_id = text.substr(0, 20)});
  if (trouble.message.empty()) std::abort();
  const auto found = tern::take_text_calls(text, {{"Read", "", ""}, {"Bash", "", ""}}, 1);
  if (found.calls.empty() && found.text != text) std::abort();
  tern::split_think(text);
  return 0;
}
