// The shapes of other agents' files, as their own documentation has them.
#include "app/cli/imported_servers.h"

#include <catch2/catch_test_macros.hpp>

#include "agent/mcp/server_entry.h"

using namespace tern;
using nlohmann::json;

namespace {

json entries_of(const ImportedServers& read) {
  json entries = json::object();
  for (const auto& [name, entry] : read.entries) entries[name] = entry;
  return entries;
}

json imported(const char* file, const char* text) { return entries_of(imported_servers(text, file, "/p")); }

// What is taken over is an entry that counts here.
McpServer as_ours(const json& entries, const std::string& name) {
  const Variables variables = [](const std::string&) { return "value"; };
  const McpServers read =
      read_mcp_servers(json{{name, entries.at(name)}}.dump(), "/f", McpScope::user, variables);
  CHECK(read.problems == std::vector<std::string>{});
  return read.servers.at(0);
}

}  // namespace

TEST_CASE("import: Claude Code's user, project and disabled servers") {
  const json read = imported("/home/u/.claude.json", R"({
    "mcpServers": {"files": {"type": "stdio", "command": "npx", "args": ["-y", "x"], "env": {"K": "${K:-a}"}},
                   "web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${T}"},
                           "headersHelper": "token", "timeout": 5000}},
    "projects": {"/p": {"mcpServers": {"files": {"command": "mine"}, "db": {"command": "db"}},
                        "disabledMcpServers": ["db"]},
                 "/q": {"mcpServers": {"other": {"command": "other"}}}}})");
  CHECK(read.size() == 3);
  CHECK(as_ours(read, "files").command == "mine");
  CHECK_FALSE(as_ours(read, "db").enabled);
  const McpServer web = as_ours(read, "web");
  CHECK(web.headers == NamedTexts{{"Authorization", "Bearer value"}});
  CHECK(web.headers_helper == "token");
  CHECK(web.call_timeout == std::chrono::seconds(5));
}

TEST_CASE("import: Codex' tables, with variables by name, seconds and approvals") {
  const json read = imported("/home/u/.codex/config.toml", R"(
[mcp_servers.files]
command = "npx"
env_vars = ["A", { name = "B", source = "local" }]
startup_timeout_ms = 20_000
[mcp_servers.web]
url = "https://x/mcp"
bearer_token_env_var = "T"
env_http_headers = { "X-A" = "A" }
http_headers_helper = "token"
scopes = ["read", "write"]
oauth = { client_id = "c", callback_port = 4000 }
tool_timeout_sec = 1.5
enabled = false
[mcp_servers.web.tools.drop]
approval_mode = "prompt"
[mcp_servers.web.tools.look]
approval_mode = "approve"
[mcp_servers.web.tools.any]
approval_mode = "auto"
)");
  CHECK(as_ours(read, "files").env == NamedTexts{{"A", "value"}, {"B", "value"}});
  CHECK(as_ours(read, "files").start_timeout == std::chrono::seconds(20));
  const McpServer web = as_ours(read, "web");
  CHECK(web.headers == NamedTexts{{"Authorization", "Bearer value"}, {"X-A", "value"}});
  CHECK(web.headers_helper == "token");
  CHECK(web.oauth.client_id == "c");
  CHECK(web.oauth.port == 4000);
  CHECK(web.oauth.scopes == "read write");
  CHECK(web.call_timeout == std::chrono::milliseconds(1500));
  CHECK_FALSE(web.enabled);
  REQUIRE(web.policies.size() == 2);
  CHECK((web.policies[0].tool == "drop" && !web.policies[0].allow));
  CHECK((web.policies[1].tool == "look" && web.policies[1].allow));
}

