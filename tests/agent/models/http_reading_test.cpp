// How an answer reaches the one who waits for it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <string>
#include <thread>

#include "agent/models/http.h"

using namespace tern;

namespace {

// Answers one request with a body of many small chunks, all in one write.
class Chunks {
 public:
  explicit Chunks(int count) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    REQUIRE(::bind(fd_, reinterpret_cast<sockaddr*>(&at), size) == 0);
    REQUIRE(::listen(fd_, 1) == 0);
    REQUIRE(::getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &size) == 0);
    url = "http://127.0.0.1:" + std::to_string(ntohs(at.sin_port)) + "/";
    std::string answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < count; ++i) answer += "4\r\nword\r\n";
    thread_ = std::thread([this, answer = answer + "0\r\n\r\n"] {
      const int one = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
      if (one < 0) return;
      char request[4096];
      if (::read(one, request, sizeof request) > 0) (void)!::write(one, answer.data(), answer.size());
      ::close(one);
    });
  }
  ~Chunks() {
    ::shutdown(fd_, SHUT_RDWR);
    thread_.join();
    ::close(fd_);
  }
  std::string url;

 private:
  int fd_;
  std::thread thread_;
};

}  // namespace

TEST_CASE("chunks that arrive together are handed out together") {
  constexpr int count = 2'000;
  Chunks server(count);
  HttpHandlers handlers;
  std::size_t bytes = 0;
  int pieces = 0;
  handlers.on_data = [&](std::string_view data) {
    bytes += data.size();
    ++pieces;
    return HttpNext::more;
  };
  const HttpResult result = http_stream({.method = "GET", .url = server.url}, handlers, {});
  CHECK(result.error == HttpError::none);
  CHECK(bytes == 4u * count);
  CHECK(pieces <= 4);
}
