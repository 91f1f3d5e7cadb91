// The client against a real child: what a server may do wrong, and what it must cost.
#include "agent/mcp/client.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/support/mcp_rig.h"

using namespace tern;
using nlohmann::json;
using std::chrono::milliseconds;
using test::comes_true;

namespace {

struct Connected {
  test::TempDir folder;
  std::filesystem::path log = folder.path() / "log";
  std::atomic<int> changes = 0;
  std::string gone;
  std::unique_ptr<McpClient> client;
  std::string why;

  explicit Connected(std::string_view text = "{}", McpClientSettings settings = {}) {
    json scenario = json::parse(text);
    scenario["log"] = log.string();
    settings.version = "1.0";
    settings.roots = {"/work/a b"};
    settings.on_changed = [this](McpTopic) { ++changes; };
    client = std::make_unique<McpClient>(test::fake_mcp_link(scenario), settings);
    why = client->open({});
  }
  McpAnswer call(const std::string& tool, const json& arguments = json::object(), const McpAsk& ask = {}) {
    return client->request("tools/call", {{"name", tool}, {"arguments", arguments}}, ask);
  }
  std::string heard() const {
    std::ifstream in(log);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
};

std::string first_text(const McpAnswer& answer) {
  if (answer.failure != McpFailure::none) return answer.why;
  return answer.result["content"][0]["text"];
}

}  // namespace

TEST_CASE("mcp client: opens, lists and calls a server of the old era") {
  Connected at;
  REQUIRE(at.why.empty());
  CHECK(at.client->era() == McpEra::legacy);
  CHECK(at.client->info().name == "fake");
  CHECK(at.client->info().instructions == "Use echo.");
  CHECK(at.client->offers("tools"));
  CHECK_FALSE(at.client->offers("resources"));
  CHECK(at.client->list("tools/list", "tools").entries.size() == 12);
  CHECK(first_text(at.call("echo", {{"text", "hi"}})) == "echo: hi");
  CHECK(at.heard().find("notifications/initialized") != std::string::npos);
  CHECK(at.heard().find("io.modelcontextprotocol") == std::string::npos);
}

TEST_CASE("mcp client: a server that refuses initialize is asked in the new era, and each request says so") {
  Connected at(R"({"era":"modern"})");
  REQUIRE(at.why.empty());
  CHECK(at.client->era() == McpEra::modern);
  CHECK(first_text(at.call("echo", {{"text", "hi"}})) == "echo: hi");
  std::istringstream lines(at.heard());
  std::string initialize, discover, call;
  std::getline(lines, initialize), std::getline(lines, discover), std::getline(lines, call);
  CHECK(json::parse(initialize)["method"] == "initialize");
  CHECK(json::parse(discover)["method"] == "server/discover");
  CHECK(json::parse(call)["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28");
}

TEST_CASE("mcp client: a remembered era is tried first") {
  McpClientSettings settings;
  settings.remembered = McpEra::modern;
  Connected at(R"({"era":"modern"})", settings);
  CHECK(at.why.empty());
  CHECK(at.heard().find("initialize") == std::string::npos);
  Connected wrong("{}", settings);
  CHECK(wrong.why.empty());
  CHECK(wrong.client->era() == McpEra::legacy);
}

TEST_CASE("mcp client: all pages of a list are read") {
  Connected at(R"({"tools":30,"page":7})");
  const McpList list = at.client->list("tools/list", "tools");
  CHECK(list.entries.size() == 42);
  CHECK(list.entries.back()["name"] == "t29");
  CHECK(list.trouble.empty());
}

TEST_CASE("mcp client: all pages of the other lists are read, too") {
  Connected at(R"({"resources":true,"many":25,"page":6})");
  CHECK(at.client->list("prompts/list", "prompts").entries.size() == 26);
  CHECK(at.client->list("resources/list", "resources").entries.size() == 26);
  CHECK(at.client->list("resources/templates/list", "resourceTemplates").entries.size() == 26);
}

TEST_CASE("mcp client: ten thousand tools are cut, and it is said") {
  Connected at(R"({"tools":10000,"page":1000})");
  const McpList list = at.client->list("tools/list", "tools");
  CHECK(list.entries.size() == 2'000);
  CHECK(list.trouble == "only the first 2000 are kept");
}

TEST_CASE("mcp client: lines that are no messages and broken characters cost nothing") {
  Connected at(R"({"noise":true})");
  REQUIRE(at.why.empty());
  CHECK(first_text(at.call("broken")) == "a\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("mcp client: what the server asks is answered, so that it does not wait") {
  Connected at(R"({"roots":true})");
  REQUIRE(at.why.empty());
  CHECK(comes_true([&] { return at.heard().find("file:///work/a%20b") != std::string::npos; }));
}

TEST_CASE(
    "mcp client: what it does not support it refuses, so that the server does not wait for that either") {
  Connected at(R"({"wants":true})");
  REQUIRE(at.why.empty());
  CHECK(comes_true([&] { return at.heard().find("\"id\":\"s1\"") != std::string::npos; }));
  CHECK(at.heard().find("-32601") != std::string::npos);
}

TEST_CASE("mcp client: a call is cancelled alone, and the server goes on") {
  Connected at;
  std::stop_source stop;
  std::jthread person([&] {
    comes_true([&] { return at.heard().find("\"never\"") != std::string::npos; });
    stop.request_stop();
  });
  const McpAnswer answer = at.call("never", json::object(), {.stop = stop.get_token()});
  CHECK(answer.failure == McpFailure::cancelled);
  CHECK(first_text(at.call("echo", {{"text", "on"}})) == "echo: on");
  CHECK(at.heard().find("notifications/cancelled") != std::string::npos);
}

TEST_CASE("mcp client: a server that never answers costs the time that was given") {
  Connected at;
  const McpAnswer answer = at.call("never", json::object(), {.timeout = milliseconds(20)});
  CHECK(answer.failure == McpFailure::timed_out);
  McpClientSettings settings;
  settings.start_timeout = milliseconds(20);
  Connected silent(R"({"silent":true})", settings);
  CHECK(silent.why == "no answer in 1 s");
}

TEST_CASE("mcp client: progress is told") {
  Connected at;
  std::vector<std::string> told;
  McpAsk ask;
  ask.on_progress = [&](const std::string& text) { told.push_back(text); };
  CHECK(first_text(at.call("steps", json::object(), ask)) == "done");
  CHECK(told == std::vector<std::string>{"1 of 3: step", "2 of 3: step", "3 of 3: step"});
}

TEST_CASE("mcp client: progress keeps a call alive that takes longer than it may be silent") {
  McpAnswer answer;
  for (int tries = 0; tries < 3; ++tries) {  // a busy machine may stall a server for longer
    Connected at;
    McpAsk ask{.timeout = milliseconds(1'000)};
    ask.on_progress = [](const std::string&) {};
    answer = at.call("steps", {{"count", 30}, {"pause", 50}}, ask);
    if (answer.failure == McpFailure::none) break;
  }
  CHECK(first_text(answer) == "done");
}

TEST_CASE("mcp client: progress does not keep a call alive for ever") {
  Connected at;
  McpAsk ask{.timeout = milliseconds(60)};
  ask.on_progress = [](const std::string&) {};
  const McpAnswer answer = at.call("steps", {{"count", 400}, {"pause", 5}}, ask);
  CHECK(answer.failure == McpFailure::timed_out);
}

TEST_CASE("mcp client: hundreds of calls, good and bad, leave nothing open") {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  Connected at;
  REQUIRE(first_text(at.call("echo", {{"text", "first"}})) == "echo: first");
  const auto before = descriptors();
  for (int i = 0; i < 200; ++i) {
    CHECK(first_text(at.call("echo", {{"text", "x"}})) == "echo: x");
    if (i % 20 == 0)
      CHECK(at.call("never", json::object(), {.timeout = milliseconds(1)}).failure == McpFailure::timed_out);
    if (i % 20 == 10) CHECK(at.call("fail").failure == McpFailure::none);
    if (i % 50 == 30) CHECK(at.call("big", {{"bytes", 9 << 20}}).failure == McpFailure::too_large);
  }
  CHECK(descriptors() <= before);
}

TEST_CASE("mcp client: a server that ends in the middle of a call fails it at once, with its last words") {
  std::string gone;
  McpClientSettings settings;
  settings.on_gone = [&](const std::string& why) { gone = why; };
  Connected at("{}", settings);
  const McpAnswer answer = at.call("crash");
  CHECK(answer.failure == McpFailure::gone);
  CHECK(answer.why == "the server is gone: it ended with exit status 7");
  CHECK(at.client->last_words() == "the crash was asked for\n");
  CHECK(at.call("echo").failure == McpFailure::gone);
  at.client.reset();
  CHECK(gone == "it ended with exit status 7");
}

TEST_CASE("mcp client: an answer that is too large fails its call and no other") {
  Connected at;
  CHECK(at.call("big", {{"bytes", 20 << 20}}).failure == McpFailure::too_large);
  CHECK(first_text(at.call("big", {{"bytes", 100'000}})).size() == 100'000);
}

TEST_CASE("mcp client: a flood of errors does not delay the server, and only its end is kept") {
  Connected at(R"({"stderr":104857600})");
  REQUIRE(at.why.empty());
  CHECK(comes_true([&] { return at.client->last_words().size() >= 4096; }));
  CHECK(at.client->last_words().size() <= 4096);
}

TEST_CASE("mcp client: a program that is not there says so") {
  ProcessSpec spec = test::shell_spec("", "/tmp");
  spec.argv = {"/no/such/server"};
  McpClient client(std::make_unique<StdioLink>(spec), {});
  CHECK(client.open({}).find("cannot run /no/such/server") != std::string::npos);
}

TEST_CASE(
    "mcp client: a server's question goes to the person, in either era, and the call goes on with the "
    "answer") {
  for (const char* era : {"legacy", "modern"}) {
    McpClientSettings settings;
    settings.on_question = [](const json& params, std::stop_token) {
      return json{{"action", "accept"}, {"content", {{"said", params["message"]}}}};
    };
    Connected at(json{{"era", era}, {"asks", true}}.dump(), settings);
    REQUIRE(at.why.empty());
    CHECK(at.heard().find("\"elicitation\":{\"form\"") != std::string::npos);
    CHECK(first_text(at.call("ask")).find("Who are you?") != std::string::npos);
  }
}

TEST_CASE("mcp client: with nobody there a question is declined, and is not offered") {
  Connected at(R"({"asks":true})");
  REQUIRE(at.why.empty());
  CHECK(at.heard().find("elicitation") == std::string::npos);
  CHECK(first_text(at.call("ask")) == R"({"action":"decline"})");
}

TEST_CASE("mcp client: closing ends a question that is open") {
  std::atomic<bool> asked = false, ended = false;
  McpClientSettings settings;
  settings.on_question = [&](const json&, std::stop_token stop) {
    asked = true;
    comes_true([&] { return stop.stop_requested(); });
    ended = stop.stop_requested();
    return json{{"action", "cancel"}};
  };
  Connected at(R"({"asks":true})", settings);
  REQUIRE(at.why.empty());
  McpFailure failure = McpFailure::none;
  std::jthread caller([&] { failure = at.call("ask").failure; });
  REQUIRE(comes_true([&] { return asked.load(); }));
  at.client->close();
  caller.join();
  at.client.reset();
  CHECK(failure == McpFailure::gone);
  CHECK(ended);
}
