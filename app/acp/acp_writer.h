// The one writer of the protocol's output: whole lines, in order, from any thread. Nobody who has something
// to say waits for a client that reads slowly.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace tern {

class AcpWriter {
 public:
  explicit AcpWriter(int fd);
  ~AcpWriter();  // what waits is still written, for at most `patience`
  AcpWriter(const AcpWriter&) = delete;
  AcpWriter& operator=(const AcpWriter&) = delete;

  void send(std::string line);  // without its newline

  static constexpr std::chrono::seconds patience{2};

 private:
  void work();
  bool write_out(const std::string& line);
  bool gave_up();

  int fd_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::string> lines_;
  bool ending_ = false;
  std::chrono::steady_clock::time_point end_{};
  std::thread thread_;
};

}  // namespace tern
