#include "ui/parts/part_look.h"

#include <algorithm>
#include <iterator>

namespace tern {

const PartLook& part_look(std::string_view part) {
  static constexpr PartLook looks[] = {
      {"system", "system", Colour::user, "█"},       {"tools", "tools", Colour::keyword, "▓"},
      {"memory", "memory", Colour::literal, "▒"},    {"user", "you", Colour::accent, "+"},
      {"assistant", "assistant", Colour::good, "░"}, {"results", "results", Colour::warn, "/"},
      {"summaries", "summaries", Colour::code, "="}, {"free", "free", Colour::muted, "·"},
      {"", "unknown", Colour::muted, "?"},
  };
  const auto known = std::find_if(std::begin(looks), std::end(looks),
                                  [&](const PartLook& look) { return look.part == part; });
  return known == std::end(looks) ? looks[std::size(looks) - 1] : *known;
}

}  // namespace tern
