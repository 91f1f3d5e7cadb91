#include "ui/terminal/line_input.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

namespace tern {

LineInput::LineInput() : wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  sigset_t stopping, ours;
  sigemptyset(&stopping);
  for (const int signal : {SIGTSTP, SIGCONT, SIGWINCH}) sigaddset(&stopping, signal);
  pthread_sigmask(SIG_UNBLOCK, &stopping, nullptr);  // nothing here has to be put back before a stop
  sigemptyset(&ours);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ours, signal);
  signals_ = signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
}

LineInput::~LineInput() {
  close(wake_);
  close(signals_);
}

void LineInput::wake() {
  const std::uint64_t one = 1;
  (void)!::write(wake_, &one, sizeof one);
}

int LineInput::wait(bool want_line) {
  pollfd fds[] = {
      {want_line && !ended_ ? STDIN_FILENO : -1, POLLIN, 0}, {wake_, POLLIN, 0}, {signals_, POLLIN, 0}};
  if (poll(fds, 3, -1) <= 0) return 0;
  std::uint64_t count = 0;
  if (fds[1].revents != 0) (void)!::read(wake_, &count, sizeof count);
  if (fds[0].revents != 0) read_more();
  signalfd_siginfo info{};
  return fds[2].revents != 0 && ::read(signals_, &info, sizeof info) == sizeof info
             ? static_cast<int>(info.ssi_signo)
             : 0;
}

std::string LineInput::line() {
  std::string first = std::move(lines_.front());
  lines_.pop_front();
  return first;
}

void LineInput::read_more() {
  std::array<char, 1 << 16> bytes;
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  rest_.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  ended_ = got <= 0;
  if (ended_ && !rest_.empty()) rest_ += '\n';
  for (std::size_t end = rest_.find('\n'); end != rest_.npos; end = rest_.find('\n')) {
    lines_.push_back(rest_.substr(0, end - (end > 0 && rest_[end - 1] == '\r' ? 1 : 0)));
    rest_.erase(0, end + 1);
  }
}

}  // namespace tern
