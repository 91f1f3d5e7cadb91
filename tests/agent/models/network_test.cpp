// What stands between us and a service: a proxy that is named, a certificate nobody signed, a server that
// speaks HTTP/2.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "agent/models/http_provider.h"
#include "agent/models/providers.h"
#include "tests/support/fake_llm.h"
#include "tests/support/provider_run.h"

using namespace tern;
using namespace tern::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

// Takes connections, keeps what each said first, answers with 403 and closes.
class Listener {
 public:
  Listener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    REQUIRE(::bind(fd_, reinterpret_cast<sockaddr*>(&at), size) == 0);
    REQUIRE(::listen(fd_, 8) == 0);
    ::getsockname(fd_, reinterpret_cast<sockaddr*>(&at), &size);
    port = ntohs(at.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Listener() { finish(); }
  std::string finish() {
    ::shutdown(fd_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    ::close(std::exchange(fd_, -1));
    return std::move(heard_);
  }
  int port = 0;

 private:
  void serve() {
    for (int one; (one = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; ::close(one)) {
      char text[4096];
      const ssize_t got = ::read(one, text, sizeof text);
      if (got > 0) heard_.append(text, static_cast<std::size_t>(got));
      constexpr std::string_view no = "HTTP/1.1 403 Forbidden by the proxy\r\nContent-Length: 0\r\n\r\n";
      (void)!::write(one, no.data(), no.size());
    }
  }
  int fd_;
  std::string heard_;
  std::thread thread_;
};

Ran ask(const std::string& provider, const std::string& url) {
  RunOptions options;
  options.wait = [](std::chrono::milliseconds, std::stop_token stop) { return !stop.stop_requested(); };
  const auto made =
      make_provider_with(provider, {.base_url = url, .key = "test-key-0123456789", .headers = {}}, options);
  return test::run(*made, simple_request());
}

struct Variable {
  const char* name;
  Variable(const char* which, const std::string& value) : name(which) { ::setenv(which, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name); }
};

}  // namespace

TEST_CASE(
    "a proxy that the environment names is asked for a tunnel, and its refusal is told; a local model goes "
    "past it") {
  FakeLlm local(R"({"default":{"text":"from this machine"}})");
  Listener proxy;
  const auto address = "http://127.0.0.1:" + std::to_string(proxy.port);
  {
    const Variable https("https_proxy", address), all("ALL_PROXY", address);
    const Ran ran = ask("anthropic", "https://models.example.test");
    REQUIRE(ran.failed);
    INFO(ran.failed->message);
    CHECK(ran.failed->message.find("models.example.test") != std::string::npos);
    CHECK(ran.failed->message.find("403") != std::string::npos);
    CHECK(ran.failed->message.find("the proxy can't reach") != std::string::npos);
    CHECK(ran.retries.empty());
    CHECK(ask("anthropic", local.url()).text == "from this machine");
  }
  const auto heard = proxy.finish();
  CHECK(heard.find("CONNECT models.example.test:443 HTTP/1.1\r\n") == 0);
  CHECK(heard.find("test-key-0123456789") == std::string::npos);  // a proxy sees where to, not what
}
