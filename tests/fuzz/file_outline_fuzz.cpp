// Whatever a file holds: its outline keeps to its limit and to half of the part, splits no character, and its
// first line says how many follow. The first byte chooses the language.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "compression/text/file_outline.h"
#include "compression/text/utf8.h"
#include "ui/text/text_safe.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const languages[] = {"C++",      "Java", "TypeScript", "Python", "Shell",
                                          "Markdown", "JSON", "YAML",       "TOML",   ""};
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  text.append(1'000, '\n');  // room for the outline of a short input
  for (const std::size_t limit : {120, 400, 6'000}) {
    const auto out =
        tern::file_outline(text, size / 4, text.size(), languages[*data % std::size(languages)], limit);
    require(tern::count_characters(out) <= std::min(limit, text.size() / 2));
    require(!tern::is_valid_utf8(text) || tern::is_valid_utf8(out));
    require(out.empty() || (out.starts_with("[outline of these lines, ") && out.ends_with('\n')));
  }
  return 0;
}
