// A small HTTP server: one request a connection, answered by a function on the server's thread.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tern::test {

struct HttpAsked {
  std::string method, path, head, body;  // head: in lower case
  bool has(const std::string& line) const { return head.find(line) != std::string::npos; }
};

class TinyHttp {
 public:
  // Gives the whole answer from its status line on; "Connection: close" and the length are the caller's.
  using Handler = std::function<std::string(const HttpAsked&)>;

  // `between` runs between the head of each answer and its body.
  explicit TinyHttp(Handler handler, std::function<void()> between = nullptr)
      : handler_(std::move(handler)), between_(std::move(between)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_, 16);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~TinyHttp() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  TinyHttp(const TinyHttp&) = delete;
  TinyHttp& operator=(const TinyHttp&) = delete;

  std::string base() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string url() const { return base() + "/mcp"; }
  std::vector<HttpAsked> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  void serve() {
    for (int peer; (peer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; ::close(peer)) {
      const HttpAsked request = read(peer);
      {
        const std::lock_guard lock(mutex_);
        asked_.push_back(request);
      }
      const std::string answer = handler_(request);
      const std::size_t head =
          between_ ? std::min(answer.find("\r\n\r\n") + 4, answer.size()) : answer.size();
      (void)::send(peer, answer.data(), head, MSG_NOSIGNAL);
      if (head == answer.size()) continue;
      between_();
      (void)::send(peer, answer.data() + head, answer.size() - head, MSG_NOSIGNAL);
    }
  }

  static HttpAsked read(int peer) {
    std::string text;
    std::size_t wanted = std::string::npos;
    for (char part[4096]; text.size() < wanted;) {
      const ssize_t got = ::recv(peer, part, sizeof part, 0);
      if (got <= 0) break;
      text.append(part, static_cast<std::size_t>(got));
      const std::size_t end = text.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      std::string head = text.substr(0, end);
      std::transform(head.begin(), head.end(), head.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      const std::size_t at = head.find("content-length: ");
      wanted = end + 4 + (at == std::string::npos ? 0 : std::stoul(head.substr(at + 16)));
    }
    HttpAsked asked;
    const std::size_t end = std::min(text.find("\r\n\r\n"), text.size());
    asked.method = text.substr(0, text.find(' '));
    if (const auto begin = text.find(' '); begin != std::string::npos)
      asked.path = text.substr(begin + 1, text.find(' ', begin + 1) - begin - 1);
    asked.head = text.substr(0, end);
    std::transform(asked.head.begin(), asked.head.end(), asked.head.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    asked.body = text.substr(std::min(end + 4, text.size()));
    return asked;
  }

  Handler handler_;
  std::function<void()> between_;
  int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port_ = 0;
  mutable std::mutex mutex_;
  std::vector<HttpAsked> asked_;
  std::thread thread_;
};

}  // namespace tern::test
