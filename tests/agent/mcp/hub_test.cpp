// Servers over their life, and the tools that come of them.
#include "agent/mcp/hub.h"

#include <signal.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/mcp/mcp_tool.h"
#include "agent/mcp/server_news.h"
#include "tests/support/mcp_rig.h"
#include "tests/tools/world.h"
#include "tools/exec/process_tree.h"
#include "tools/sandbox/sandbox.h"

using namespace tern;
using nlohmann::json;
using std::chrono::milliseconds;
using test::comes_true;

namespace {

McpServer fake_server(const std::string& name, std::string scenario = "{}") {
  McpServer server;
  server.name = name;
  server.command = places::mcp_server();
  server.args = {std::move(scenario)};
  return server;
}

void at_once(const std::function<void(std::stop_token)>& work) { work({}); }

struct Servers {
  std::atomic<int> changes = 0, failures = 0;
  std::unique_ptr<McpHub> hub;

  explicit Servers(std::vector<McpServer> servers, bool approved = true,
                   const std::filesystem::path& places = {}, const std::filesystem::path& root = "/tmp",
                   milliseconds pause = milliseconds(5)) {
    test::shell_spec("", "/tmp");  // the supervisor of the tests
    McpHubSettings settings;
    settings.version = "1.0";
    settings.root = root;
    settings.places = places;
    settings.env = {"PATH=/usr/bin:/bin", "MINE=no"};
    settings.pauses = {.first = pause, .longest = pause, .settle = milliseconds(5), .most_failures = 2};
    settings.on_change = [this](const std::string& name) {
      ++changes;
      failures += at(name).phase == McpPhase::failed ? 1 : 0;
    };
    hub = std::make_unique<McpHub>(std::move(servers), settings);
    hub->start([approved](const McpServer&) { return approved; });
  }
  McpState at(const std::string& name) const { return hub->find(name)->state(); }
  bool becomes(const std::string& name, McpPhase phase) const {
    return comes_true([&] { return at(name).phase == phase; });
  }
  bool ready(const std::string& name) const { return becomes(name, McpPhase::ready); }
};

ToolOutput call(const ToolPtr& tool, const json& args = json::object()) {
  REQUIRE(tool != nullptr);
  testing::World world;
  return test::call_tool(*tool, args, {world.workspace, world.files, world.journal, world.jobs, world.todos},
                         "call_1", world.sandbox,
                         [&](ToolContext& ctx) { ctx.spill_dir = world.temp.path(); });
}

}  // namespace

TEST_CASE("mcp hub: a server's tools are tools of ours") {
  Servers servers({fake_server("a"), fake_server("b", R"({"tools":1})")});
  REQUIRE((servers.ready("a") && servers.ready("b")));
  CHECK(servers.hub->tools().size() == 25);
  const ToolPtr echo = servers.hub->tool("a", "echo");
  REQUIRE(echo != nullptr);
  CHECK(echo->name == "mcp__a__echo");
  CHECK(servers.hub->tool("", "mcp__b__t0") != nullptr);
  CHECK(servers.hub->tool("a", "t0") == nullptr);
  const ToolOutput output = call(echo, {{"text", "hi"}});
  CHECK(output.text == "echo: hi");
  CHECK_FALSE(output.is_error);
  CHECK(call(servers.hub->tool("a", "fail")).is_error);
}

TEST_CASE("mcp hub: a server that is killed comes back, and its tools stay named") {
  Servers servers({fake_server("a")});
  REQUIRE(servers.ready("a"));
  const ToolPtr crash = servers.hub->tool("a", "crash"), echo = servers.hub->tool("a", "echo");
  CHECK(call(crash).text ==
        "The MCP server \"a\" did not answer: the server is gone: it ended with exit status 7.");
  CHECK(servers.hub->tools().size() == 12);
  CHECK(comes_true([&] { return servers.at("a").starts == 2 && servers.at("a").phase == McpPhase::ready; }));
  CHECK(call(echo, {{"text", "again"}}).text == "echo: again");
}

