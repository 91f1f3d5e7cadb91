// The short version of the day of work; endurance_bench runs the long one.
#include <catch2/catch_test_macros.hpp>

#include "tests/agent/turn/day_of_work.h"
#include "tests/support/sanitized.h"

using namespace tern;

TEST_CASE("one life of the day of work", "[.]") { CHECK(test::live_if_told() == 0); }

TEST_CASE("a short day of work: restarts, kill -9, a failing model, a refused length, and nothing is lost") {
  const auto folder = test::fresh_folder();
  const auto report =
      test::run_day({.turns = 90, .window = 16'000, .words = 260, .folder = folder / "store"});
  CHECK(report.broken == "");
  CHECK(report.turns >= 88);  // a killed turn is not asked for again
  CHECK(report.refused == 0);
  CHECK(report.overflows == 1);
  CHECK(report.kills == 2);
  CHECK(report.missing_prompts == 0);
  CHECK(report.changed_pins == 0);
  CHECK(report.silent == 0);
  CHECK(report.unequal == 0);
  CHECK(report.ids >= 90);
  CHECK(report.compactions >= 10);
  CHECK(report.by_small > 0);  // then an hour without it: the main model, and when that fails too none
  CHECK(report.by_main > 0);
  CHECK(report.by_none > 0);
  if (test::memory_tells) CHECK(report.last_rss < report.first_rss + 60'000);
  CHECK(report.sent > 10 * 16'000);
  std::printf(
      "endurance: %d turns, %.1f M tokens, %zu compactions (summaries: %zu small, %zu main, %zu none), "
      "resume %.0f ms\n",
      report.turns, static_cast<double>(report.sent) / 1e6, report.compactions, report.by_small,
      report.by_main, report.by_none, report.resume_ms);
  std::filesystem::remove_all(folder);
}
