// An MCP server as a configuration file names it: {"mcpServers": {"name": {"command": …} or {"url": …}}}. The
// shapes of Claude Code, Gemini CLI and others are understood. Pure: files and variables are passed in.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

enum class McpTransport { stdio, http };
enum class McpScope { user, project, flag };  // who wrote the entry: only a project's has to be approved

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// How to sign in, where the server's own metadata does not say enough.
struct McpOAuth {
  std::string client_id, client_secret;  // of a client that is registered already
  std::string metadata_url;              // of a document that names this client
  std::string issuer_metadata_url;       // instead of what is discovered
  std::string scopes;
  int port = 0;  // of the redirect; 0: any
};

// What the entry says of calls of one tool.
struct McpToolPolicy {
  std::string tool;
  bool allow = false;  // else each call is asked for; never set by a project
};

struct McpServer {
  std::string name;
  McpTransport transport = McpTransport::stdio;
  std::string command;
  std::vector<std::string> args;
  NamedTexts env;             // given to the server beside the environment that every child gets
  std::filesystem::path cwd;  // empty: the workspace
  std::string url;
  NamedTexts headers;
  std::string headers_helper;  // a shell's command line that prints more of them; see headers_helper.h
  McpOAuth oauth;
  bool sandboxed = true;  // "sandbox": false in an entry of the user's own gives it the user's rights
  std::chrono::milliseconds start_timeout{30'000};
  std::chrono::milliseconds call_timeout{300'000};  // without a word of the server; progress starts it again
  bool enabled = true;
  bool trusted = false;      // what it says of its tools (read-only …) is believed; never set by a project
  bool always_load = false;  // its tools are declared, whatever they cost
  std::vector<std::string> only_tools;  // empty: all
  std::vector<std::string> without_tools;
  std::vector<McpToolPolicy> policies;
  McpScope scope = McpScope::user;
  std::filesystem::path file;
  std::string shown;  // the entry as the file says it, variables not filled in: what a person approves
  std::string hash;   // of `name` and `shown`
};

struct McpServers {
  std::vector<McpServer> servers;     // sorted by name
  std::vector<std::string> problems;  // ready to read: file, entry, what is wrong, the way out
};

// nullptr: the variable is not set.
using Variables = std::function<const char*(const std::string& name)>;

// `text` is a JSON object (comments allowed) with "mcpServers", or such an object of entries itself.
McpServers read_mcp_servers(std::string_view text, const std::filesystem::path& file, McpScope scope,
                            const Variables& variables);

// ${NAME} and ${NAME:-otherwise} filled in; the names that are not set and have no otherwise go to `missing`.
std::string expand_variables(std::string_view text, const Variables& variables,
                             std::vector<std::string>& missing);

// Later lists win over earlier ones, name by name.
McpServers merge_mcp_servers(std::vector<McpServers> lists);

// What stands between a server and being asked for: "npx -y server" or its address.
std::string target_of(const McpServer& server);

// It runs something here: itself, or what makes its headers. In the sandbox, or with the user's rights.
bool runs_in_sandbox(const McpServer& server);
bool runs_outside(const McpServer& server);

// Letters, digits, '_' and '-', at most 64, and no "__", which parts a tool's name.
bool is_server_name(std::string_view name);

}  // namespace tern
