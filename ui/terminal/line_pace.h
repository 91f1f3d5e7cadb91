// Keeps frames from piling up on a slow line. Behind a frame the terminal is asked for its status; on a slow
// line the next frame waits for the answer, so a key is echoed after one frame at most, never after a backlog
// of stale ones. A terminal that never answers is never waited for. Pure: the clock is passed in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

namespace tern {

constexpr std::string_view status_question = "\x1b[5n", status_answer = "\x1b[0n";

class LinePace {
 public:
  void sent(std::size_t bytes) { bytes_ += bytes; }  // before the terminal may be asked anything
  // Bytes go out now. True: the question belongs behind them.
  bool asks(std::size_t bytes, std::int64_t now_ms);
  void answered(std::int64_t now_ms);

  // When the next frame may go out. One that answers a key goes as soon as the terminal has shown the last
  // one; the others leave the line free for as long as that took.
  std::int64_t open_ms(bool for_key, std::int64_t now_ms);
  // Until when an answer may still come; it belongs to us, not to the next program that reads the terminal.
  std::int64_t answer_until_ms() const;
  bool slow() const { return slow_; }

 private:
  struct Question {
    std::int64_t ms = 0;
    std::size_t bytes = 0;  // sent since the question before
  };
  std::deque<Question> open_;
  int asked_ = 0;
  bool heard_ = false;        // any answer
  std::int64_t way_ms_ = -1;  // there and back; -1: unknown
  std::int64_t took_ms_ = 0, answered_ms_ = 0;
  std::size_t bytes_ = 0;  // since the last question
  bool slow_ = false;
};

}  // namespace tern
