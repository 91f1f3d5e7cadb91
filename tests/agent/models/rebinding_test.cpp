// A name that means another address the second time. The machine's resolver is replaced for names below
// "rebind.test"; everything from there on is what every request goes through.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>

#include "agent/models/http.h"
#include "tests/support/tiny_http.h"

namespace {

std::atomic<int> rebind_lookups{0};
constexpr const char* rebind_answers[] = {"127.0.0.2", "127.0.0.1"};  // the second one for ever

using Lookup = int (*)(const char*, const char*, const addrinfo*, addrinfo**);

}  // namespace

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  static const auto real = reinterpret_cast<Lookup>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  if (!name || !std::string_view(name).ends_with("rebind.test")) return real(name, service, hints, found);
  const int turn = rebind_lookups++;
  return real(rebind_answers[turn == 0 ? 0 : 1], service, hints, found);
}

namespace {

using namespace tern;

// A door at one loopback address that counts who knocks, and speaks no TLS.
struct Door {
  explicit Door(const char* at, int port = 0) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, at, &address.sin_addr);
    socklen_t size = sizeof address;
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0) return;  // the port is in use
    ::listen(listener, 8);
    ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
    number = ntohs(address.sin_port);
    thread = std::thread([this] {
      for (int one; (one = ::accept(listener, nullptr, nullptr)) >= 0; ::close(one)) ++knocks;
    });
  }
  ~Door() {
    ::shutdown(listener, SHUT_RDWR);
    if (open()) thread.join();
    ::close(listener);
  }
  bool open() const { return thread.joinable(); }

  int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), number = 0;
  std::atomic<int> knocks{0};
  std::thread thread;
};

// Stands for a public address here: the one that the name means the first time.
bool is_first_answer(const sockaddr& address) {
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
  return address.sa_family == AF_INET && ntohl(v4.sin_addr.s_addr) == 0x7f000002;
}

}  // namespace

TEST_CASE("a name that leads inside the second time is not connected to then") {
  std::optional<Door> outside, inside;  // on one port
  for (int tries = 0; tries < 20 && !(inside && inside->open()); ++tries) {
    inside.reset();
    outside.emplace("127.0.0.2");
    inside.emplace("127.0.0.1", outside->number);
  }
  REQUIRE(inside->open());
  HttpRequest request{.method = "GET",
                      .url = "https://a.rebind.test:" + std::to_string(outside->number) + "/",
                      .headers = {},
                      .body = nullptr};
  request.may_reach = is_first_answer;
  http_stream(request, {}, {});  // it is let in, and finds no TLS there
  CHECK(outside->knocks == 1);
  const auto second = http_stream(request, {}, {});
  CHECK(rebind_lookups == 2);  // asked anew: nothing of the first answer is kept
  CHECK(second.error != HttpError::none);
  CHECK(second.detail.find("private network") != std::string::npos);
  CHECK(outside->knocks == 1);
  CHECK(inside->knocks == 0);
}
