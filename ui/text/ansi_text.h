// Output of commands with the colours it asked for: SGR sequences become styles, everything else passes
// text_safe.
#pragma once

#include <string_view>

#include "ui/text/style.h"

namespace tern {

// One row a line, not wrapped. Colours are those of the theme that come nearest; text without any has the
// style `base`.
Rows ansi_rows(std::string_view text, Style base);

}  // namespace tern
