#include "agent/mcp/server_entry.h"

#include <catch2/catch_test_macros.hpp>
#include <map>

using namespace tern;

namespace {

McpServers read_entries(const std::string& text, std::map<std::string, std::string> set = {},
                        McpScope scope = McpScope::user) {
  const Variables variables = [&set](const std::string& name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  };
  return read_mcp_servers(text, "/p/.mcp.json", scope, variables);
}

McpServer only_server(const std::string& entry, std::map<std::string, std::string> set = {}) {
  const McpServers read = read_entries(R"({"mcpServers":{"s":)" + entry + "}}", std::move(set));
  for (const std::string& problem : read.problems) UNSCOPED_INFO(problem);
  REQUIRE(read.servers.size() == 1);
  return read.servers.front();
}

std::string only_problem(const std::string& entry) {
  const McpServers read = read_entries(R"({"mcpServers":{"s":)" + entry + "}}");
  REQUIRE(read.servers.empty());
  REQUIRE(read.problems.size() == 1);
  return read.problems.front();
}

}  // namespace

TEST_CASE("mcp: a stdio entry is read whole") {
  const McpServer s =
      only_server(R"({"command":"npx","args":["-y","srv"],"env":{"A":"1","N":5},"cwd":"/w","timeout":1500,
                                      "trust":true,"excludeTools":["rm"]})");
  CHECK(s.transport == McpTransport::stdio);
  CHECK(target_of(s) == "npx -y srv");
  CHECK(s.env == NamedTexts{{"A", "1"}, {"N", "5"}});
  CHECK(s.cwd == "/w");
  CHECK(s.call_timeout == std::chrono::milliseconds(1500));
  CHECK(s.trusted);
  CHECK(s.without_tools == std::vector<std::string>{"rm"});
}

