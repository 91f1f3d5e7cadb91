#include "tools/exec/command_streams.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "tools/exec/process_request.h"

namespace tern {

namespace {

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

CommandStreams::~CommandStreams() {
  close_fd(input);
  close_fd(errors);
}

// A socket for the input: a write to one that nobody reads is an error and never a signal.
std::string CommandStreams::open(int& their_input, int& their_errors) {
  int in[2] = {-1, -1}, err[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0)
    return reason("cannot make a socket", errno);
  input = in[0], their_input = in[1];
  if (::pipe2(err, O_CLOEXEC) != 0) return reason("cannot make a pipe", errno);
  errors = err[0], their_errors = err[1];
  ::fcntl(errors, F_SETFL, O_NONBLOCK);
  return {};
}

std::ptrdiff_t CommandStreams::write(std::string_view bytes) {
  if (input < 0) return -1;
  const ssize_t put = ::send(input, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (put < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (put < 0) close_fd(input);
  return put;
}

void CommandStreams::close_input() { close_fd(input); }

bool CommandStreams::drain_errors(const std::function<void(std::string_view)>& sink) {
  if (errors >= 0 && !read_some(errors, sink)) close_fd(errors);
  return errors >= 0;
}

void tune_output(int fd) {
  ::fcntl(fd, F_SETPIPE_SZ, 1 << 20);
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
}

bool read_some(int fd, const std::function<void(std::string_view)>& sink) {
  static thread_local std::vector<char> buffer(1 << 20);
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got > 0) sink(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace tern
