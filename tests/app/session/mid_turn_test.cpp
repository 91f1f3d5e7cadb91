// Two live things at once: tools run on helper threads while the session answers. ThreadSanitizer (tests/run
// --tsan) sees what is shared; the plain run sees that nothing of it is lost.
#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "agent/protocol/asked_words.h"
#include "agent/store/store.h"
#include "app/session/session.h"
#include "tests/support/fake_llm.h"
#include "tests/support/places.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wires.h"
#include "tools/exec/process.h"
#include "tools/files/journal.h"

using namespace tern;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// TERN_BUSY_ROUNDS: as many instead, for a long look (600 take about a minute).
int busy_rounds() {
  const char* told = std::getenv("TERN_BUSY_ROUNDS");
  return told ? std::max(1, std::atoi(told)) : 8;
}
const int turns_long = busy_rounds();
constexpr int calls_of_a_round = 8;

// A server whose list of tools grows in the middle of the turn.
McpServers growing_server() {
  McpServer server;
  server.name = "busy";
  server.command = places::mcp_server();
  server.args = {"{}"};
  server.always_load = true;
  return {.servers = {server}, .problems = {}};
}

json tool(const std::string& name, const json& arguments) {
  return {{"name", name}, {"arguments", arguments}};
}

json bash(const std::string& command, bool background = false) {
  return tool("Bash", {{"command", command}, {"run_in_background", background}});
}

// Each round: a command in the background that ends while the next one runs, two reads side by side, a new
// file, and two calls of a server, one of which adds a tool.
json busy_replies() {
  auto replies = json::array();
  for (int n = 0; n < turns_long; ++n) {
    const auto number = std::to_string(n);
    replies.push_back(
        {{"text", "Round " + number},
         {"calls",
          {bash("echo job > job" + number, true), bash("sleep 0.05; echo here > here" + number),
           tool("Read", {{"file_path", "a.txt"}, {"limit", n + 1}}),
           tool("Read", {{"file_path", "b.txt"}, {"limit", n + 1}}),
           tool("Write", {{"file_path", "new" + number}, {"content", number}}),
           tool("Edit",
                {{"file_path", "new" + number}, {"old_string", number}, {"new_string", "x" + number}}),
           tool("mcp__busy__echo", {{"text", number}}), tool("mcp__busy__grow", json::object())}}});
  }
  replies.push_back({{"text", "Done."}});
  return {{"replies", replies}};
}

// What people ask and change while the tools run, one thing after another for as long as they do.
class MidTurnAsker {
 public:
  MidTurnAsker(Mailbox<Command>& commands, fs::path folder)
      : commands_(commands), folder_(std::move(folder)) {}
  void next() {
    const int n = count_++;
    const auto more = folder_ / ("more" + std::to_string(n));
    fs::create_directories(more);
    commands_.push(asked_words("add-dir", more.string()));
    commands_.push(SetMode{n % 2 ? PermissionMode::bypass : PermissionMode::automatic});
    constexpr const char* questions[] = {"status", "diff", "tasks",     "context", "permissions",
                                         "debug",  "cost", "summaries", "memory"};
    commands_.push(asked_words(questions[n % std::size(questions)]));
    if (n % 5 == 0) commands_.push(asked_words("permissions", "allow Bash(echo " + std::to_string(n) + ")"));
  }

 private:
  Mailbox<Command>& commands_;
  fs::path folder_;
  std::atomic<int> count_{0};
};

}  // namespace

TEST_CASE(
    "commands, folders, modes and questions in the middle of a turn share nothing with the tools that run") {
  test::FakeLlm server(busy_replies().dump());
  test::TempDir dir;
  SessionSetup setup;
  setup.cwd = dir.path() / "project";
  setup.home = dir.path() / "home";
  fs::create_directories(setup.cwd);
  fs::create_directories(setup.home);
  for (const char* name : {"a.txt", "b.txt"})
    std::ofstream(setup.cwd / name) << std::string(turns_long, '\n');
  setup.trusted = {dir.path()};
  setup.mode = PermissionMode::bypass;
  setup.bypass_by_flag = true;
  const auto& wire = test::wires()[0];
  setup.model = wire.model;
  setup.env = [&](const std::string& name) {
    return name == wire.key   ? std::string("test-key")
           : name == wire.url ? server.url() + wire.path
                              : std::string();
  };
  setup.mcp = growing_server();
  set_supervisor(places::supervisor());

  Mailbox<Command> commands;
  MidTurnAsker asker(commands, dir.path());
  std::mutex mutex;
  std::vector<ToolFinished> cells;
  std::optional<TurnEnded> end;
  Session session(std::move(setup), commands, [&](Event event) {
    if (const auto* asked = std::get_if<PermissionAsked>(&event))
      commands.push(Answer{asked->id, Verdict::yes, {}});
    if (std::holds_alternative<ToolStarted>(event) || std::holds_alternative<Delta>(event)) asker.next();
    const std::lock_guard lock(mutex);
    if (auto* cell = std::get_if<ToolFinished>(&event)) cells.push_back(std::move(*cell));
    if (const auto* ended = std::get_if<TurnEnded>(&event)) end = *ended, commands.push(Quit{});
  });
  std::thread([&] {  // as the program does: the session ends on another thread than the one that ran it
    if (!session.open()) return;
    commands.push(Submit{"go", {}, When::steer});
    session.run();
  })
      .join();

  REQUIRE(end);
  INFO(end->error);
  CHECK(end->how == TurnEnded::How::done);
  CHECK(cells.size() == static_cast<std::size_t>(calls_of_a_round * turns_long));
  if (!test::memory_tells)
    return;  // ThreadSanitizer has a thread of its own in each process: no sandbox can be applied there
  bool grown = false;  // the first rounds may be over before the server has started
  for (const auto& cell : cells) {
    INFO(cell.tool << " " << cell.subject << ": " << cell.text);
    if (cell.tool.starts_with("mcp__"))
      grown |= cell.text.find("grown") != std::string::npos;
    else
      CHECK_FALSE(cell.is_error);
  }
  CHECK(grown);
  std::set<std::string> changed;
  for (const auto& change : session.store().changes(0, UINT64_MAX)) changed.insert(change.path.filename());
  for (int n = 0; n < turns_long; ++n)
    for (const char* name : {"job", "here", "new"}) {
      INFO(name << n);
      CHECK(changed.count(name + std::to_string(n)) == 1);
    }
}
