// The meters: what has to be in sight is, at every width, and nothing of it is cut in the middle.
#include "ui/parts/status_bar.h"

#include "tests/ui/world.h"
#include "ui/text/width.h"

using namespace tern;

namespace {

void check_all_in_sight(const std::string& screen) {
  INFO(screen);
  for (const std::string_view fact :
       {"claude-sonnet-4-5", "ask", "main*", "▕", "30%", "54k/180k", "~9 turns", "$0.41"})
    CHECK(screen.find(fact) != screen.npos);
}

PermissionAsked question() {
  PermissionAsked asked;
  asked.id = 7;
  asked.title = "Run this command?";
  asked.body = "make";
  return asked;
}

}  // namespace

TEST_CASE("model, mode, branch, fill, forecast and cost are in sight at every width") {
  for (const auto& [columns, lines] :
       {std::pair{40, 12}, {60, 14}, {80, 24}, {80, 12}, {100, 15}, {120, 40}, {200, 50}}) {
    INFO(columns << "x" << lines);
    World world;
    world.meters(0.3);
    check_all_in_sight(world.look(columns, lines));
    world.tell(TurnStarted{1});
    world.type("/c");
    check_all_in_sight(world.look(columns, lines));
    world.tell(question());
    const std::string asked = world.look(columns, lines);  // the question has the composer's place
    INFO(asked);
    for (const std::string_view fact : {"▕", "30%", "54k/180k", "ask"}) CHECK(asked.find(fact) != asked.npos);
  }
}

TEST_CASE("what has no room beside the bar stands in the frame, whole or not at all") {
  World world;
  world.meters(0.3);
  Meters meters = world.shell.view.meters;
  meters.background_jobs = 2;
  meters.draft_ready = true;
  meters.dollars = 123.45;
  meters.estimated = true;
  for (int columns = 1; columns <= 220; ++columns) {
    const Row line = status_line(meters, columns);
    CHECK(width(line.text) <= std::max(columns, 26));  // the fill of the context is said on any screen
    const Row rest = status_rest(meters, columns, columns - 13);
    CHECK(width(rest.text) <= std::max(0, columns - 13));
    if (columns < 40) continue;
    const std::string both = line.text + " · " + rest.text;
    INFO(columns << ": " << both);
    for (const std::string_view fact : {"~30%", "~54k/180k", "~9 turns", "$123.45"}) {
      const std::size_t at = both.find(fact);
      CHECK(at != both.npos);
      CHECK(both.find(fact, at + 1) == both.npos);
    }
    if (columns < 80) continue;
    for (const std::string_view fact : {"saved 43k", "2 tasks", "draft ready"})
      CHECK(both.find(fact) != both.npos);
  }
}
