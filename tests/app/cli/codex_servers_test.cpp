#include "app/cli/codex_servers.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace tern;
using nlohmann::json;

TEST_CASE("the servers of a Codex configuration become entries of ours") {
  const json servers = codex_servers(R"(model = "gpt-6"   # a word on it
notify = ["a",
  "b", # and this
]
[mcp_servers.files]
command = "npx"
args = ["-y", 'C:\files', "a \"b\""]
startup_timeout_sec = 12.5
env_vars = ["HOME_KEY"]
[mcp_servers.files.env]
LEVEL = "info"
[mcp_servers."web"]
url = "https://mcp.example.com/mcp"
bearer_token_env_var = "WEB_TOKEN"
http_headers = { "X-Region" = "eu", plain = "1" }
enabled = false
tool_timeout_sec = 60
disabled_tools = ["drop"]
[[other]]
command = "not one"
)");
  CHECK(servers == json::parse(R"({
    "files": {"command": "npx", "args": ["-y", "C:\\files", "a \"b\""], "startupTimeout": 12500, "env": {"LEVEL": "info", "HOME_KEY": "${HOME_KEY}"}},
    "web": {"url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer ${WEB_TOKEN}", "X-Region": "eu", "plain": "1"},
            "enabled": false, "timeout": 60000, "disabledTools": ["drop"]}})"));
}

TEST_CASE("a Codex configuration that is broken ends where it is, and nothing more") {
  for (const char* text :
       {"", "[", "[mcp_servers.a", "a = [1,", "a = {b", "x = \"open", "[a]\nb = [[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        "= 1", "\"\" = 2", "a = 1\na.b.c = 2\n[a.b]\n", "'''"})
    CHECK(codex_servers(text).empty());
  CHECK(codex_servers("[mcp_servers.a]\ncommand = \"x\"\nargs = [1 2").contains("a"));
}
