#include "tools/exec/orphans.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <mutex>
#include <vector>

#include "tools/exec/process_tree.h"

namespace tern {

namespace {

struct Own {
  std::mutex mutex;  // held while one is being born
  std::vector<pid_t> pids;
};

Own& own() {
  static Own* const state = new Own;
  return *state;
}

// A child that is not reaped keeps its number, so the signal reaches no other.
bool end_one(const ProcessEntry& child) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0));
  const bool killed = child.state != 'Z' && ::kill(child.pid, SIGKILL) == 0;
  pollfd gone{fd, POLLIN, 0};
  ::poll(&gone, 1, 20);
  if (fd >= 0) ::close(fd);
  ::waitpid(child.pid, nullptr, WNOHANG);
  return killed;
}

}  // namespace

int start_own(const std::function<int()>& start) {
  const std::lock_guard lock(own().mutex);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const int pid = start();
  if (pid > 0) own().pids.push_back(pid);
  return pid;
}

void forget_own(pid_t pid) {
  const std::lock_guard lock(own().mutex);
  own().pids.erase(std::remove(own().pids.begin(), own().pids.end(), pid), own().pids.end());
}

unsigned long long now_in_ticks() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const auto rate = static_cast<unsigned long long>(::sysconf(_SC_CLK_TCK));
  return static_cast<unsigned long long>(now.tv_sec) * rate +
         static_cast<unsigned long long>(now.tv_nsec) * rate / 1'000'000'000;
}

int end_orphans(unsigned long long since) {
  const std::lock_guard lock(own().mutex);
  const auto stays = [&](const ProcessEntry& child) {
    return child.session == ::getsid(0) || child.born < since ||
           std::find(own().pids.begin(), own().pids.end(), child.pid) != own().pids.end();
  };
  int killed = 0;
  for (int round = 0; round < 50; ++round) {  // the children of those that die come here next
    std::vector<ProcessEntry> children = children_of(::getpid());
    children.erase(std::remove_if(children.begin(), children.end(), stays), children.end());
    if (children.empty()) break;
    for (const ProcessEntry& child : children) killed += end_one(child) ? 1 : 0;
  }
  return killed;
}

}  // namespace tern
