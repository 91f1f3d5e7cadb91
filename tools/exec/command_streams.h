// Our ends of the streams that only a two-way command has: its input and its errors. Nothing here waits.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace tern {

struct CommandStreams {
  int input = -1, errors = -1;

  CommandStreams() = default;
  CommandStreams(const CommandStreams&) = delete;
  CommandStreams& operator=(const CommandStreams&) = delete;
  ~CommandStreams();

  // Makes both; the command's ends are the caller's to close. Empty on success.
  std::string open(int& their_input, int& their_errors);
  // How much of it was taken; −1 when the command reads no more.
  std::ptrdiff_t write(std::string_view bytes);
  void close_input();
  bool drain_errors(const std::function<void(std::string_view)>& sink);  // false once they have ended
};

// Our end of a command's output: large, and read without waiting.
void tune_output(int fd);
// Reads what is there, at most 1 MiB, into `sink`. False once the stream has ended.
bool read_some(int fd, const std::function<void(std::string_view)>& sink);

}  // namespace tern