TEST_CASE("mcp hub: a server that is started anew is not told as failed") {
  Servers servers({fake_server("a")});
  REQUIRE(servers.ready("a"));
  servers.hub->find("a")->restart();
  CHECK(comes_true([&] { return servers.at("a").starts == 2 && servers.at("a").phase == McpPhase::ready; }));
  CHECK(servers.failures == 0);
}

TEST_CASE("mcp hub: a call right behind the end of its server starts it anew and waits for no pause") {
  for (const char* text :
       {"one", "two", "three", "four", "five"}) {  // the end may have been seen by then, or not
    Servers servers({fake_server("a")}, true, {}, "/tmp", std::chrono::hours(1));
    REQUIRE(servers.ready("a"));
    const ToolPtr crash = servers.hub->tool("a", "crash"), echo = servers.hub->tool("a", "echo");
    CHECK(call(crash).is_error);
    CHECK(call(echo, {{"text", text}}).text == "echo: " + std::string(text));
    CHECK(servers.at("a").starts == 2);
  }
}

TEST_CASE(
    "mcp hub: a server that cannot start says why, is tried again and then left alone until it is asked "
    "for") {
  McpServer wrong = fake_server("w");
  wrong.command = "/no/such/server";
  Servers servers({wrong});
  REQUIRE(comes_true([&] {
    const auto now = servers.at("w");
    return now.phase == McpPhase::failed && now.starts == 2;
  }));
  CHECK(servers.at("w").why.find("cannot run /no/such/server") != std::string::npos);
  CHECK(servers.hub->tools().empty());
  servers.hub->find("w")->restart();
  CHECK(comes_true([&] { return servers.at("w").starts >= 3; }));
}

TEST_CASE("mcp hub: five notices of a change are one new list") {
  Servers servers({fake_server("a")});
  REQUIRE(servers.ready("a"));
  CHECK(call(servers.hub->tool("a", "grow")).text == "grown");
  CHECK(comes_true([&] { return servers.hub->tool("a", "t0") != nullptr; }));
}

TEST_CASE("mcp hub: the old list stands until the new one is whole, and a burst of notices is few lists") {
  const test::TempDir temp;
  const auto sign = temp.path() / "go", log = temp.path() / "log";
  Servers servers({fake_server("a", json{{"lists_once", sign.string()}, {"log", log.string()}}.dump())});
  REQUIRE(servers.ready("a"));
  const auto lists = [&] {
    std::ifstream in(log);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    int n = 0;
    for (auto at = text.find("tools/list\""); at != text.npos; at = text.find("tools/list\"", at + 1)) ++n;
    return n;
  };
  CHECK(call(servers.hub->tool("a", "grow")).text == "grown");  // with five notices
  REQUIRE(comes_true([&] { return lists() >= 2; }));
  CHECK(servers.hub->tools().size() == 12);
  std::ofstream(sign) << "go";
  CHECK(comes_true([&] { return servers.hub->tool("a", "t0") != nullptr; }));
  CHECK(lists() <= 4);
}

TEST_CASE("mcp hub: each server has its own patience for a call") {
  McpServer hasty = fake_server("a");
  hasty.call_timeout = milliseconds(20);
  Servers servers({hasty});
  REQUIRE(servers.ready("a"));
  CHECK(call(servers.hub->tool("a", "never")).text.find("no answer in 1 s") != std::string::npos);
}

TEST_CASE("mcp hub: what is not approved or is off does not start; on and off go both ways") {
  Servers unapproved({fake_server("a")}, false);
  CHECK(unapproved.at("a").phase == McpPhase::unapproved);
  CHECK(unapproved.at("a").starts == 0);
  McpServer off = fake_server("a");
  off.enabled = false;
  Servers servers({off});
  CHECK(servers.at("a").phase == McpPhase::off);
  CHECK(servers.hub->turn("a", true));
  REQUIRE(servers.ready("a"));
  const ToolPtr echo = servers.hub->tool("a", "echo");
  CHECK(servers.hub->turn("a", false));
  CHECK(servers.becomes("a", McpPhase::off));
  CHECK(servers.hub->tools().empty());
  CHECK(call(echo).is_error);
  CHECK_FALSE(servers.hub->turn("x", true));
}

