#include "tests/support/observer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <thread>

namespace tern::test {

namespace {

// Where a call keeps the path it touches; descriptor −1: relative to the working directory.
struct Watched {
  long number;
  const char* name;
  int directory, path;
  bool writes;
};

constexpr Watched watched[] = {
    {SYS_execve, "execve", -1, 0, false},     {SYS_execveat, "execveat", 0, 1, false},
    {SYS_connect, "connect", -1, 1, false},   {SYS_bind, "bind", -1, 1, false},
    {SYS_openat, "openat", 0, 1, false},      {SYS_openat2, "openat2", 0, 1, false},
    {SYS_mkdirat, "mkdirat", 0, 1, true},     {SYS_mknodat, "mknodat", 0, 1, true},
    {SYS_unlinkat, "unlinkat", 0, 1, true},   {SYS_renameat, "renameat", 2, 3, true},
    {SYS_renameat2, "renameat2", 2, 3, true}, {SYS_linkat, "linkat", 2, 3, true},
    {SYS_symlinkat, "symlinkat", 1, 2, true}, {SYS_fchmodat, "fchmodat", 0, 1, true},
    {SYS_fchownat, "fchownat", 0, 1, true},   {SYS_truncate, "truncate", -1, 0, true},
#ifdef SYS_open
    {SYS_open, "open", -1, 0, false},         {SYS_creat, "creat", -1, 0, true},
    {SYS_mkdir, "mkdir", -1, 0, true},        {SYS_mknod, "mknod", -1, 0, true},
    {SYS_rmdir, "rmdir", -1, 0, true},        {SYS_unlink, "unlink", -1, 0, true},
    {SYS_rename, "rename", -1, 1, true},      {SYS_link, "link", -1, 1, true},
    {SYS_symlink, "symlink", -1, 1, true},    {SYS_chmod, "chmod", -1, 0, true},
    {SYS_chown, "chown", -1, 0, true},
#endif
};

std::vector<sock_filter> program() {
  std::vector<sock_filter> code;
  code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  const auto notify = [&](long number) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  };
  for (const Watched& call : watched) notify(call.number);
  notify(SYS_prctl);
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return code;
}

template <class T>
bool peek(pid_t pid, std::uint64_t at, T* to, std::size_t size) {
  iovec here{to, size}, there{reinterpret_cast<void*>(at), size};
  return ::process_vm_readv(pid, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

std::string text_at(pid_t pid, std::uint64_t at) {
  std::string text;
  for (char c = 1; text.size() < PATH_MAX; text += c, ++at)
    if (!peek(pid, at, &c, 1) || c == '\0') break;
  return text;
}

std::string link_of(const std::string& link) {
  std::error_code error;
  return std::filesystem::read_symlink(link, error).string();
}

std::string absolute(pid_t pid, std::uint64_t directory, const std::string& path) {
  if (!path.empty() && path.front() == '/') return path;
  const std::string process = "/proc/" + std::to_string(pid);
  const int fd = static_cast<int>(directory);
  const std::string base = link_of(fd == AT_FDCWD ? process + "/cwd" : process + "/fd/" + std::to_string(fd));
  return (std::filesystem::path(base) / path).lexically_normal().string();
}

std::string address_of(pid_t pid, std::uint64_t at, std::uint64_t length) {
  sockaddr_storage address{};
  if (!peek(pid, at, &address, std::min<std::size_t>(length, sizeof address))) return "?";
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    const auto* four = reinterpret_cast<sockaddr_in*>(&address);
    ::inet_ntop(AF_INET, &four->sin_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(ntohs(four->sin_port));
  }
  if (address.ss_family == AF_INET6) {
    const auto* six = reinterpret_cast<sockaddr_in6*>(&address);
    ::inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(ntohs(six->sin6_port));
  }
  if (address.ss_family == AF_UNIX) return reinterpret_cast<sockaddr_un*>(&address)->sun_path;
  return "family " + std::to_string(address.ss_family);
}

bool opens_for_writing(std::uint64_t flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0; }

Seen note_of(const seccomp_notif& asked) {
  const auto pid = static_cast<pid_t>(asked.pid);
  const auto& args = asked.data.args;
  for (const Watched& call : watched) {
    if (call.number != asked.data.nr) continue;
    Seen seen{call.name, {}, call.writes};
    if (call.number == SYS_connect || call.number == SYS_bind) {
      seen.what = address_of(pid, args[1], args[2]);
      return seen;
    }
    seen.what =
        absolute(pid, call.directory < 0 ? static_cast<std::uint64_t>(AT_FDCWD) : args[call.directory],
                 text_at(pid, args[call.path]));
    if (call.number == SYS_openat) seen.write = opens_for_writing(args[2]);
#ifdef SYS_open
    if (call.number == SYS_open) seen.write = opens_for_writing(args[1]);
#endif
    open_how how{};
    if (call.number == SYS_openat2 && peek(pid, args[2], &how, sizeof how))
      seen.write = opens_for_writing(how.flags);
    return seen;
  }
  return {};
}

bool hides(const seccomp_data& call) { return call.nr == SYS_prctl && call.args[0] == PR_SET_DUMPABLE; }

bool send_descriptor(int to, int descriptor) {
  char byte = 1;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &part, message.msg_iovlen = 1;
  message.msg_control = room.data(), message.msg_controllen = room.size();
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  return ::sendmsg(to, &message, 0) == 1;
}

int receive_descriptor(int from) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
  message.msg_iov = &part, message.msg_iovlen = 1;
  message.msg_control = room.data(), message.msg_controllen = room.size();
  if (::recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
  const cmsghdr* head = CMSG_FIRSTHDR(&message);
  int descriptor = -1;
  if (head != nullptr) std::memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
  return descriptor;
}

}  // namespace

struct Observer::State {
  int ours = -1, childs = -1;
  int listener = -1;
  decltype(program()) code = program();  // made here: the child of a process with threads must not allocate
  mutable std::mutex mutex;
  std::vector<Seen> seen;
  std::thread thread;

  void serve() {
    for (;;) {
      pollfd ready{listener, POLLIN, 0};
      if (::poll(&ready, 1, -1) < 0 && errno != EINTR) return;
      if ((ready.revents & POLLIN) == 0) {
        if ((ready.revents & (POLLHUP | POLLERR)) != 0) return;  // all of them are gone
        continue;
      }
      seccomp_notif asked{};
      if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) continue;
      seccomp_notif_resp answer{};
      answer.id = asked.id;
      if (hides(asked.data)) {  // told that it worked: only root could read a path of it otherwise
        ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
        continue;
      }
      if (asked.data.nr != SYS_prctl) {
        const std::lock_guard lock(mutex);
        seen.push_back(note_of(asked));
      }
      answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
      ::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
  }
};

Observer::Observer() : state_(std::make_unique<State>()) {
  int pair[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return;
  state_->ours = pair[0], state_->childs = pair[1];
}

Observer::~Observer() {
  finish();
  for (int fd : {state_->ours, state_->childs, state_->listener})
    if (fd >= 0) ::close(fd);
}

bool Observer::watch_me() const {
  auto& code = state_->code;
  const sock_fprog filter{static_cast<unsigned short>(code.size()), code.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  const long listener =
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
  if (listener < 0) return false;
  const bool sent = send_descriptor(state_->childs, static_cast<int>(listener));
  ::close(static_cast<int>(listener));
  return sent;
}

void Observer::begin() {
  if (state_->childs >= 0) ::close(state_->childs);
  state_->childs = -1;
  state_->listener = receive_descriptor(state_->ours);
  if (state_->listener >= 0) state_->thread = std::thread([this] { state_->serve(); });
}

void Observer::finish() {
  if (state_->thread.joinable()) state_->thread.join();
}

bool Observer::works() const { return state_->listener >= 0; }

std::vector<Seen> Observer::seen() const {
  const std::lock_guard lock(state_->mutex);
  return state_->seen;
}

std::vector<std::string> of_kind(const std::vector<Seen>& seen, std::string_view kind) {
  std::vector<std::string> found;
  for (const Seen& one : seen) {
    const bool program = one.call.rfind("exec", 0) == 0,
               connection = one.call == "connect" || one.call == "bind";
    const std::string_view is = program      ? "programs"
                                : connection ? "connections"
                                : one.write  ? "changes"
                                             : "reads";
    if (is == kind) found.push_back(one.what);
  }
  return found;
}

}  // namespace tern::test
