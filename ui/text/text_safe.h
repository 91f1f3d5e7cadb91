// Every string that was not written by us passes here once before it can reach a cell.
// Strict UTF-8 (bad bytes become U+FFFD), escape sequences removed whole, other controls made visible (^G),
// tabs expanded, bidi and zero-width characters shown as ⟨U+202E⟩, at most 4 combining marks per base. The
// result holds no byte a terminal obeys except '\n' (Lines::keep) and is stable: safe_text(safe_text(x)) ==
// safe_text(x).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

enum class Lines { keep, one };  // one: newlines become ⏎, for labels and titles
std::string safe_text(std::string_view raw, Lines lines = Lines::keep, int tab = 4);
// The same, and every deceptive character (homoglyph-prone non-ASCII in a command) as an escape, for approval
// dialogs.
std::string safe_command(std::string_view raw);
bool is_valid_utf8(std::string_view text);
std::string utf8(std::uint32_t code);

}  // namespace tern
