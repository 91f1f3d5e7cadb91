// Servers on a real pseudo-terminal: what the person does with them.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/fake_issuer.h"
#include "tests/support/mcp_rig.h"
#include "tests/support/served_run.h"

using namespace tern;
using namespace tern::test;

namespace {

std::string flag_with(const nlohmann::json& scenario) {
  return nlohmann::json{
      {"mcpServers", {{"a", {{"command", places::mcp_server()}, {"args", {scenario.dump()}}}}}}}
      .dump();
}

struct McpRun : ServedRun {
  explicit McpRun(std::string_view replies, const nlohmann::json& scenario = nlohmann::json::object(),
                  std::vector<std::string> more = {})
      : ServedRun(replies, words(scenario, std::move(more)), 110, 40) {}

  std::string settings() const {
    std::ifstream file(home.path / ".config/tern/config.json");
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  static std::vector<std::string> words(const nlohmann::json& scenario, std::vector<std::string> more) {
    more.insert(more.end(), {"--mcp-config", flag_with(scenario)});
    return more;
  }
};

}  // namespace

TEST_CASE("a single tool of a server is turned off for good, and /context says what the tools take") {
  McpRun run(
      R"({"replies":[{"calls":[{"name":"McpTools","arguments":{"query":"echo"}}]},{"text":"all found"}]})",
      {{"schema_bytes", 3000}});
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("go\r");
  REQUIRE(pty.until_text("all found"));
  pty.send("/context\r");
  REQUIRE(pty.until_text("1 of 12 tools loaded"));
  pty.send("\x1b");
  REQUIRE(pty.until_gone("tools loaded"));
  pty.send("/mcp\r");
  REQUIRE(pty.until_text("tokens if all are loaded"));
  CHECK(pty.vt().text().find("12 tools · ") != std::string::npos);
  pty.send("\x1b");
  REQUIRE(pty.until_gone("if all are loaded"));
  pty.send("/mcp off a echo\r");
  REQUIRE(pty.until_text("○ echo"));
  CHECK(run.settings().find("\"mcp__a__echo\"") != std::string::npos);
  pty.send("\x1b");
  REQUIRE(pty.until_gone("○ echo"));
  pty.send("/mcp on a echo\r");
  REQUIRE(pty.until_text("● echo"));
  CHECK(run.settings().find("mcp__a__echo") == std::string::npos);
}

TEST_CASE("/mcp grant lets a server out of the sandbox for good, and /mcp approve puts it back") {
  McpRun run(R"({"replies":[{"text":"hi"}]})");
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("/mcp a\r");
  REQUIRE(pty.until_text("It runs in the sandbox"));
  pty.send("\x1b");
  REQUIRE(pty.until_gone("It runs in the sandbox"));
  pty.send("/mcp grant a\r");
  REQUIRE(pty.until_text("outside the sandbox"));
  pty.send("\x1b");
  REQUIRE(pty.until_gone("outside the sandbox"));
  pty.send("/mcp a\r");
  REQUIRE(pty.until_text("/mcp approve a puts it back."));
  pty.send("\x1b");
  REQUIRE(pty.until_gone("puts it back"));
  pty.send("/mcp approve a\r");
  REQUIRE(pty.until_text("/mcp NAME shows one"));
  CHECK(pty.vt().text().find("outside the sandbox") == std::string::npos);
  CHECK(pty.raw().find("is not running") == std::string::npos);
}

TEST_CASE("a server's question is a form in the chat, in either era, and its answer reaches the server") {
  const char* era = GENERATE("legacy", "modern");
  const nlohmann::json form{
      {"type", "object"},
      {"properties",
       {{"age", {{"type", "integer"}}}, {"colour", {{"type", "string"}, {"enum", {"red", "blue"}}}}}},
      {"required", {"age", "colour"}}};
  McpRun run(
      R"({"replies":[{"calls":[{"name":"McpCall","arguments":{"server":"a","tool":"ask","arguments":{}}}]},{"text":"that is all"}]})",
      {{"era", era}, {"asks", true}, {"form", form}}, {"--allowed-tools", "mcp__a"});
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("go\r");
  REQUIRE(pty.until_text("Who are you?"));
  REQUIRE(pty.until_text("It wants: age, colour"));
  REQUIRE(pty.until_text("enter choose"));  // it listens
  pty.send("1");
  REQUIRE(pty.until_text("(1 of 2)"));
  REQUIRE(pty.until_text("enter choose"));
  pty.send("1");
  REQUIRE(pty.until_text("Your answer:"));
  pty.send("41\r");
  REQUIRE(pty.until_text("(2 of 2)"));
  REQUIRE(pty.until_text("enter choose"));
  pty.send("2");
  REQUIRE(pty.until_text("that is all"));
  const auto requests = run.server.requests();
  CHECK(requests.back().body.find("blue") != std::string::npos);
  CHECK(requests.back().body.find("41") != std::string::npos);
}

TEST_CASE("prompts and resources of a server are in the menus") {
  McpRun run(
      R"({"replies":[{"calls":[{"name":"McpTools","arguments":{"query":"echo"}}]},{"text":"all found"}]})",
      {{"resources", true}});
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  pty.send("go\r");
  REQUIRE(pty.until_text("all found"));  // so the server is there
  pty.send("see @note");
  REQUIRE(pty.until_text("the first note"));
  pty.send("\x03");
  REQUIRE(pty.until_gone("the first note"));
  pty.send("/a:gr");
  REQUIRE(pty.until_text("Greets somebody"));
  REQUIRE(pty.until_text("<who>"));
}

TEST_CASE(
    "signing in from the chat begins with an address for the browser, and ends with the pasted one it came "
    "to") {
  const FakeIssuer issuer;
  const std::string servers =
      nlohmann::json{{"mcpServers", {{"web", {{"url", issuer.server().url}}}}}}.dump();
  ServedRun run(R"({"replies":[{"text":"hi"}]})", {"--mcp-config", servers}, 110, 40);
  auto& pty = run.pty;
  REQUIRE(pty.until_text("claude-sonnet-4-5"));
  REQUIRE(pty.until_text("needs a sign-in: /mcp login web"));
  pty.send("/mcp login web\r");
  REQUIRE(pty.until_text("Signing in to web"));
  pty.send("\x1b");
  REQUIRE(pty.until_text("Open this address to sign in to web"));
  REQUIRE(run.shows(issuer.base() + "/authorize"));
  REQUIRE(pty.until_gone("/mcp NAME shows one"));
  const std::string screen = pty.vt().text();
  const std::size_t begin = screen.find(issuer.base() + "/authorize"),
                    end = screen.find("If the browser", begin);
  std::string url = screen.substr(begin, end - begin);
  std::erase_if(url, [](char c) { return c == ' ' || c == '\n'; });  // it is longer than a row
  pty.send("/mcp login web http://127.0.0.1:1/callback?code=c&state=another\r");
  REQUIRE(pty.until_text("That isn't the address"));
  pty.send("\x1b");
  REQUIRE(pty.until_gone("/mcp NAME shows one"));
  pty.send("/mcp login web " + issuer.agree(url) + "\r");
  REQUIRE(pty.until_text("Signed in to web."));
  CHECK(issuer.count("/token") == 1);
  REQUIRE(comes_true([&] { return issuer.count("/mcp", "tools/list") == 1; }));  // with the token
}
