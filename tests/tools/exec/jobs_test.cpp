#include "tools/exec/jobs.h"

#include <poll.h>
#include <signal.h>

#include <catch2/catch_test_macros.hpp>
#include <condition_variable>
#include <mutex>

#include "tests/support/commands.h"
#include "tests/support/sanitized.h"

using namespace tern;
using namespace tern::test;
using std::chrono::milliseconds;

namespace {

// Jobs that can be waited for, without polling.
struct Crew {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<JobInfo> ended;
  Jobs jobs;

  Crew() {
    jobs.on_end = [this](const JobInfo& info) {
      const std::lock_guard lock(mutex);
      ended.push_back(info);
      changed.notify_all();
    };
  }
  std::string start(const std::string& command) {
    Process process;
    REQUIRE(process.start(shell_spec(command, "/tmp")).empty());
    return jobs.adopt(std::move(process), OutputRing(), command, "", std::chrono::steady_clock::now());
  }
  bool wait(std::size_t count) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(10), [&] { return ended.size() >= count; });
  }
};

}  // namespace

TEST_CASE("jobs run side by side and tell when they end") {
  Crew crew;
  for (int i = 0; i < 5; ++i) crew.start("echo " + std::to_string(i) + "; exit " + std::to_string(i));
  REQUIRE(crew.wait(5));
  CHECK(crew.jobs.running() == 0);
  for (int i = 0; i < 5; ++i) {
    const std::string id = "bash_" + std::to_string(i + 1);
    CHECK(crew.jobs.find(id)->exit_status == i);
    CHECK(crew.jobs.read_new(id) == std::to_string(i) + "\n");
    CHECK(crew.jobs.read_new(id)->empty());
  }
  crew.start("echo again");
  REQUIRE(crew.wait(6));
  CHECK(crew.jobs.list().front().id == "bash_6");
  CHECK_FALSE(crew.jobs.find("bash_7"));
  CHECK_FALSE(crew.jobs.read_new("x"));
  CHECK_FALSE(crew.jobs.stop("x", StoppedBy::user));
}

TEST_CASE("one job is ended, the others stay") {
  Crew crew;
  const std::string first = crew.start("sleep 100 & sleep 100"), second = crew.start("sleep 101");
  const auto begun = std::chrono::steady_clock::now();
  CHECK(crew.jobs.stop(first, StoppedBy::user));
  CHECK(std::chrono::steady_clock::now() - begun < milliseconds(2500) * test::slower);
  CHECK_FALSE(crew.jobs.find(first)->running);
  CHECK(crew.jobs.find(first)->how == "stopped by the user");
  CHECK(crew.jobs.find(second)->running);
  crew.jobs.stop_all(StoppedBy::user);
  CHECK(crew.jobs.running() == 0);
}

TEST_CASE("a flood is drained while nobody reads") {
  Crew crew;
  const std::string id = crew.start("head -c 20000000 /dev/zero; echo; echo end");
  REQUIRE(crew.wait(1));
  CHECK(crew.jobs.find(id)->bytes == 20000005);
  const std::string text = *crew.jobs.read_new(id);
  CHECK(text.substr(text.size() - 4) == "end\n");
}

TEST_CASE("jobs that go away take their commands along") {
  pid_t pid = 0;
  {
    Crew crew;
    Process process;
    REQUIRE(process.start(shell_spec("trap '' TERM; while :; do sleep 1; done", "/tmp")).empty());
    pid = process.supervisor_pid();
    crew.jobs.adopt(std::move(process), OutputRing(), "x", "", std::chrono::steady_clock::now());
  }
  cool_supervisor();  // reaps what has left
  CHECK(::kill(pid, 0) == -1);
}

TEST_CASE("the ring keeps both ends and counts the rest") {
  OutputRing ring;
  ring.append("first\n");
  for (int i = 0; i < 100000; ++i) ring.append("0123456789\n");
  ring.append("last");
  CHECK(ring.bytes() == 6 + 1100000 + 4);
  CHECK(ring.lines() == 100002);
  CHECK(ring.last_line() == "last");
  const std::string text = ring.text();
  CHECK(text.rfind("first\n0123456789\n", 0) == 0);
  CHECK(text.substr(text.size() - 15) == "0123456789\nlast");
  CHECK(text.find("lines not shown here …]\n0123456789\n") != std::string::npos);
  CHECK(ring.since(ring.bytes() - 4) == "last");
  CHECK(ring.since(ring.bytes()).empty());
  OutputRing wide;
  std::string one;
  while (one.size() < 3 * OutputRing::keep) one += "\xe2\x82\xac";
  for (std::size_t at = 0; at < one.size(); at += 1000) wide.append(std::string_view(one).substr(at, 1000));
  CHECK(wide.text().find("\xef\xbf\xbd") == std::string::npos);
}

TEST_CASE("only allowed names reach a command") {
  const std::vector<std::string> parent{"PATH=.:/usr/bin::bin:/bin",
                                        "HOME=/h",
                                        "LANG=de",
                                        "LC_TIME=x",
                                        "ANTHROPIC_API_KEY=k",
                                        "GITHUB_TOKEN=t",
                                        "MY_SECRET=s",
                                        "AWS_REGION=r",
                                        "AWS_SECRET_ACCESS_KEY=s",
                                        "LD_PRELOAD=x",
                                        "BASH_ENV=x",
                                        "BASH_FUNC_ls%%=() { id; }",
                                        "NODE_OPTIONS=x",
                                        "GIT_SSH_COMMAND=x",
                                        "SSH_AUTH_SOCK=/s",
                                        "HTTPS_PROXY=http://u:p@h",
                                        "FOO=bar",
                                        "TMPDIR=/x",
                                        "IFS=x",
                                        "novalue"};
  const auto has = [](const std::vector<std::string>& env, const std::string& entry) {
    return std::find(env.begin(), env.end(), entry) != env.end();
  };
  const auto plain = child_env(parent, {}, "/t");
  CHECK(has(plain, "PATH=/usr/bin:/bin"));
  CHECK(has(plain, "HOME=/h"));
  CHECK(has(plain, "LC_TIME=x"));
  CHECK(has(plain, "TMPDIR=/t"));
  CHECK(has(plain, "GIT_SSH_COMMAND=ssh -oBatchMode=yes"));
  for (const char* entry :
       {"ANTHROPIC_API_KEY=k", "GITHUB_TOKEN=t", "MY_SECRET=s", "AWS_REGION=r", "LD_PRELOAD=x", "BASH_ENV=x",
        "NODE_OPTIONS=x", "SSH_AUTH_SOCK=/s", "FOO=bar", "HTTPS_PROXY=http://u:p@h", "IFS=x"})
    CHECK_FALSE(has(plain, entry));
  const auto asked = child_env(parent, {"AWS_*", "GITHUB_TOKEN", "LD_*", "*"}, "");
  CHECK(has(asked, "AWS_REGION=r"));
  CHECK(has(asked, "GITHUB_TOKEN=t"));
  CHECK_FALSE(has(asked, "AWS_SECRET_ACCESS_KEY=s"));
  CHECK_FALSE(has(asked, "LD_PRELOAD=x"));
  CHECK_FALSE(has(asked, "FOO=bar"));
}
