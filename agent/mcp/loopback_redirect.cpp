#include "agent/mcp/loopback_redirect.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

namespace tern {

namespace {

constexpr std::size_t kLongestRequest = 16u << 10;
constexpr std::chrono::milliseconds kBrowserPatience{3'000};

std::string page(const char* status, const char* text) {
  const std::string body = std::string("<!doctype html><meta charset=utf-8><title>tern</title><p>") + text;
  return std::string("HTTP/1.1 ") + status +
         "\r\nContent-Type: text/html; charset=utf-8\r\nReferrer-Policy: no-referrer\r\n" +
         "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

// "GET /path HTTP/1.1" of a request; what does not come in time or is too long is none.
std::string target_of_request(int peer) {
  const auto end = std::chrono::steady_clock::now() + kBrowserPatience;
  std::string text;
  while (text.find("\r\n\r\n") == text.npos && text.size() < kLongestRequest) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd fd{peer, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&fd, 1, static_cast<int>(left.count())) <= 0) return {};
    char part[2048];
    const ssize_t got = ::recv(peer, part, sizeof part, MSG_DONTWAIT);
    if (got <= 0) return {};
    text.append(part, static_cast<std::size_t>(got));
  }
  if (!text.starts_with("GET ")) return {};
  return text.substr(4, text.find_first_of(" \r", 4) - 4);
}

}  // namespace

LoopbackRedirect::LoopbackRedirect(int port) {
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const int yes = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 8) != 0)
    why_ = "cannot listen on 127.0.0.1: " + std::string(std::strerror(errno));
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
}

LoopbackRedirect::~LoopbackRedirect() {
  ::close(listener_);
  ::close(wake_);
}

std::string LoopbackRedirect::address() const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/callback";
}

std::string LoopbackRedirect::answer(int peer,
                                     const std::function<bool(const std::string& url)>& fits) const {
  const std::string target = target_of_request(peer);
  const bool here = target == "/callback" || target.starts_with("/callback?");
  const std::string url = "http://127.0.0.1:" + std::to_string(port_) + target;
  const bool good = here && fits(url);
  const std::string text =
      !here  ? page("404 Not Found", "Nothing is here.")
      : good ? page("200 OK", "tern received the answer. You can close this window.")
             : page("400 Bad Request", "This answer belongs to another sign-in. tern is still waiting.");
  (void)::send(peer, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return good ? url : std::string();
}

std::optional<std::string> LoopbackRedirect::wait(const std::function<bool(const std::string& url)>& fits,
                                                  std::stop_token stop) {
  const std::stop_callback by_stop(stop, [this] { give({}); });
  while (!stop.stop_requested()) {
    pollfd fds[2] = {{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    ::poll(fds, 2, -1);
    std::uint64_t rung = 0;
    if (::read(wake_, &rung, sizeof rung) > 0) {
      const std::lock_guard lock(mutex_);
      if (std::string url = std::exchange(given_, {}); !url.empty() && fits(url)) return url;
    }
    const int peer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (peer < 0) continue;
    std::string url = answer(peer, fits);
    ::shutdown(peer, SHUT_WR);
    ::close(peer);
    if (!url.empty()) return url;
  }
  return std::nullopt;
}

void LoopbackRedirect::give(std::string url) {
  {
    const std::lock_guard lock(mutex_);
    given_ = std::move(url);
  }
  const std::uint64_t one = 1;
  if (::write(wake_, &one, sizeof one) < 0) return;
}

}  // namespace tern
