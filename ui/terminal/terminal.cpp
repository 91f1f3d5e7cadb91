#include "ui/terminal/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

namespace tern {
namespace {

constexpr std::string_view enter_modes =
    "\x1b[?7l"     // a letter that the terminal draws wider than we count stays in its row
    "\x1b[?2004h"  // bracketed paste
    "\x1b[>5u"     // kitty keyboard: disambiguate, and say which key it would be on a Latin keyboard
    "\x1b[>4;1m";  // modifyOtherKeys where kitty's is unknown
constexpr std::string_view focus_mode = "\x1b[?1004h";
constexpr std::string_view mouse_modes = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
constexpr char leave_modes[] =
    "\x1b[?2026l\x1b[>4m\x1b[<u\x1b[?1004l\x1b[?2004l\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[0m\x1b[?25h\x1b[?"
    "7h";
// Cleared first: where there is no second screen (screen(1) as it comes), the account would stand between old
// lines.
constexpr char leave_alternate[] = "\x1b[H\x1b[2J\x1b[?1049l";

constexpr char keep_title[] = "\x1b[22;0t";
constexpr char leave_title[] =
    "\x1b]0;\a\x1b[23;0t";  // empty first: some terminals keep none, and show their own for none
constexpr char leave_progress[] = "\x1b]9;4;0;\a";

termios saved{};
std::atomic<bool> raw{false};
std::atomic<bool> alternate_on{false};
std::atomic<bool> title_kept{false}, progress_shown{false};

void write_raw(const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t wrote = ::write(STDOUT_FILENO, bytes, size);
    if (wrote <= 0) return;
    bytes += wrote;
    size -= static_cast<std::size_t>(wrote);
  }
}

struct sigaction before[NSIG];

// Whoever stood here before writes his report to a terminal in order.
void fatal(int signal) {
  restore_terminal();
  sigaction(signal, &before[signal], nullptr);
  raise(signal);
}

sigset_t ui_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT})
    sigaddset(&set, signal);
  return set;
}

}  // namespace

// SIGTSTP with its default action and not SIGSTOP: the kernel drops it for an orphaned group, which nobody
// would continue.
void stop_group() {
  sigset_t stop, before_mask;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  struct sigaction standard {
  }, before_action;
  standard.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &standard, &before_action);
  pthread_sigmask(SIG_BLOCK, &stop, &before_mask);
  kill(0, SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);  // stops here
  pthread_sigmask(SIG_SETMASK, &before_mask, nullptr);
  sigaction(SIGTSTP, &before_action, nullptr);
}

void restore_terminal() {
  if (!raw.exchange(false)) return;
  write_raw(leave_modes, sizeof leave_modes - 1);
  if (alternate_on.exchange(false)) write_raw(leave_alternate, sizeof leave_alternate - 1);
  if (title_kept) write_raw(leave_title, sizeof leave_title - 1);
  if (progress_shown) write_raw(leave_progress, sizeof leave_progress - 1);
  // Answers to our questions and keys typed too late must not reach the shell.
  tcflush(STDIN_FILENO, TCIFLUSH);
  tcsetattr(STDIN_FILENO, TCSANOW, &saved);
}

void install_crash_restore() {
  static char stack[1 << 16];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = fatal;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE})
    sigaction(signal, &action, &before[signal]);
  std::atexit(restore_terminal);
  static std::terminate_handler previous = std::get_terminate();
  std::set_terminate([] {
    restore_terminal();
    if (previous) previous();
    std::abort();
  });
}

void block_ui_signals() {
  const sigset_t set = ui_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

Terminal::Terminal(bool alternate, bool mouse) : alternate_(alternate), mouse_(mouse) {
  wake_fd_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  const sigset_t set = ui_signals();
  signal_fd_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  enter();
}

Terminal::~Terminal() {
  leave();
  title_kept = false;
  progress_shown = false;
  if (wake_fd_ >= 0) close(wake_fd_);
  if (signal_fd_ >= 0) close(signal_fd_);
}

void Terminal::announces(bool title, bool progress) {
  progress_shown = progress;
  if (title && !title_kept.exchange(true) && entered_) write(keep_title);
}

void Terminal::watch_focus() {
  if (!std::exchange(focus_watched_, true) && entered_) write(focus_mode);
}

void Terminal::enter() {
  if (entered_) return;
  if (tcgetattr(STDIN_FILENO, &saved) == 0) {
    termios mode = saved;
    cfmakeraw(&mode);
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &mode);
  }
  entered_ = true;
  raw = true;
  alternate_on = alternate_;
  std::string modes = alternate_ ? "\x1b[?1049h" : "";
  modes += enter_modes;
  if (mouse_) modes += mouse_modes;
  if (focus_watched_) modes += focus_mode;
  if (title_kept) modes += keep_title;
  write(modes);
}

void Terminal::leave() {
  if (!entered_) return;
  entered_ = false;
  restore_terminal();
}

bool Terminal::suspend() {
  // In the group of the session's leader, or the child of another session: whoever would see us stopped has
  // no `fg`.
  if (getsid(0) == getpgrp() || getsid(getppid()) != getsid(0)) return false;
  leave();
  stop_group();
  enter();
  return true;
}

TerminalSize Terminal::size() const {
  winsize size{};
  TerminalSize found;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0)
    found = {size.ws_col, size.ws_row};
  return found;
}

Woken Terminal::wait(int timeout_ms, bool events) {
  pollfd fds[] = {{STDIN_FILENO, POLLIN, 0}, {events ? wake_fd_ : -1, POLLIN, 0}, {signal_fd_, POLLIN, 0}};
  Woken woken;
  if (poll(fds, 3, timeout_ms) <= 0) return woken;
  woken.input = (fds[0].revents & POLLIN) != 0;
  woken.hangup = (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0 && !woken.input;
  if (fds[1].revents != 0) {
    std::uint64_t count = 0;
    woken.event = ::read(wake_fd_, &count, sizeof count) > 0;
  }
  if (fds[2].revents == 0) return woken;
  signalfd_siginfo info{};
  while (::read(signal_fd_, &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    woken.resized |= signal == SIGWINCH || signal == SIGCONT;
    woken.child_stop |= signal == SIGTSTP;
    woken.hangup |= signal == SIGHUP;
    woken.quit |= signal == SIGINT || signal == SIGTERM || signal == SIGQUIT;
  }
  return woken;
}

std::string Terminal::read() {
  std::string bytes(1 << 16, '\0');
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got <= 0 && !(got < 0 && (errno == EAGAIN || errno == EINTR))) hung_up_ = true;
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

bool Terminal::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (wrote > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
      continue;
    }
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) {
      pollfd ready{STDOUT_FILENO, POLLOUT, 0};
      if (poll(&ready, 1, 1000) > 0) continue;
    }
    hung_up_ = true;
    return false;
  }
  return true;
}

void Terminal::wake() {
  const std::uint64_t one = 1;
  (void)!::write(wake_fd_, &one, sizeof one);
}

}  // namespace tern