TEST_CASE("mcp: an http entry needs no type, and the shapes of other agents are read") {
  CHECK(only_server(R"({"url":"https://h/mcp"})").transport == McpTransport::http);
  CHECK(only_server(R"({"httpUrl":"https://h/mcp","type":"streamable-http"})").url == "https://h/mcp");
  const McpServer local =
      only_server(R"({"type":"local","command":["node","a.js"],"environment":{"K":"v"},"enabled":false})");
  CHECK(target_of(local) == "node a.js");
  CHECK(local.env == NamedTexts{{"K", "v"}});
  CHECK_FALSE(local.enabled);
}

TEST_CASE("mcp: variables are filled in, with what to take otherwise") {
  const McpServer s =
      only_server(R"({"url":"https://${HOST:-h}/${PATH_PART}","headers":{"Authorization":"Bearer ${KEY}"}})",
                  {{"PATH_PART", "mcp"}, {"KEY", "k1"}, {"HOST", ""}});
  CHECK(s.url == "https://h/mcp");
  CHECK(s.headers == NamedTexts{{"Authorization", "Bearer k1"}});
  std::vector<std::string> missing;
  CHECK(expand_variables(
            "a ${open and $HOME", [](const std::string&) { return nullptr; }, missing) ==
        "a ${open and $HOME");
  CHECK(missing.empty());
}

TEST_CASE("mcp: a problem names the file, the entry and the way out, and leaves the other entries alone") {
  const McpServers read =
      read_entries(R"({"mcpServers":{"bad":{"command":"x","args":["${NOPE}"]},"good":{"command":"y"}}})");
  REQUIRE(read.servers.size() == 1);
  CHECK(read.servers.front().name == "good");
  CHECK(
      read.problems ==
      std::vector<std::string>{
          R"(/p/.mcp.json: MCP server "bad": the variable NOPE is not set. Set it, or write ${NOPE:-value}.)"});
  CHECK(only_problem(R"({"args":["x"]})").find("neither \"command\" nor \"url\"") != std::string::npos);
  CHECK(only_problem(R"({"type":"http","command":"x"})").find("needs a \"url\"") != std::string::npos);
  CHECK(only_problem(R"({"type":"sse","url":"https://h"})").find("\"type\": \"http\"") != std::string::npos);
  CHECK(only_problem(R"({"command":"x","args":"-y"})").find("\"args\" must be a list") != std::string::npos);
  CHECK(only_problem(R"({"command":"x","timeout":-1})").find("\"timeout\" must be a positive") !=
        std::string::npos);
  CHECK(only_problem(R"(5)").find("must be an object") != std::string::npos);
  CHECK(read_entries("{").problems.front().find("not valid JSON") != std::string::npos);
  CHECK(read_entries(R"({"mcpServers":[]})").problems.front().find("must be an object") != std::string::npos);
  CHECK(read_entries(R"({"mcpServers":{"a__b":{"command":"x"},"a b":{"command":"x"}}})").problems.size() ==
        2);
}

TEST_CASE("mcp: an address that keys must not travel to in the clear is refused") {
  CHECK(only_problem(R"({"url":"http://example.com/mcp"})").find("cannot be used") != std::string::npos);
  CHECK(only_server(R"({"url":"http://localhost:3000/mcp"})").url == "http://localhost:3000/mcp");
}

TEST_CASE(
    "mcp: the hash is of the entry as written: blanks, order and variables do not change it, a word does") {
  const std::string hash = only_server(R"({"command":"x","args":["${A:-1}"]})").hash;
  CHECK(only_server(R"({ "args": ["${A:-1}"], "command": "x" })", {{"A", "2"}}).hash == hash);
  CHECK(only_server(R"({"command":"x","args":["${A:-2}"]})").hash != hash);
}

TEST_CASE("mcp: a project cannot call its own server trusted") {
  const std::string text = R"({"mcpServers":{"s":{"command":"x","trust":true}}})";
  CHECK_FALSE(read_entries(text, {}, McpScope::project).servers.front().trusted);
  CHECK(read_entries(text, {}, McpScope::flag).servers.front().trusted);
}

TEST_CASE("mcp: an entry says of single tools what is asked, and a project allows itself nothing") {
  constexpr const char* text =
      R"({"a":{"command":"x","tools":["*",{"name":"get","permission_policy":"always_allow"},
    {"name":"put","permission_policy":"always_ask"},{"name":"rm","permission_policy":"always_deny"}]}})";
  const auto read = [&](McpScope scope) { return read_entries(text, {}, scope).servers.at(0); };
  const McpServer own = read(McpScope::user), theirs = read(McpScope::project);
  REQUIRE(own.policies.size() == 2);
  CHECK((own.policies[0].tool == "get" && own.policies[0].allow));
  CHECK((own.policies[1].tool == "put" && !own.policies[1].allow));
  CHECK(own.without_tools == std::vector<std::string>{"rm"});
  REQUIRE(theirs.policies.size() == 1);
  CHECK(theirs.policies[0].tool == "put");
  CHECK(theirs.without_tools == std::vector<std::string>{"rm"});
  CHECK(only_problem(R"({"command":"x","tools":[{"name":"get","permission_policy":"maybe"}]})")
            .find("always_deny") != std::string::npos);
}

TEST_CASE("mcp: of two files the later one has the word, name by name") {
  const McpServers all =
      merge_mcp_servers({read_entries(R"({"b":{"command":"user"},"a":{"command":"user"}})"),
                         read_entries(R"({"b":{"command":"project"}})", {}, McpScope::project)});
  REQUIRE(all.servers.size() == 2);
  CHECK(all.servers[0].command == "user");
  CHECK(all.servers[1].command == "project");
}

TEST_CASE("mcp entry: headersHelper is the shell's to read, and the environment may name a client") {
  const Variables variables = [](const std::string& name) {
    return name == "TERN_CLIENT_METADATA_URL" ? "https://here/client.json" : nullptr;
  };
  const McpServers read = read_mcp_servers(
      R"({"a":{"url":"https://s/mcp","headersHelper":"echo ${NOT_SET}"},
          "b":{"url":"https://s/mcp","oauth":{"clientMetadataUrl":"https://mine/c"}},
          "c":{"url":"https://s/mcp","headersHelper":["a"]}})",
      "/f", McpScope::project, variables);
  REQUIRE(read.servers.size() == 2);
  CHECK(read.servers[0].headers_helper == "echo ${NOT_SET}");
  CHECK(runs_in_sandbox(read.servers[0]));
  CHECK_FALSE(runs_in_sandbox(read.servers[1]));
  CHECK(read.servers[0].oauth.metadata_url == "https://here/client.json");
  CHECK(read.servers[1].oauth.metadata_url == "https://mine/c");
  REQUIRE(read.problems.size() == 1);
  CHECK(read.problems[0].find("\"headersHelper\" must be a text") != std::string::npos);
}
