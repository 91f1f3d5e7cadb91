#include "compression/strategy.h"

namespace tern {

namespace {

constexpr const Strategy* all[] = {
#define STRATEGY(name) &name##_strategy,
#include "compression/strategies.inc"
#undef STRATEGY
};

}  // namespace

std::span<const Strategy* const> strategies() { return all; }

const Strategy* find_strategy(std::string_view name) {
  for (const auto* strategy : all) {
    if (strategy->name == name) return strategy;
  }
  return nullptr;
}

}  // namespace tern
