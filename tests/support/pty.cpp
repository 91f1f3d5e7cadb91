#include "tests/support/pty.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "tests/support/exec_words.h"

namespace tern {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void run_child(int slave, const test::ExecWords& program, const Pty::Options& options) {
  setsid();
  ioctl(slave, TIOCSCTTY, 0);
  for (const int fd : {0, 1, 2}) dup2(slave, fd);
  if (slave > 2) close(slave);
  if (!options.cwd.empty() && chdir(options.cwd.c_str()) != 0) _exit(126);
  if (options.before_exec) options.before_exec();
  program.become();
}

std::vector<std::string> environment_of(const Pty::Options& options) {
  const char* path = getenv("PATH");
  std::vector<std::string> environment = {"PATH=" + std::string(path ? path : "/usr/bin:/bin")};
  for (const auto& [name, value] : options.environment) environment.push_back(name + "=" + value);
  return environment;
}

}  // namespace

Pty::Pty(const std::vector<std::string>& argv, const Options& options)
    : vt_(options.columns, options.lines), deadline_seconds_(options.deadline_seconds) {
  master_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  grantpt(master_);
  unlockpt(master_);
  const int slave = open(ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
  winsize size{};
  size.ws_col = static_cast<unsigned short>(options.columns);
  size.ws_row = static_cast<unsigned short>(options.lines);
  ioctl(slave, TIOCSWINSZ, &size);
  const test::ExecWords program(argv, environment_of(options));
  pid_ = fork();
  if (pid_ == 0) run_child(slave, program, options);
  close(slave);
}

Pty::~Pty() {
  if (master_ >= 0) close(master_);
  if (!ended_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

void Pty::send(std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd ready{master_, POLLOUT | POLLIN, 0};
    if (poll(&ready, 1, 1'000) <= 0) return;
    if (ready.revents & POLLIN) read_some(0);
    if (!(ready.revents & POLLOUT)) continue;
    const ssize_t wrote = write(master_, bytes.data(), std::min<std::size_t>(bytes.size(), 1'024));
    if (wrote <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

void Pty::resize(int columns, int lines) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(lines);
  vt_.resize(columns, lines);
  ioctl(master_, TIOCSWINSZ, &size);
}

bool Pty::read_some(int timeout_ms) {
  pollfd ready{master_, POLLIN, 0};
  if (poll(&ready, 1, timeout_ms) <= 0) return true;
  char bytes[1 << 16];
  const ssize_t got = read(master_, bytes, sizeof bytes);
  if (got <= 0) return false;
  raw_.append(bytes, static_cast<std::size_t>(got));
  vt_.feed(std::string_view(bytes, static_cast<std::size_t>(got)));
  const std::string answers = vt_.answers();
  if (!answers.empty()) (void)!write(master_, answers.data(), answers.size());
  return true;
}

bool Pty::until(const std::function<bool(const Vt&)>& seen) {
  const auto deadline = Clock::now() + std::chrono::seconds(deadline_seconds_);
  while (Clock::now() < deadline) {
    if (seen(vt_)) return true;
    if (!read_some(50)) return seen(vt_);
  }
  return false;
}

bool Pty::until_text(std::string_view text) {
  return until([&](const Vt& vt) { return vt.text().find(text) != std::string::npos; });
}
bool Pty::until_gone(std::string_view text) {
  return until([&](const Vt& vt) { return vt.text().find(text) == std::string::npos; });
}

int Pty::until_exit() {
  const auto deadline = Clock::now() + std::chrono::seconds(deadline_seconds_);
  while (!ended_ && Clock::now() < deadline) {
    if (master_ >= 0) read_some(20);
    ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  }
  if (ended_ && master_ >= 0)
    while (true) {
      const std::size_t before = raw_.size();
      if (!read_some(0) || raw_.size() == before) break;
    }
  return ended_ ? status_ : -1;
}

void Pty::signal(int number) { kill(pid_, number); }

void Pty::hang_up() {
  close(master_);
  master_ = -1;
}

bool Pty::modes_restored() const {
  const auto last = [&](std::string_view what) { return raw_.rfind(what); };
  const std::pair<std::string_view, std::string_view> modes[] = {
      {"\x1b[?1049h", "\x1b[?1049l"}, {"\x1b[?2004h", "\x1b[?2004l"}, {"\x1b[?1004h", "\x1b[?1004l"},
      {"\x1b[?1002h", "\x1b[?1002l"}, {"\x1b[?1006h", "\x1b[?1006l"}, {"\x1b[>5u", "\x1b[<u"},
      {"\x1b[?25l", "\x1b[?25h"},     {"\x1b[?7l", "\x1b[?7h"}};
  for (const auto& [on, off] : modes)
    if (last(on) != std::string::npos && (last(off) == std::string::npos || last(off) < last(on)))
      return false;
  return true;
}

}  // namespace tern
