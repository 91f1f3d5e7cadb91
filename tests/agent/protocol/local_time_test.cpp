#include "agent/protocol/local_time.h"

#include <catch2/catch_test_macros.hpp>
#include <chrono>

using namespace tern;
using namespace std::chrono_literals;

TEST_CASE("a time not long ago is told by how long ago it was") {
  const TimePoint now = TimePoint(std::chrono::milliseconds(1'790'000'000'000));
  CHECK(time_ago(now, now) == "just now");
  CHECK(time_ago(now - 59s, now) == "just now");
  CHECK(time_ago(now - 12min - 30s, now) == "12 min ago");
  CHECK(time_ago(now - 2h, now) == "2 h ago");
  CHECK(time_ago(now - 25h, now) == "yesterday");
  CHECK(time_ago(now - 80h, now) == "3 days ago");
  CHECK(time_ago(now - 24h * 30, now) == local_time(now - 24h * 30, "%Y-%m-%d"));
  CHECK(time_ago(now + 1h, now) == local_time(now + 1h));
}
