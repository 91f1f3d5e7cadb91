// Whatever comes in, safe text is valid, holds no byte that a terminal obeys, is stable, and its clusters
// cover it exactly.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const std::string& safe, bool newlines) {
  require(tern::is_valid_utf8(safe));
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const auto byte = static_cast<unsigned char>(safe[i]);
    require((byte >= 0x20 && byte != 0x7f) || (newlines && byte == '\n'));
    require(byte != 0xc2 || i + 1 == safe.size() ||
            static_cast<unsigned char>(safe[i + 1]) >= 0xa0);  // no C1 controls
  }
  std::size_t at = 0;
  while (at < safe.size()) {
    const auto cluster = tern::next_cluster(safe, at);
    require(cluster.bytes > 0 && cluster.columns >= 0 && cluster.columns <= 2);
    at += cluster.bytes;
  }
  require(at == safe.size());
  require(tern::width(tern::shorten(safe, 20)) <= 20 || safe.find('\n') != std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string raw(reinterpret_cast<const char*>(data), size);
  const std::string kept = tern::safe_text(raw);
  check(kept, true);
  require(tern::safe_text(kept) == kept);
  check(tern::safe_text(raw, tern::Lines::one), false);
  check(tern::safe_command(raw), true);
  return 0;
}
