#include "tools/exec/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>

namespace tern {

namespace {

std::string read_file(const char* path, std::size_t most) {
  std::string text;
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  text.resize(most);
  std::size_t size = 0;
  for (ssize_t got; size < most && (got = ::read(fd, text.data() + size, most - size)) > 0;)
    size += static_cast<std::size_t>(got);
  text.resize(size);
  ::close(fd);
  return text;
}

bool read_entry(pid_t pid, ProcessEntry& entry) {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  const std::string text = read_file(path, 512);
  const std::size_t name_end = text.rfind(')');  // a name may hold anything, also ") R 1"
  if (name_end == std::string::npos) return false;
  int parent = 0, group = 0, session = 0;
  if (std::sscanf(text.c_str() + name_end + 1,
                  " %c %d %d %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                  &entry.state, &parent, &group, &session, &entry.born) != 5)
    return false;
  entry.pid = pid, entry.parent = parent, entry.group = group, entry.session = session;
  return true;
}

template <typename Visit>
void each_pid(Visit visit) {
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return;
  while (const dirent* entry = ::readdir(proc)) {
    const int pid = std::atoi(entry->d_name);
    if (pid > 0) visit(static_cast<pid_t>(pid));
  }
  ::closedir(proc);
}

void signal_one(const ProcessEntry& seen, int signal) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, seen.pid, 0));
  if (fd < 0) {
    ::kill(seen.pid, signal);
    return;
  }
  ProcessEntry now;
  if (read_entry(seen.pid, now) && (now.parent == seen.parent || now.parent == ::getpid()))
    ::syscall(SYS_pidfd_send_signal, fd, signal, nullptr, 0);
  ::close(fd);
}

// The descriptor this call waits for input on; those that wait for several count as waiting for their
// standard input.
int awaited_descriptor(pid_t pid) {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/%d/syscall", static_cast<int>(pid));
  long call = -1;
  unsigned long first = 0;
  if (std::sscanf(read_file(path, 200).c_str(), "%ld %lx", &call, &first) != 2) return -1;
  if (call == SYS_read || call == SYS_readv) return static_cast<int>(first);
#ifdef SYS_select
  if (call == SYS_select || call == SYS_poll) return 0;
#endif
  return call == SYS_pselect6 || call == SYS_ppoll ? 0 : -1;
}

bool is_terminal(pid_t pid, int descriptor) {
  char path[60], target[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", static_cast<int>(pid), descriptor);
  const ssize_t size = ::readlink(path, target, sizeof target);
  const std::string_view name(target, size > 0 ? static_cast<std::size_t>(size) : 0);
  return name.substr(0, 8) == "/dev/tty" || (name.substr(0, 9) == "/dev/pts/" && name != "/dev/pts/ptmx");
}

}  // namespace

bool reads_terminal(pid_t root) {
  bool found = false;
  for (const ProcessEntry& entry : descendants_of(root)) {
    if (entry.state == 'R' || entry.state == 'D') return false;
    const int descriptor = awaited_descriptor(entry.pid);
    found = found || (descriptor >= 0 && is_terminal(entry.pid, descriptor));
  }
  return found;
}

std::vector<ProcessEntry> descendants_of(pid_t root) {
  std::unordered_map<pid_t, ProcessEntry> all;
  each_pid([&](pid_t pid) {
    ProcessEntry entry;
    if (read_entry(pid, entry)) all.emplace(pid, entry);
  });
  const auto below = [&](pid_t pid) {
    for (int steps = 0; steps < 100000; ++steps) {
      const auto found = all.find(pid);
      if (found == all.end() || found->second.parent <= 0) return false;
      if (found->second.parent == root) return true;
      pid = found->second.parent;
    }
    return false;
  };
  std::vector<ProcessEntry> found;
  for (const auto& [pid, entry] : all)
    if (entry.state != 'Z' && entry.state != 'X' && below(pid)) found.push_back(entry);
  return found;
}

std::vector<ProcessEntry> children_of(pid_t parent) {
  std::vector<ProcessEntry> found;
  each_pid([&](pid_t pid) {
    ProcessEntry entry;
    if (read_entry(pid, entry) && entry.parent == parent) found.push_back(entry);
  });
  return found;
}

int count_descendants() { return static_cast<int>(descendants_of(::getpid()).size()); }

void signal_descendants(int signal, pid_t leader) {
  const std::vector<ProcessEntry> tree = descendants_of(::getpid());
  for (const ProcessEntry& entry : tree)
    if (entry.group == leader) {
      ::kill(-leader, signal);
      break;
    }
  for (const ProcessEntry& entry : tree)
    if (entry.group != leader) signal_one(entry, signal);
}

long tasks_in_system() {
  const std::string text = read_file("/proc/loadavg", 128);
  const std::size_t slash = text.find('/');
  return slash == std::string::npos ? 0 : std::atol(text.c_str() + slash + 1);
}

int kill_by_cookie(std::string_view cookie) {
  int killed = 0;
  each_pid([&](pid_t pid) {
    if (pid == ::getpid()) return;
    char path[40];
    std::snprintf(path, sizeof path, "/proc/%d/environ", static_cast<int>(pid));
    const std::string env = '\0' + read_file(path, 256 * 1024) + '\0';
    if (env.find('\0' + std::string(cookie) + '\0') == std::string::npos) return;
    if (::kill(pid, SIGKILL) == 0) ++killed;
  });
  return killed;
}

}  // namespace tern
