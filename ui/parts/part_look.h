// How the kinds of text in the window are told apart in charts: by colour, and by texture where colours are
// few or none.
#pragma once

#include <string_view>

#include "ui/text/style.h"

namespace tern {

struct PartLook {
  std::string_view part, name;  // as in Meters::parts, and as people read it
  Colour colour = Colour::muted;
  std::string_view texture;
};

// words: read aloud, so nothing is drawn.
enum class ChartLook { colours, textures, words };

const PartLook& part_look(std::string_view part);
inline std::string_view fill_of(const PartLook& look, bool textured) { return textured ? look.texture : "█"; }

}  // namespace tern
