// The first screen, as people see it, at four sizes.
#include <catch2/catch_test_macros.hpp>

#include "tests/ui/world.h"

using namespace tern;

namespace {

std::string at_each_size(World& world) {
  std::string all;
  for (const auto& [columns, lines] : {std::pair{80, 24}, {120, 40}, {200, 50}, {40, 12}})
    all += "== " + std::to_string(columns) + "x" + std::to_string(lines) + "\n" + world.look(columns, lines);
  return all;
}

}  // namespace

TEST_CASE("pictures: the first screen, without and with earlier conversations") {
  World world;
  world.meters(0.0);
  world.tell(SessionOpened{.id = "453ujthp", .name = {}});
  World again;
  again.shell.deps.welcome.insert(again.shell.deps.welcome.end() - 1, "");  // where the program leaves room
  again.meters(0.0);
  again.tell(SessionOpened{
      .id = "453ujthp", .name = {}, .earlier = 3, .last = "fix the tokenizer", .last_when = "2 h ago"});
  CHECK_GOLDEN("first_screen", at_each_size(world) + at_each_size(again));
}