TEST_CASE("mcp hub: nothing is left of a server when the session ends") {
  const int before = count_descendants();
  {
    Servers servers({fake_server("a"), fake_server("b", R"({"silent":true})"), fake_server("c")});
    REQUIRE((servers.ready("a") && servers.ready("c")));
  }
  cool_supervisor();
  CHECK(count_descendants() <= before);
}

TEST_CASE("mcp hub: a server gets its own variables, not ours by chance") {
  McpServer server = fake_server("a");
  server.env = {{"MINE", "yes"}, {"API_TOKEN", "t"}};
  Servers servers({server});
  REQUIRE(servers.ready("a"));
  const ToolPtr variable = servers.hub->tool("a", "variable");
  CHECK(call(variable, {{"name", "MINE"}}).text == "yes");
  CHECK(call(variable, {{"name", "API_TOKEN"}}).text == "t");
  CHECK(call(variable, {{"name", "CLAUDE_PROJECT_DIR"}}).text == "/tmp");
  CHECK(call(variable, {{"name", "HOME"}}).text == "(not set)");
}

TEST_CASE("mcp hub: what is cheap is declared, what is dear is deferred") {
  McpServer always = fake_server("c", R"({"schema_bytes":2000})");
  always.always_load = true;
  Servers servers({fake_server("a"), fake_server("b", R"({"schema_bytes":2000})"), always});
  REQUIRE((servers.ready("a") && servers.ready("b") && servers.ready("c")));
  const std::vector<ToolPtr> declared = servers.hub->affordable(2'000);
  CHECK(declared.size() == 24);
  CHECK(std::none_of(declared.begin(), declared.end(),
                     [](const ToolPtr& t) { return t->name.starts_with("mcp__b__"); }));
  const std::string news = servers.hub->news();
  CHECK(news.find("\nb: big broken crash echo") != std::string::npos);
  CHECK(news.find("it says: \"Use echo.\"") != std::string::npos);
  CHECK(servers.hub->news().empty());
}

TEST_CASE("mcp hub: servers that are cheap one by one and dear together are deferred") {
  Servers servers({fake_server("a", R"({"schema_bytes":300})"), fake_server("b", R"({"schema_bytes":300})")});
  REQUIRE((servers.ready("a") && servers.ready("b")));
  CHECK(servers.hub->affordable(2'000).empty());
  CHECK(servers.hub->affordable(4'000).size() == 24);
}

TEST_CASE("mcp hub: what a server says of itself comes with its tools, once") {
  Servers servers({fake_server("a"), fake_server("b")});
  REQUIRE((servers.ready("a") && servers.ready("b")));
  const ToolPtr find = std::make_shared<const Tool>(mcp_tools_tool(*servers.hub));
  const std::string words = "The server \"a\" describes itself: Use echo.";
  CHECK(call(find, {{"query", "mcp__a__echo"}}).text.find(words) != std::string::npos);
  CHECK(call(find, {{"query", "mcp__a__echo"}}).text.find(words) == std::string::npos);
}

TEST_CASE("news of servers stay short however much these have to say") {
  McpState loud;
  loud.server.name = "loud";
  loud.info.instructions = "# Read this\n\n" + std::string(3'000, 'w');
  for (int i = 0; i < 500; ++i) loud.tools.push_back({"tool_" + std::to_string(i), "", "{}", false});
  McpState quiet;
  quiet.server.name = "quiet";
  quiet.tools = {{"one", "", "{}", false}, {"two", "", "{}", false}};
  const std::string news = news_of({loud, quiet});
  CHECK(news.size() < 1'600);
  CHECK(news.find("\nquiet: one two]") != std::string::npos);
  CHECK(news.find(" more; it says: \"Read this\"") != std::string::npos);
  CHECK(news_of(std::vector<McpState>(10, loud)).size() < 2'600);
}

TEST_CASE("McpTools finds by words and shows arguments; McpCall stands for the tool that is meant") {
  Servers servers({fake_server("a")});
  REQUIRE(servers.ready("a"));
  const ToolPtr find = std::make_shared<const Tool>(mcp_tools_tool(*servers.hub));
  const Tool run = mcp_call_tool(*servers.hub, at_once);
  const std::string shown = call(find, {{"query", "echo"}}).text;
  CHECK(shown.starts_with(R"({"name":"mcp__a__echo","description":"Does echo. ","parameters":{)"));
  CHECK(call(find).text.find("mcp__a__variable: Does variable") != std::string::npos);
  json args = {{"server", "a"}, {"tool", "echo"}, {"arguments", {{"text", "x"}}}};
  std::string error;
  const ToolPtr meant = run.stands_for(args, error);
  REQUIRE(meant != nullptr);
  CHECK(meant->name == "mcp__a__echo");
  CHECK(args == json{{"text", "x"}});
  json wrong = {{"server", "a"}, {"tool", "nope"}, {"arguments", json::object()}};
  CHECK(run.stands_for(wrong, error) == nullptr);
  CHECK(error == "There is no MCP tool \"nope\" of the server \"a\" now. McpTools lists those there are.");
}

TEST_CASE("a tool that is not declared is called by its own name") {
  Servers servers({fake_server("a")});
  const ToolPtr named = mcp_named_tool(*servers.hub, at_once, "mcp__a__echo");
  REQUIRE(named != nullptr);
  json args = {{"text", "x"}};
  std::string error;
  const ToolPtr meant = named->stands_for(args, error);
  REQUIRE(meant != nullptr);
  CHECK(meant->name == "mcp__a__echo");
  CHECK(args == json{{"text", "x"}});
  CHECK(mcp_named_tool(*servers.hub, at_once, "mcp__b__echo") == nullptr);
  json none = json::object();
  CHECK(mcp_named_tool(*servers.hub, at_once, "mcp__a__nope")->stands_for(none, error) == nullptr);
  CHECK(error.find("There is no MCP tool") == 0);
}

TEST_CASE("McpCall waits for its server while that one starts, and only for that one") {
  const test::TempDir temp;
  const std::string sign = (temp.path() / "go").string(), never = (temp.path() / "never").string();
  Servers servers({fake_server("a", json{{"waits_for", sign}}.dump()),
                   fake_server("b", json{{"waits_for", never}}.dump())});
  std::stop_source stop;
  const Tool run = mcp_call_tool(*servers.hub, [&](const auto& work) { work(stop.get_token()); });
  std::jthread starter([&] { std::ofstream(sign) << "go"; });
  json args = {{"server", "a"}, {"tool", "echo"}, {"arguments", json::object()}};
  std::string error;
  REQUIRE(run.stands_for(args, error) != nullptr);
  CHECK(servers.at("b").phase == McpPhase::starting);
  stop.request_stop();  // Esc ends the wait
  json other = {{"server", "b"}, {"tool", "echo"}, {"arguments", json::object()}};
  CHECK(run.stands_for(other, error) == nullptr);
  CHECK(error.find("interrupted") != std::string::npos);
  std::ofstream(never) << "go";
}

TEST_CASE("a single tool that is turned off is not found, is refused, and comes back") {
  Servers servers({fake_server("a")});
  REQUIRE(servers.ready("a"));
  const ToolPtr echo = servers.hub->tool("a", "echo");
  const Tool run = mcp_call_tool(*servers.hub, at_once);
  servers.hub->turn_tool("mcp__a__echo", false);
  CHECK(servers.hub->tools().size() == 11);
  CHECK(call(echo, {{"text", "x"}}).text == "The user turned the tool mcp__a__echo off.");
  json args = {{"server", "a"}, {"tool", "echo"}, {"arguments", json::object()}};
  std::string error;
  CHECK(run.stands_for(args, error) == nullptr);
  CHECK(error == "The user turned the tool \"echo\" off.");
  servers.hub->turn_tool("mcp__a__echo", true);
  CHECK(call(echo, {{"text", "x"}}).text == "echo: x");
}

TEST_CASE(
    "a server runs in a sandbox of its own: it writes in the workspace and in its own place, and nowhere "
    "else") {
  if (probe_sandbox().rung == SandboxRung::none) SKIP("no sandbox here");
  const test::TempDir temp;
  const auto root = temp.path() / "work", outside = temp.path() / "outside", places = temp.path() / "places";
  for (const auto& folder : {root, outside}) std::filesystem::create_directories(folder);
  McpServer free = fake_server("free");
  free.sandboxed = false;
  Servers servers({fake_server("a"), free}, true, places, root);
  REQUIRE((servers.ready("a") && servers.ready("free")));
  const auto write = [&](const char* server, const std::filesystem::path& file) {
    return call(servers.hub->tool(server, "write"), {{"path", file.string()}}).text;
  };
  CHECK(write("a", root / "x") == "written");
  CHECK(write("a", outside / "x") == "not written");
  CHECK(write("a", root / ".git/hooks/x") == "not written");
  CHECK(write("free", outside / "x") == "written");
  const std::string place = call(servers.hub->tool("a", "variable"), {{"name", "npm_config_cache"}}).text;
  CHECK(place.starts_with((places / "a").string()));
  CHECK(write("a", place + "-note") == "written");
  CHECK_FALSE(std::filesystem::exists(root / ".git"));  // no stand-ins while it runs
}

TEST_CASE("a server that is let out of the sandbox starts anew outside of it, and goes back in") {
  if (probe_sandbox().rung == SandboxRung::none) SKIP("no sandbox here");
  const test::TempDir temp;
  const auto root = temp.path() / "work", outside = temp.path() / "outside", places = temp.path() / "places";
  for (const auto& folder : {root, outside}) std::filesystem::create_directories(folder);
  Servers servers({fake_server("a")}, true, places, root);
  REQUIRE(servers.ready("a"));
  const auto writes_after = [&](bool sandboxed) {
    McpConnection* server = servers.hub->find("a");
    const int before = server->state().starts;
    server->set_sandboxed(sandboxed);
    server->restart();
    REQUIRE(comes_true([&] {
      const McpState state = server->state();
      return state.starts > before && state.phase == McpPhase::ready;
    }));
    return call(servers.hub->tool("a", "write"), {{"path", (outside / "x").string()}}).text;
  };
  CHECK(writes_after(false) == "written");
  CHECK(writes_after(true) == "not written");
}

TEST_CASE("a call that looks as if the sandbox stopped it says so to the person") {
  McpServer free = fake_server("free");
  free.sandboxed = false;
  Servers servers({fake_server("a"), free});
  REQUIRE((servers.ready("a") && servers.ready("free")));
  const json refused{{"text", "socket() failed: Permission denied (13)"}};
  CHECK(call(servers.hub->tool("a", "fail"), refused).note ==
        "the sandbox, perhaps: /mcp grant a lets it out");
  const json browser{{"text", "browserType.launch: Target page, context or browser has been closed"}};
  CHECK_FALSE(call(servers.hub->tool("a", "fail"), browser).note.empty());
  CHECK(call(servers.hub->tool("a", "fail")).note.empty());
  CHECK(call(servers.hub->tool("free", "fail"), refused).note.empty());
}

TEST_CASE("names of servers' tools fit every wire and never meet") {
  CHECK(mcp_tool_name("git", "get-file_2") == "mcp__git__get-file_2");
  const std::string odd = mcp_tool_name("git", "get.file"), other = mcp_tool_name("git", "get/file");
  CHECK(odd.starts_with("mcp__git__get_file_"));
  CHECK(odd != other);
  const std::string longest = mcp_tool_name("server", std::string(100, 'x'));
  CHECK(longest.size() == 64);
  CHECK(longest != mcp_tool_name("server", std::string(101, 'x')));
}

TEST_CASE("only a server the user trusts is believed when it says that a tool only reads") {
  McpServer server = fake_server("a");
  const McpToolInfo info{"look", "", "{}", true};
  CHECK_FALSE(mcp_tool(server, info, {}).vouched);
  CHECK(mcp_tool(server, info, {}).effects.has(Effect::network));
  server.trusted = true;
  CHECK(mcp_tool(server, info, {}).vouched);
  CHECK(mcp_tool(server, info, {}).effects.only(Effect::read));
}
