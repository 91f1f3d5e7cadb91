#include "app/session/status_script.h"

#include <catch2/catch_test_macros.hpp>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/config/config_keys.h"
#include "tests/support/places.h"
#include "tools/exec/process.h"
#include "tools/sandbox/child_env.h"

using namespace tern;

namespace {
// What a script was given and what came of it, in order; a test waits for the next piece.
class Told {
 public:
  void add(std::string text) {
    std::lock_guard lock(mutex_);
    texts_.push_back(std::move(text));
    news_.notify_all();
  }
  std::string wait(std::size_t at) {
    std::unique_lock lock(mutex_);
    news_.wait(lock, [&] { return texts_.size() > at; });
    return texts_[at];
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<std::string> texts_;
};

Meters half_full() {
  Meters meters;
  meters.model = "claude-sonnet-4-5";
  meters.cwd = "/src/parser";
  meters.branch = "main*";
  meters.window = 200'000;
  meters.limit = 180'000;
  meters.used = 50'000;
  meters.saved = 43'000;
  meters.dollars = 0.41;
  meters.cache_hit = 0.9;
  return meters;
}
}  // namespace

TEST_CASE("a burst of news is told once, and the newest counts while the script runs") {
  Told given, shown;
  std::mutex gate;
  std::unique_lock closed(gate);
  {
    StatusScript script(
        [&](const std::string& state, std::stop_token) {
          given.add(state);
          std::lock_guard wait(gate);
          return "for " + state;
        },
        {.pause = std::chrono::milliseconds(1)}, [&](std::string text) { shown.add(std::move(text)); });
    script.tell("1");
    CHECK(given.wait(0) == "1");
    script.tell("2");
    script.tell("3");
    closed.unlock();
    CHECK(given.wait(1) == "3");
    CHECK(shown.wait(0) == "for 1");
    CHECK(shown.wait(1) == "for 3");
  }
}

TEST_CASE("what a script prints is shown when it ends well, three lines of it at most") {
  set_supervisor(places::supervisor());
  const auto env = child_env(current_env(), {}, {});
  const auto run = [&](const std::string& command, const std::string& state = "{}") {
    return run_status_script(command, "/", env, state, {});
  };
  CHECK(run("cat", R"({"a":1})") == R"({"a":1})");
  CHECK(run("printf 'a\\nb\\nc\\nd\\n'") == "a\nb\nc");
  CHECK(run("echo no; exit 3").empty());
  CHECK(run("/nonexistent/script").empty());
  CHECK(run("head -c 100000 /dev/zero | tr '\\0' x").size() == 4'000);
}

TEST_CASE("a script reads the shape that other agents give, and what the compression does") {
  const Meters meters = half_full();
  const auto state =
      nlohmann::json::parse(status_json({.meters = meters,
                                         .session_id = "abc",
                                         .provider_model = "anthropic/claude-sonnet-4-5",
                                         .project_dir = "/src",
                                         .version = "0.1.0",
                                         .added_dirs = {"/more"},
                                         .total = {.requests = 2, .input = 10, .output = 5, .cache_read = 90},
                                         .duration = std::chrono::milliseconds(1'500),
                                         .tier = Tier::micro}));
  CHECK(state["model"]["display_name"] == "claude-sonnet-4-5");
  CHECK(state["workspace"]["current_dir"] == "/src/parser");
  CHECK(state["workspace"]["project_dir"] == "/src");
  CHECK(state["cost"]["total_cost_usd"] == 0.41);
  CHECK(state["cost"]["total_duration_ms"] == 1'500);
  CHECK(state["context_window"]["context_window_size"] == 200'000);
  CHECK(state["context_window"]["used_percentage"] == 25.0);
  CHECK(state["context_window"]["total_input_tokens"] == 100);
  CHECK(state["compression"]["saved_tokens"] == 43'000);
  CHECK(state["compression"]["next"] == "micro");
  CHECK(state["compression"]["next_at"] == 108'000);
}

TEST_CASE("the setting is a command or an object; anything else is named") {
  Config config;
  CHECK(set_value(config, "statusLine", "~/line.sh", "test").empty());
  CHECK(config.status_line.command == "~/line.sh");
  const nlohmann::json object = {
      {"type", "command"}, {"command", "x"}, {"padding", 0}, {"refreshInterval", 5}};
  CHECK(set_value(config, "statusLine", object, "test").empty());
  CHECK(config.status_line.command == "x");
  CHECK(config.status_line.refresh_s == 5);
  CHECK_FALSE(set_value(config, "statusLine", nlohmann::json{{"command", 3}}, "test").empty());
  CHECK_FALSE(
      set_value(config, "statusLine", nlohmann::json{{"command", "x"}, {"refreshInterval", -1}}, "test")
          .empty());
}
