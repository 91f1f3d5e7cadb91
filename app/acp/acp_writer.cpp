#include "app/acp/acp_writer.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

namespace tern {

AcpWriter::AcpWriter(int fd) : fd_(fd), thread_([this] { work(); }) {}

AcpWriter::~AcpWriter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    end_ = std::chrono::steady_clock::now() + patience;
  }
  ready_.notify_one();
  thread_.join();
}

void AcpWriter::send(std::string line) {
  line += '\n';
  {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  ready_.notify_one();
}

void AcpWriter::work() {
  bool alive = true;
  for (;;) {
    std::deque<std::string> lines;
    {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [this] { return ending_ || !lines_.empty(); });
      if (lines_.empty()) return;
      lines.swap(lines_);
    }
    for (const auto& line : lines)
      alive = alive && write_out(line);  // once the client is gone nothing is worth keeping
  }
}

bool AcpWriter::gave_up() {
  const std::lock_guard lock(mutex_);
  return ending_ && std::chrono::steady_clock::now() >= end_;
}

// So much is taken at once by a pipe that poll() calls ready: the thread never hangs in write().
bool AcpWriter::write_out(const std::string& line) {
  constexpr int glance_ms = 100;
  for (std::size_t done = 0; done < line.size();) {
    pollfd out{fd_, POLLOUT, 0};
    const int ready = ::poll(&out, 1, glance_ms);
    if (ready == 0 && gave_up()) return false;
    if (ready <= 0) continue;
    const auto n = ::write(fd_, line.data() + done, std::min<std::size_t>(line.size() - done, PIPE_BUF));
    if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace tern
