#include "tools/exec/supervisor.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "tests/support/commands.h"
#include "tests/support/places.h"
#include "tools/exec/pipe_wire.h"

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
    for (ssize_t got; (got = ::read(fd, part, sizeof part)) > 0;)
      text.append(part, static_cast<std::size_t>(got));
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
  return {{"arg", "/bin/sh"}, {"arg", "-c"},  {"arg", command}, {"env", "PATH=/usr/bin:/bin"},
          {"env", "A=b"},     {"cwd", "/tmp"}};
}

}  // namespace

TEST_CASE("fields survive the wire, broken ones end it") {
  const Fields fields{{"a", "b"}, {"a", ""}, {"empty", ""}, {"c", "line\nline"}};
  const std::string packed = pack_fields(fields);
  CHECK(unpack_fields(std::string_view(packed).substr(4)) == fields);
  for (std::size_t cut = 0; cut + 4 < packed.size(); ++cut)
    unpack_fields(std::string_view(packed).substr(4, cut));
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
  CHECK(Wire::all(wire.output).empty());  // ends only when every holder is gone
}

namespace {

// One whole record; the supervisor stays, so there is no end of file to wait for.
Fields record(int news) {
  std::uint32_t length = 0;
  REQUIRE(read_exactly(news, reinterpret_cast<char*>(&length), sizeof length));
  std::string payload(length, '\0');
  REQUIRE(read_exactly(news, payload.data(), payload.size()));
  return unpack_fields(payload);
}

Fields staying(const std::string& command) {
  Fields fields = request(command);
  fields.emplace_back("stay", "1");
  return fields;
}

}  // namespace

TEST_CASE("asked to stay, it takes the next command, with an output of its own") {
  Wire wire;
  wire.send(pack_fields(staying("echo first")));
  CHECK(value(record(wire.news), "stays") == "1");
  const std::uint32_t late = 50u | stop_order;  // meant for the command that has just ended
  wire.send(std::string(reinterpret_cast<const char*>(&late), sizeof late));
  int second[2];
  REQUIRE(::pipe2(second, O_CLOEXEC) == 0);
  CHECK(send_request(wire.orders, pack_fields(staying("echo second; ls /proc/self/fd | wc -l; exit 5")),
                     std::span<const int>(&second[1], 1)));
  ::close(second[1]);
  const Fields end = record(wire.news);
  CHECK(value(end, "status") == "5");
  CHECK(value(end, "stopped").empty());
  CHECK(value(end, "stays") == "1");
  CHECK(Wire::all(second[0]) == "second\n4\n");  // it lets go of an output whose command has ended
  CHECK(Wire::all(wire.output) == "first\n");
  ::close(second[0]);
}

TEST_CASE("it does not stay after a command that left something or had to be ended") {
  Wire stray;
  Fields left = staying("sleep 30 & exit 0");
  left.emplace_back("linger", "0");
  stray.send(pack_fields(left));
  CHECK(value(record(stray.news), "stays").empty());
  CHECK(WEXITSTATUS(stray.wait()) == 0);
  Wire stopped;
  stopped.send(pack_fields(staying("echo up; sleep 30")));
  char up[3];
  REQUIRE(::read(stopped.output, up, 3) == 3);
  const std::uint32_t order = 50u | stop_order;
  stopped.send(std::string(reinterpret_cast<const char*>(&order), sizeof order));
  CHECK(value(record(stopped.news), "stays").empty());
  CHECK(stopped.wait() >= 0);
}
