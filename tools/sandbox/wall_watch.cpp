#include "tools/sandbox/wall_watch.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "tools/sandbox/wall_calls.h"
#include "tools/workspace/workspace.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using walls::FileCall;

constexpr std::size_t most_hits = 16;
constexpr int name_service = 53, name_service_tls = 853;

std::string bytes_at(pid_t process, std::uint64_t address, std::size_t size) {
  std::string bytes(size, '\0');
  const int memory = ::open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t got = memory < 0 ? 0 : ::pread(memory, bytes.data(), size, static_cast<off_t>(address));
  if (memory >= 0) ::close(memory);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

fs::path link_target(const std::string& link) {
  char text[4096];
  const ssize_t size = ::readlink(link.c_str(), text, sizeof text);
  return size < 0 ? fs::path() : fs::path(std::string(text, static_cast<std::size_t>(size)));
}

bool is_there(const fs::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

// Would the kernel get as far as the wall, or fail before for a reason of its own?
bool reaches_wall(const FileCall& call, const seccomp_data& data, const fs::path& path) {
  if (call.when == FileCall::When::makes) return !is_there(path);
  if (call.when == FileCall::When::changes) return is_there(path);
  const auto flags = call.flags < 0 ? O_CREAT : static_cast<int>(data.args[call.flags]);
  if (is_there(path)) return (flags & O_EXCL) == 0;
  return (flags & O_CREAT) != 0 && is_there(path.parent_path());
}

// Is there a server at this port in the network of the process?
bool listens(pid_t process, int port) {
  char wanted[16];
  std::snprintf(wanted, sizeof wanted, ":%04X", static_cast<unsigned>(port));
  for (const char* table : {"tcp", "tcp6", "udp", "udp6"}) {
    std::ifstream lines("/proc/" + std::to_string(process) + "/net/" + table);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream columns(line);
      std::string number, local, remote, state;
      columns >> number >> local >> remote >> state;
      const bool waits = state == "0A" || state == "07";
      if (waits && local.ends_with(wanted)) return true;
    }
  }
  return false;
}

}  // namespace

WallWatch::WallWatch(const Sandbox& sandbox) : sandbox_(sandbox) {}

WallWatch::~WallWatch() {
  for (const int fd : {channel_[0], channel_[1], listener_})
    if (fd >= 0) ::close(fd);
}

int WallWatch::open_channel() {
  if (!sandbox_.on || sandbox_.notices == Notices::none) return -1;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel_) != 0) return -1;
  return channel_[1];
}

void WallWatch::take_listener() {
  if (channel_[0] < 0) return;
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof listener_)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = ::recvmsg(channel_[0], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  const cmsghdr* head = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (head != nullptr && head->cmsg_type == SCM_RIGHTS)
    std::memcpy(&listener_, CMSG_DATA(head), sizeof listener_);
  watched_ = listener_ >= 0;
  for (int& end : channel_) {
    ::close(end);
    end = -1;
  }
}

void WallWatch::attend(short events) {
  if ((events & POLLIN) != 0) {
    pollfd waiting{listener_, POLLIN, 0};
    while (answer_one() && ::poll(&waiting, 1, 0) == 1 && (waiting.revents & POLLIN) != 0) {}
  }
  if ((events & (POLLHUP | POLLERR)) == 0) return;
  ::close(listener_);  // nothing is left that could report
  listener_ = -1;
}

bool WallWatch::answer_one() {
  seccomp_notif call{};
  if (::ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
    return errno == EINTR;  // ENOENT: it has ended meanwhile
  note(call);
  seccomp_notif_resp answer{};
  answer.id = call.id;
  if (call.data.nr == SYS_socket)
    answer.error = -EACCES;
  else
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  return true;
}

void WallWatch::note(const seccomp_notif& call) {
  if (hits_.size() >= most_hits) return;
  if (call.data.nr == SYS_socket) return add({WallHit::Kind::connect, {}});
  if (call.data.nr == SYS_connect) return note_connection(call, 1, 2);
  if (call.data.nr == SYS_sendto) return note_connection(call, 4, 5);
  note_file(call);
}

void WallWatch::note_file(const seccomp_notif& call) {
  const auto known = std::find_if(std::begin(walls::file_calls), std::end(walls::file_calls),
                                  [&](const FileCall& one) { return one.number == call.data.nr; });
  if (known == std::end(walls::file_calls)) return;
  const auto process = static_cast<pid_t>(call.pid);
  const std::string proc = "/proc/" + std::to_string(process);
  fs::path path = bytes_at(process, call.data.args[known->path], 4096).c_str();
  if (path.is_relative()) {
    const int directory =
        known->directory < 0 ? AT_FDCWD : static_cast<int>(call.data.args[known->directory]);
    path =
        link_target(directory == AT_FDCWD ? proc + "/cwd" : proc + "/fd/" + std::to_string(directory)) / path;
  }
  path = path.lexically_normal();
  if (path.is_relative() || may_write(path) || !reaches_wall(*known, call.data, path)) return;
  add({WallHit::Kind::write, path.string()});
}

void WallWatch::note_connection(const seccomp_notif& call, int address, int length) {
  const auto size = std::min<std::uint64_t>(call.data.args[length], sizeof(sockaddr_in6));
  const std::string bytes =
      bytes_at(static_cast<pid_t>(call.pid), call.data.args[address], static_cast<std::size_t>(size));
  sockaddr_in6 six{};
  sockaddr_in four{};
  std::memcpy(&six, bytes.data(), bytes.size());
  std::memcpy(&four, bytes.data(), std::min(bytes.size(), sizeof four));
  char text[INET6_ADDRSTRLEN] = {};
  if (four.sin_family == AF_INET)
    ::inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
  else if (six.sin6_family == AF_INET6)
    ::inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
  else
    return;
  const int port = ntohs(four.sin_port);  // at the same place in both
  const std::string host = text;
  if (port == name_service || port == name_service_tls) return add({WallHit::Kind::connect, {}});
  if (port == 0) return;
  if (host.starts_with("127.") || host == "::1" || host.starts_with("::ffff:127.")) {
    // A server of its own is there; one that runs outside is behind the wall.
    if (!listens(static_cast<pid_t>(call.pid), port))
      add({WallHit::Kind::connect, "localhost:" + std::to_string(port)});
    return;
  }
  add({WallHit::Kind::connect, host + ":" + std::to_string(port)});
}

bool WallWatch::may_write(const fs::path& path) const {
  for (const char* own : {"/dev", "/proc"})
    if (is_under(own, path)) return true;
  if (!sandbox_.temp.empty() && is_under(sandbox_.temp, path)) return true;
  return std::any_of(sandbox_.writable.begin(), sandbox_.writable.end(),
                     [&](const fs::path& root) { return is_under(root, path); });
}

void WallWatch::add(WallHit hit) {
  const auto same = [&](const WallHit& one) { return one.kind == hit.kind && one.target == hit.target; };
  if (std::none_of(hits_.begin(), hits_.end(), same)) hits_.push_back(std::move(hit));
}

}  // namespace tern
