// An answer that trickles is read a few words at a time: each reading wakes two threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

namespace tern {

class Trickle {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using milliseconds = std::chrono::milliseconds;

  void read(std::size_t bytes) { bytes_ += bytes; }

  // How long the next reading may wait; asked after each. The first words and a short answer wait for
  // nothing, nor does what comes fast or after a pause.
  milliseconds pause(Time now) {
    const std::size_t bytes = std::exchange(bytes_, 0);
    if (bytes == 0) return milliseconds(0);
    if (now - std::exchange(last_, now) > longest_gap || bytes > most) began_ = now;
    return now - began_ > short_answer ? milliseconds(16) : milliseconds(0);
  }

 private:
  static constexpr std::size_t most = 12'288;
  static constexpr milliseconds longest_gap{100}, short_answer{250};

  std::size_t bytes_ = 0;
  Time last_, began_;
};

}  // namespace tern
