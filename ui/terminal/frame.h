// A rounded frame around rows, and the one way in which keys are named in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ui/text/style.h"

namespace tern {

struct Frame {
  Style style{.fg = Colour::muted};
  Row title, corner;  // in the upper edge, left and right
  Row footer, rest;   // in the lower edge
};
// Every row of the result is `width` columns wide; the rows inside have four fewer.
Rows framed(const Rows& rows, int width, const Frame& frame);

struct KeyHint {
  std::string_view key, verb;
};
// "enter choose · esc reject": the key in the default colour, the verb dim. Where all do not fit,
// the last ones go, but the way out stays.
Row key_hints(const std::vector<KeyHint>& hints, int width);

}  // namespace tern
