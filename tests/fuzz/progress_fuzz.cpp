// Whatever a command writes over itself: no order is left, nothing grows, the second time nothing changes,
// and what reaches a cell is safe text.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compression/text/clean_output.h"
#include "compression/text/last_screen.h"
#include "ui/text/progress.h"
#include "ui/text/text_safe.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string raw(reinterpret_cast<const char*>(data), size);
  const std::string screen = tern::last_screen(raw);
  require(screen.size() <= raw.size());
  require(std::count(screen.begin(), screen.end(), '\n') <= std::count(raw.begin(), raw.end(), '\n'));
  require(!tern::goes_back_up(screen) || tern::goes_back_up(raw));
  const std::string plain = tern::without_terminal_codes(screen);
  require(!tern::has_terminal_codes(plain));
  const std::string shown = tern::safe_text(tern::last_states(screen));
  require(tern::is_valid_utf8(shown));
  require(shown.find_first_of("\x1b\r\b") == shown.npos);
  return 0;
}
