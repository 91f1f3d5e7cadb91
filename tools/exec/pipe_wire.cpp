#include "tools/exec/pipe_wire.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tern {

namespace {

bool send_descriptors(int socket, std::span<const int> fds, std::string_view& bytes) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char rights[CMSG_SPACE(most_descriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part, message.msg_iovlen = 1;
  message.msg_control = rights, message.msg_controllen = CMSG_SPACE(fds.size_bytes());
  cmsghdr* with = CMSG_FIRSTHDR(&message);
  with->cmsg_level = SOL_SOCKET, with->cmsg_type = SCM_RIGHTS, with->cmsg_len = CMSG_LEN(fds.size_bytes());
  std::memcpy(CMSG_DATA(with), fds.data(), fds.size_bytes());
  ssize_t put = 0;
  do put = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  while (put < 0 && errno == EINTR);
  if (put > 0) bytes.remove_prefix(static_cast<std::size_t>(put));
  return put > 0;
}

// Those above the standard streams are not for the command.
void place_descriptors(const cmsghdr& with, std::span<const int> targets) {
  const std::size_t count = (with.cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < count; ++i) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(&with) + i * sizeof fd, sizeof fd);
    if (i < targets.size() && fd != targets[i]) ::dup3(fd, targets[i], targets[i] > 2 ? O_CLOEXEC : 0);
    if (i >= targets.size() || fd != targets[i]) ::close(fd);
  }
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace

bool send_request(int socket, std::string_view bytes, std::span<const int> descriptors) {
  if (descriptors.size() > most_descriptors) return false;
  return (descriptors.empty() || send_descriptors(socket, descriptors, bytes)) && send_all(socket, bytes);
}

bool receive_head(int socket, std::uint32_t& head, std::span<const int> targets) {
  iovec part{&head, sizeof head};
  alignas(cmsghdr) char rights[CMSG_SPACE(most_descriptors * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part, message.msg_iovlen = 1;
  message.msg_control = rights, message.msg_controllen = sizeof rights;
  ssize_t got = 0;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const cmsghdr* with = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (with != nullptr && with->cmsg_type == SCM_RIGHTS) place_descriptors(*with, targets);
  if (got <= 0) return false;
  const auto have = static_cast<std::size_t>(got);
  return have >= sizeof head ||
         read_exactly(socket, reinterpret_cast<char*>(&head) + have, sizeof head - have);
}

bool read_exactly(int fd, char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::read(fd, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::string pack_fields(const Fields& fields) {
  std::string payload(sizeof(std::uint32_t), '\0');
  for (const auto& [key, value] : fields)
    payload.append(key).push_back('\0'), payload.append(value).push_back('\0');
  const auto length = static_cast<std::uint32_t>(payload.size() - sizeof(std::uint32_t));
  std::memcpy(payload.data(), &length, sizeof length);
  return payload;
}

Fields unpack_fields(std::string_view payload) {
  Fields fields;
  while (!payload.empty()) {
    const std::size_t key = payload.find('\0');
    const std::size_t value = key == payload.npos ? payload.npos : payload.find('\0', key + 1);
    if (value == payload.npos) break;
    fields.emplace_back(payload.substr(0, key), payload.substr(key + 1, value - key - 1));
    payload.remove_prefix(value + 1);
  }
  return fields;
}

}  // namespace tern
