// How much a model may think before it answers, by name: what /effort knows, from the least to the most.
#pragma once

#include <span>
#include <string_view>

namespace tern {

struct EffortLevel {
  std::string_view name;
  int tokens;
};
inline constexpr EffortLevel effort_table[] = {
    {"off", 0}, {"low", 4'000}, {"medium", 12'000}, {"high", 24'000}};
inline std::span<const EffortLevel> effort_levels() { return effort_table; }

}  // namespace tern
