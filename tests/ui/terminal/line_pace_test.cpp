#include "ui/terminal/line_pace.h"

#include <catch2/catch_test_macros.hpp>
#include <deque>
#include <string>

#include "ui/terminal/input_parser.h"

using namespace tern;

namespace {
// A line with a delay each way and so many bytes a second, and the terminal behind it, which answers.
struct Line {
  double bytes_per_ms = 0.96;
  std::int64_t delay_ms = 50, now_ms = 0;
  std::int64_t free_ms = 0;  // when all that was written has left
  std::deque<std::int64_t> answers{};
  LinePace pace{};

  void write(std::size_t bytes) {
    const bool asks = pace.asks(bytes, now_ms);
    free_ms =
        std::max(free_ms, now_ms) + static_cast<std::int64_t>(static_cast<double>(bytes) / bytes_per_ms);
    if (asks) answers.push_back(free_ms + 2 * delay_ms);
  }
  void until(std::int64_t ms) {
    while (!answers.empty() && answers.front() <= ms) {
      now_ms = answers.front();
      answers.pop_front();
      pace.answered(now_ms);
    }
    now_ms = ms;
  }
  std::int64_t backlog_ms() const { return std::max<std::int64_t>(0, free_ms - now_ms); }
};

// Frames of a streaming answer, one a slot where the line lets them through; the longest wait of a key.
std::int64_t worst_wait(Line& line, std::size_t frame) {
  line.write(0);
  line.write(1'000);
  std::int64_t worst = 0;
  for (std::int64_t ms = 1'500; ms < 20'000; ms += 16) {
    line.until(ms);
    if (line.pace.open_ms(false, ms) <= ms) line.write(frame);
    worst = std::max(worst, line.backlog_ms());
  }
  return worst;
}
}  // namespace

TEST_CASE("on a slow line a key waits for one frame at most") {
  Line line;
  CHECK(worst_wait(line, 300) <= 320);
  CHECK(line.pace.slow());
}

TEST_CASE("a slow line is known by the answer behind the first frame") {
  Line line;
  line.pace.sent(1'000);
  line.free_ms = 1'040;
  line.write(0);
  line.until(1'200);
  CHECK(line.pace.slow());
}

TEST_CASE("a slow line has room for a key between two frames") {
  Line line;
  worst_wait(line, 300);
  line.until(30'000);
  line.write(300);
  const std::int64_t shown_ms = line.answers.back();
  line.until(shown_ms);
  CHECK(line.pace.open_ms(true, shown_ms) == shown_ms);
  CHECK(line.pace.open_ms(false, shown_ms) > shown_ms + 200);
}

TEST_CASE("a fast line is never waited for, however far away it is") {
  Line near{.bytes_per_ms = 10'000, .delay_ms = 0}, far{.bytes_per_ms = 10'000, .delay_ms = 300};
  for (Line* line : {&near, &far}) {
    worst_wait(*line, 300);
    CHECK_FALSE(line->pace.slow());
    line->write(100);
    CHECK(line->pace.open_ms(false, line->now_ms) == line->now_ms);
  }
}

TEST_CASE("a fast line is asked once for some kilobytes") {
  Line line{.bytes_per_ms = 10'000, .delay_ms = 1};
  worst_wait(line, 100);
  int asked = 0;
  for (int i = 0; i < 400; ++i) {
    line.until(line.now_ms + 16);
    asked += line.pace.asks(100, line.now_ms) ? 1 : 0;
    line.pace.answered(line.now_ms + 2);
  }
  CHECK(asked <= 10);
}

TEST_CASE("a line that becomes slow is noticed, and one that becomes fast is set free") {
  Line line{.bytes_per_ms = 10'000, .delay_ms = 1};
  worst_wait(line, 300);
  line.bytes_per_ms = 0.96;
  for (int i = 0; i < 2'000; ++i) {
    line.until(line.now_ms + 16);
    if (line.pace.open_ms(false, line.now_ms) <= line.now_ms) line.write(300);
  }
  CHECK(line.pace.slow());
  CHECK(line.backlog_ms() <= 320);
  line.bytes_per_ms = 10'000;
  for (int i = 0; i < 200; ++i) {
    line.until(line.now_ms + 16);
    if (line.pace.open_ms(false, line.now_ms) <= line.now_ms) line.write(300);
  }
  CHECK_FALSE(line.pace.slow());
}

TEST_CASE("a terminal that never answers, or no longer, is not waited for") {
  LinePace mute;
  CHECK(mute.asks(0, 0));
  CHECK(mute.asks(1'000, 1));
  CHECK_FALSE(mute.asks(300, 20));
  CHECK(mute.open_ms(false, 20) == 20);
  CHECK(mute.answer_until_ms() <= 1'001);

  LinePace cut;
  cut.asks(0, 0);
  cut.answered(100);
  cut.asks(1'000, 100);
  CHECK(cut.open_ms(true, 1'000) > 1'000);
  CHECK(cut.open_ms(true, 6'000) == 6'000);
}

TEST_CASE("the status that a terminal answers is no key") {
  InputParser parser;
  const auto inputs = parser.feed(std::string(status_answer));
  REQUIRE(inputs.size() == 1);
  CHECK(std::holds_alternative<Reply>(inputs[0]));
}
