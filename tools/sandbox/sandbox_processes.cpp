// A process namespace: what runs in it sees and reaches nothing outside. It takes three processes: the one
// that was started stays outside and ends as the command does, the first one inside reaps until nothing is
// left, the second becomes the command.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "tools/sandbox/fork_alone.h"
#include "tools/sandbox/sandbox_parts.h"

namespace tern::walls {

namespace {

constexpr int channel = 0, outside = 1;  // all that the two helpers keep open

void keep_only(int line, int process) {
  ::dup2(line, channel);
  if (process >= 0) ::dup2(process, outside);
  ::syscall(__NR_close_range, process >= 0 ? 2u : 1u, ~0u, 0u);
}

void be_steadfast() {
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    ::prctl(PR_SET_DUMPABLE, 0);
    ::signal(WTERMSIG(status), SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, WTERMSIG(status));
    ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
    ::kill(::getpid(), WTERMSIG(status));
    ::_exit(128 + WTERMSIG(status));
  }
  ::_exit(WEXITSTATUS(status));
}

[[noreturn]] void wait_outside(int line, pid_t first) {
  be_steadfast();
  keep_only(line, -1);
  int status = 0;
  ssize_t got = 0;
  while ((got = ::read(channel, &status, sizeof status)) < 0 && errno == EINTR) {}
  if (got != static_cast<ssize_t>(sizeof status))
    while (::waitpid(first, &status, 0) < 0 && errno == EINTR) {}
  end_like(status);
}

// Outlives the one outside as long as something runs; then its parent is the supervisor, with which it ends.
[[noreturn]] void reap_inside(int line, int process, pid_t command) {
  be_steadfast();
  keep_only(line, process);
  drop_capabilities();
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, 0);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) ::_exit(0);
    if (pid != command) continue;
    ::prctl(PR_SET_PDEATHSIG, 0);
    if (::write(channel, &status, sizeof status) < 0 || ::waitpid(-1, nullptr, WNOHANG) < 0)
      ::_exit(0);  // nothing else runs
    pollfd gone{outside, POLLIN, 0};
    while (::poll(&gone, 1, -1) < 0 && errno == EINTR) {}  // from then on the supervisor is the parent
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  }
}

// Numbers go on from the outer ones, so that names made of them do not meet again at the next command.
void continue_numbers(pid_t from) {
  const int fd = ::open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  char text[16];
  const int size = std::snprintf(text, sizeof text, "%d", static_cast<int>(from));
  if (::write(fd, text, static_cast<std::size_t>(size)) < 0) errno = 0;
  ::close(fd);
}

}  // namespace

std::string enter_own_processes() {
  const bool leads = ::getsid(0) == ::getpid();
  const pid_t outer = ::getpid();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno_text("socket pair");
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, outer, 0));
  if (process < 0) return errno_text("process descriptor");
  const pid_t first = fork_alone();
  if (first < 0) return errno_text("first process");
  if (first > 0) wait_outside(ends[0], first);
  ::close(ends[0]);
  std::string why;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) why = errno_text("private mounts");
  if (why.empty() && ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    why = errno_text("processes");
  continue_numbers(outer);
  const pid_t command = fork_alone();
  if (command < 0) return errno_text("process");
  if (command > 0) reap_inside(ends[1], process, command);
  for (int fd : {ends[1], process}) ::close(fd);
  if (leads) ::setsid();
  return why;
}

}  // namespace tern::walls
