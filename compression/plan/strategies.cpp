#include "compression/plan/strategies.h"

namespace tern {

namespace {

constexpr const Strategy* all[] = {
#define STRATEGY(name) &name##_strategy,
#include "compression/plan/strategies.inc"
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

std::string compaction_names() {
  std::string names = "sections snapshot";  // what a model writes is asked for by the plan itself
  for (const auto* strategy : all) names.append(" ").append(strategy->name);
  return names;
}

bool is_compaction(std::string_view name) {
  return name == "sections" || name == "snapshot" || find_strategy(name) != nullptr;
}

}  // namespace tern
