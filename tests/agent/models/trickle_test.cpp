#include "agent/models/trickle.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

namespace {

// What comes every `gap` milliseconds; how long the next reading waits after so many.
int pause_after(int readings, std::size_t bytes, int gap) {
  Trickle trickle;
  Trickle::Time now(std::chrono::hours(1));
  int pause = 0;
  for (int n = 0; n < readings; ++n) {
    now += std::chrono::milliseconds(gap);
    trickle.read(bytes);
    pause = static_cast<int>(trickle.pause(now).count());
  }
  return pause;
}

}  // namespace

TEST_CASE("only an answer that has trickled for a while is read in pieces") {
  CHECK(pause_after(1, 6, 1) == 0);
  CHECK(pause_after(200, 6, 1) == 0);
  CHECK(pause_after(1'000, 6, 1) == 16);
  CHECK(pause_after(1'000, 60'000, 1) == 0);   // comes fast
  CHECK(pause_after(1'000, 6'000, 16) == 16);  // three thousand tokens a second still trickle
  CHECK(pause_after(1'000, 6, 200) == 0);      // comes slowly
}

TEST_CASE("a reading of nothing neither waits nor ends the trickle") {
  Trickle trickle;
  Trickle::Time now(std::chrono::hours(1));
  for (int n = 0; n < 1'000; ++n) {
    now += std::chrono::milliseconds(1);
    trickle.read(6);
    trickle.pause(now);
  }
  CHECK(trickle.pause(now).count() == 0);
  trickle.read(6);
  CHECK(trickle.pause(now).count() == 16);
}
