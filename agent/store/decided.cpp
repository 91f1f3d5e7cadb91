#include "agent/store/decided.h"

#include <algorithm>
#include <iterator>

namespace tern {
namespace {

constexpr std::string_view names[] = {
    "failed",  "summary failed", "thrash",      "tuned", "wait",       "draft",    "undo",       "redo",
    "preview", "bring back",     "small model", "micro", "hold ended", "overflow", "cold cache", "blocked"};

}  // namespace

std::string_view to_string(Decided decided) { return names[static_cast<std::size_t>(decided)]; }

std::optional<Decided> decided_named(std::string_view name) {
  const auto* const found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<Decided>(found - std::begin(names));
}

}  // namespace tern
