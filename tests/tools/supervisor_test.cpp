#include "tools/supervisor.h"
#include "tests/support/places.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "tests/support/commands.h"

using namespace tern;
using namespace tern::test;

namespace {

// The supervisor as process.cpp starts it, but with the wire in our own hands.
struct Wire {
  int orders = -1, output = -1, news = -1;
  pid_t pid = -1;

  Wire() {
    int a[2], b[2], c[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, a) == 0);
    REQUIRE(::pipe2(b, O_CLOEXEC) == 0);
    REQUIRE(::pipe2(c, O_CLOEXEC) == 0);
    pid = ::fork();
    if (pid == 0) {
      ::dup2(a[1], 0), ::dup2(b[1], 1), ::dup2(c[1], 2);
      ::execl(places::supervisor(), places::supervisor(), "--supervise", nullptr);
      ::_exit(99);
    }
    ::close(a[1]), ::close(b[1]), ::close(c[1]);
    orders = a[0], output = b[0], news = c[0];
  }
  ~Wire() {
    for (int fd : {orders, output, news})
      if (fd >= 0) ::close(fd);
    if (pid > 0) ::waitpid(pid, nullptr, 0);
  }
  void send(const std::string& bytes) const {
    CHECK(::send(orders, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
  }
  static std::string all(int fd) {
    std::string text;
    char part[4096];
    for (ssize_t got; (got = ::read(fd, part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(got));
    return text;
  }
  int wait() {
    int status = 0;
    ::waitpid(pid, &status, 0);
    pid = -1;
    return status;
  }
};

std::string value(const Fields& fields, const char* key) {
  for (const auto& [k, v] : fields)
    if (k == key) return v;
  return {};
}

Fields request(const std::string& command) {
  return {{"arg", "/bin/sh"}, {"arg", "-c"}, {"arg", command}, {"env", "PATH=/usr/bin:/bin"}, {"env", "A=b"}, {"cwd", "/tmp"}};
}

}  // namespace

TEST_CASE("fields survive the wire, broken ones end it") {
  const Fields fields{{"a", "b"}, {"a", ""}, {"empty", ""}, {"c", "line\nline"}};
  const std::string packed = pack_fields(fields);
  CHECK(unpack_fields(std::string_view(packed).substr(4)) == fields);
  for (std::size_t cut = 0; cut + 4 < packed.size(); ++cut) unpack_fields(std::string_view(packed).substr(4, cut));
  CHECK(unpack_fields("novalue").empty());
}

TEST_CASE("the record comes after the last word of the tree") {
  Wire wire;
  wire.send(pack_fields(request("echo $A; echo err >&2; (sleep 0.05; echo late) & exit 3")));
  const std::string news = Wire::all(wire.news);
  const Fields end = unpack_fields(std::string_view(news).substr(4));
  CHECK(value(end, "status") == "3");
  CHECK(value(end, "strays") == "0");
  CHECK(Wire::all(wire.output) == "b\nerr\nlate\n");
  CHECK(WEXITSTATUS(wire.wait()) == 3);
}

TEST_CASE("an order ends the tree, with TERM first") {
  Wire wire;
  wire.send(pack_fields(request("trap 'echo asked; exit 9' TERM; echo ready; while :; do sleep 0.01; done")));
  char ready[6];
  REQUIRE(::read(wire.output, ready, 6) == 6);
  const std::uint32_t grace = 2000;
  wire.send(std::string(reinterpret_cast<const char*>(&grace), sizeof grace));
  const std::string news = Wire::all(wire.news);
  const Fields end = unpack_fields(std::string_view(news).substr(4));
  CHECK(value(end, "stopped") == "1");
  CHECK(value(end, "status") == "9");
  CHECK(Wire::all(wire.output).find("asked\n") != std::string::npos);
}

TEST_CASE("without a request, or with half of one, it leaves quietly") {
  {
    Wire wire;
    ::close(wire.orders);
    wire.orders = -1;
    CHECK(wire.wait() == 0);
  }
  Wire wire;
  wire.send(pack_fields(request("echo never")).substr(0, 20));
  ::close(wire.orders);
  wire.orders = -1;
  CHECK(Wire::all(wire.output).empty());
  CHECK(wire.wait() == 0);
}

TEST_CASE("an owner that goes takes the tree along") {
  Wire wire;
  wire.send(pack_fields(request("trap '' TERM; echo up; while :; do sleep 1; done")));
  char up[3];
  REQUIRE(::read(wire.output, up, 3) == 3);
  ::close(wire.orders);
  wire.orders = -1;
  const auto begun = std::chrono::steady_clock::now();
  Wire::all(wire.output);  // ends only when every holder is gone
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(1500));
}