TEST_CASE("import: Gemini's variables without braces, its lists of servers and its two addresses") {
  const char* text = R"({
    "mcp": {"excluded": ["off"], "serverCommand": "x"},
    "mcpServers": {"py": {"command": "python", "cwd": "./s", "env": {"A": "$DB_NAME", "B": "${KEY}", "C": "a$"},
                          "timeout": 15000, "trust": true, "includeTools": ["one"]},
                   "web": {"httpUrl": "https://x/mcp", "url": "https://x/sse"},
                   "cloud": {"httpUrl": "https://x", "authProviderType": "google_credentials"},
                   "off": {"command": "off"}}})";
  const json read = imported("/home/u/.gemini/settings.json", text);
  CHECK(read.size() == 3);
  CHECK(read["py"]["env"] == json{{"A", "${DB_NAME}"}, {"B", "${KEY}"}, {"C", "a$"}});
  CHECK(as_ours(read, "py").only_tools == std::vector<std::string>{"one"});
  CHECK(as_ours(read, "web").url == "https://x/mcp");
  CHECK_FALSE(as_ours(read, "off").enabled);
  const auto notes = imported_servers(text, "/home/u/.gemini/settings.json", "/p").notes;
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("\"cloud\" is not taken over") != std::string::npos);
  const json allowed =
      imported("/home/u/.gemini/settings.json",
               R"({"mcp":{"allowed":["a"]},"mcpServers":{"a":{"command":"a"},"b":{"command":"b"}}})");
  CHECK(as_ours(allowed, "a").enabled);
  CHECK_FALSE(as_ours(allowed, "b").enabled);
}

TEST_CASE("import: opencode's types, its command in one list and its {env:NAME}") {
  const char* text = R"({ // with comments
    "mcp": {"my server": {"type": "local", "command": ["npx", "-y", "x"], "environment": {"K": "{env:K}"},
                          "enabled": false, "timeout": 5000},
            "web": {"type": "remote", "url": "https://x/mcp", "headers": {"Authorization": "Bearer {env:T}"},
                    "oauth": {"clientId": "c", "scope": "read"}},
            "open": {"type": "remote", "url": "https://x/mcp", "oauth": false},
            "file": {"type": "remote", "url": "https://x", "headers": {"A": "{file:~/.t}"}}}})";
  const json read = imported("/home/u/.config/opencode/opencode.jsonc", text);
  CHECK(read.size() == 3);
  const McpServer local = as_ours(read, "my-server");
  CHECK(local.command == "npx");
  CHECK(local.args == std::vector<std::string>{"-y", "x"});
  CHECK(local.env == NamedTexts{{"K", "value"}});
  CHECK_FALSE(local.enabled);
  CHECK(as_ours(read, "web").headers == NamedTexts{{"Authorization", "Bearer value"}});
  CHECK(as_ours(read, "web").oauth.scopes == "read");
  CHECK(as_ours(read, "open").url == "https://x/mcp");
  CHECK(imported_servers(text, "/f.json", "/p").notes.size() == 1);
}

TEST_CASE("import: Crush counts in seconds, writes $NAME, and may run commands in texts") {
  const char* text = R"j({"mcp": {
    "files": {"type": "stdio", "command": "node", "args": ["s.js"], "timeout": 120, "disabled": true,
              "disabled_tools": ["drop"], "env": {"K": "$K"}},
    "web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer $T"}},
    "run": {"type": "http", "url": "https://x", "headers": {"A": "$(cat t)"}}}})j";
  const json read = imported("/home/u/.config/crush/crush.json", text);
  CHECK(read.size() == 2);
  const McpServer files = as_ours(read, "files");
  CHECK(files.start_timeout == std::chrono::minutes(2));
  CHECK(files.call_timeout == std::chrono::minutes(5));
  CHECK_FALSE(files.enabled);
  CHECK(files.without_tools == std::vector<std::string>{"drop"});
  CHECK(files.env == NamedTexts{{"K", "value"}});
  CHECK(as_ours(read, "web").headers == NamedTexts{{"Authorization", "Bearer value"}});
  CHECK(imported_servers(text, "/f.json", "/p").notes.size() == 1);
}

TEST_CASE("import: names that would part a tool's name fit, and of two that meet the first stays") {
  const json read = imported("/f.json", R"({"mcpServers":{"a__b":{"command":"x"},"a_b":{"command":"y"},
    "@org/srv.one":{"command":"z"}, "note": "no server", "cursor": {"command":"c","env":{"K":"${env:K}"}}}})");
  CHECK(read.size() == 3);
  CHECK(read["a_b"]["command"] == "x");
  CHECK(as_ours(read, "-org-srv-one").command == "z");
  CHECK(read["cursor"]["env"]["K"] == "${K}");
}

TEST_CASE("import: a file that is no JSON says so, an empty one has no servers") {
  CHECK(imported_servers("{", "/f.json", "/p").notes.size() == 1);
  CHECK(imported_servers("", "/f.json", "/p").notes.empty());
  CHECK(imported_servers("[]", "/f.json", "/p").entries.empty());
}
