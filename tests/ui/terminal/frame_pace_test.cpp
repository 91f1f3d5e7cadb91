#include "ui/terminal/frame_pace.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

namespace {

// Something to show arrives every millisecond for a second; a frame is drawn when it is due.
int frames_in_a_second(FrameFor what) {
  int frames = 0;
  std::int64_t drawn_ms = 0;
  for (std::int64_t now_ms = 1; now_ms <= 1'000; ++now_ms) {
    if (now_ms < next_frame_ms(drawn_ms, what)) continue;
    drawn_ms = now_ms;
    ++frames;
  }
  return frames;
}

}  // namespace

TEST_CASE("an answer that streams is drawn thirty times a second, a key at once") {
  CHECK(frames_in_a_second(FrameFor::stream) == 30);
  CHECK(frames_in_a_second(FrameFor::other) == 62);
  CHECK(frames_in_a_second(FrameFor::key) == 1'000);
}

TEST_CASE("what arrives after a pause is drawn without waiting") {
  const std::int64_t drawn_ms = 5'000, now_ms = 5'400;
  CHECK(next_frame_ms(drawn_ms, FrameFor::stream) <= now_ms);
}
