// Real handlers, side by side.
#include "agent/hooks/hook_job.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <set>
#include <thread>

#include "tests/support/commands.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_http.h"

using namespace tern;

namespace {

HookJob command(const std::string& line, std::string input = "{}\n") {
  static const test::TempDir folder;
  return {.command = test::shell_spec(line, folder.path()), .request = {}, .input = std::move(input)};
}

}  // namespace

TEST_CASE("hook jobs: each has its input, its two streams and its exit code, in the order of the jobs") {
  std::vector<HookJob> jobs;
  jobs.push_back(command("cat; echo oops >&2; exit 3", "{\"a\":1}\n"));
  jobs.push_back(command("read line; echo \"[$line]\""));
  jobs.push_back(command("exit 2"));  // reads nothing
  const auto ended = run_jobs(std::move(jobs), {});
  REQUIRE(ended.size() == 3);
  CHECK(ended[0].out == "{\"a\":1}\n");
  CHECK(ended[0].err == "oops\n");
  CHECK(ended[0].status == 3);
  CHECK(ended[1].out == "[{}]\n");
  CHECK(ended[2].status == 2);
}

TEST_CASE("hook jobs: they run side by side: each waits for a file that another makes") {
  std::vector<HookJob> jobs;
  const test::TempDir folder;
  const auto a = (folder.path() / "a").string(), b = (folder.path() / "b").string();
  const auto meets = [](const std::string& mine, const std::string& other) {
    return command("touch " + mine + "; until [ -e " + other + " ]; do sleep 0.01; done; echo met");
  };
  jobs.push_back(meets(a, b));
  jobs.push_back(meets(b, a));
  const auto ended = run_jobs(std::move(jobs), {});
  CHECK(ended[0].out == "met\n");
  CHECK(ended[1].out == "met\n");
}

TEST_CASE("hook jobs: the supervisors of one call serve the next one, each hook under its own") {
  cool_supervisor();
  const auto parents = [] {
    std::vector<HookJob> jobs;
    for (int i = 0; i < 5; ++i) jobs.push_back(command("cat > /dev/null; echo $PPID; echo $PPID >&2"));
    std::set<std::string> pids;
    for (const auto& ended : run_jobs(std::move(jobs), {})) {
      CHECK(ended.error.empty());
      CHECK(ended.out == ended.err);
      pids.insert(ended.out);
    }
    return pids;
  };
  const auto first = parents();
  CHECK(first.size() == 5);
  CHECK(parents() == first);
  CHECK(first.count(run_jobs(
                        [] {
                          std::vector<HookJob> one;
                          one.push_back(command("echo $PPID"));
                          return one;
                        }(),
                        {})
                        .front()
                        .out) == 1);
  cool_supervisor();
  for (const auto& pid : parents()) CHECK(first.count(pid) == 0);
  cool_supervisor();
}

TEST_CASE("hook jobs: what is over its time is ended with all it started; the others are not") {
  std::vector<HookJob> jobs;
  jobs.push_back(command("sleep 1000 & sleep 1000"));
  jobs.back().timeout = std::chrono::milliseconds(100);
  jobs.push_back(command("echo fine"));
  const auto ended = run_jobs(std::move(jobs), {});
  CHECK(ended[0].error == "it was stopped after 0.1 s");
  CHECK(ended[1].error.empty());
  CHECK(ended[1].out == "fine\n");
}

TEST_CASE("hook jobs: a stop ends them, and nothing is said of them") {
  std::stop_source stop;
  const test::TempDir folder;
  const auto begun = (folder.path() / "begun").string();
  std::thread presses([&] {
    while (!std::filesystem::exists(begun)) std::this_thread::yield();
    stop.request_stop();
  });
  std::vector<HookJob> jobs;
  jobs.push_back(command("touch " + begun + "; sleep 1000"));
  const auto ended = run_jobs(std::move(jobs), stop.get_token());
  presses.join();
  CHECK(ended[0].stopped);
}

TEST_CASE("hook jobs: endless output is cut, and said; a large input nobody reads holds nothing up") {
  std::vector<HookJob> jobs;
  jobs.push_back(command("head -c 3000000 /dev/zero"));
  jobs.push_back(command("exit 0", std::string(4'000'000, 'x')));
  const auto ended = run_jobs(std::move(jobs), {});
  CHECK(ended[0].out.size() == hook_output_limit);
  CHECK(ended[0].error == "it printed more than 1 MB");
  CHECK(ended[1].status == 0);
}

TEST_CASE("hook jobs: a program that is not there is an error of its own") {
  auto job = command("");
  job.command.argv = {"/nowhere/hook"};
  std::vector<HookJob> jobs;
  jobs.push_back(std::move(job));
  const auto ended = run_jobs(std::move(jobs), {});
  CHECK((!ended[0].error.empty() || ended[0].status == 127));
}

TEST_CASE("hook jobs: http is a POST of the input; its body is the answer, another status an error") {
  test::TinyHttp server([](const test::HttpAsked& asked) {
    const std::string body = asked.body == "{\"fail\":1}" ? "" : R"({"decision":"block"})";
    const std::string head = body.empty() ? "HTTP/1.1 500 No\r\n" : "HTTP/1.1 200 OK\r\n";
    return head + "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  });
  std::vector<HookJob> jobs;
  for (const char* input : {"{\"a\":1}", "{\"fail\":1}"}) {
    HookJob job{.command = {}, .request = HttpRequest{}, .input = input};
    job.request->url = server.url();
    job.request->headers = {{"content-type", "application/json"}};
    jobs.push_back(std::move(job));
  }
  const auto ended = run_jobs(std::move(jobs), {});
  CHECK(ended[0].out == R"({"decision":"block"})");
  CHECK(ended[0].error.empty());
  CHECK(ended[1].error == "HTTP 500");
  const auto asked = server.asked();
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].method == "POST");
  CHECK(asked[0].has("content-type: application/json"));
}

TEST_CASE("hook jobs: a shell does not take its input for a remote login and read the user's .bashrc") {
  const test::TempDir home;
  std::ofstream(home.path() / ".bashrc") << "echo from bashrc\n";
  auto job = command("echo mine");
  std::erase_if(job.command.env,
                [](const std::string& one) { return one.starts_with("HOME=") || one.starts_with("SHLVL="); });
  job.command.env.push_back("HOME=" + home.path().string());
  std::vector<HookJob> jobs;
  jobs.push_back(std::move(job));
  CHECK(run_jobs(std::move(jobs), {})[0].out == "mine\n");
}

TEST_CASE("hook jobs: a command that takes its time says so once") {
  const test::TempDir folder;
  const auto told = (folder.path() / "told").string();
  int times = 0;
  auto job = command("until [ -e " + told + " ]; do sleep 0.01; done");
  job.slow = std::chrono::milliseconds(20);
  job.on_slow = [&] {
    ++times;
    std::ofstream(told) << "x";
  };
  std::vector<HookJob> jobs;
  jobs.push_back(std::move(job));
  CHECK(run_jobs(std::move(jobs), {})[0].status == 0);
  CHECK(times == 1);
}
