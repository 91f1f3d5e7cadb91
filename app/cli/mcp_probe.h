// `tern mcp probe`: opens a server and says what is there; and signing in to one from a terminal.
#pragma once

#include <string>
#include <vector>

#include "agent/mcp/server_entry.h"

namespace tern {

// Waits for the browser, or for its last address on standard input. 0 done, 1 not.
int mcp_login(const McpServer& server);

struct McpProbe {
  bool calls = false;   // every tool once, with the simplest arguments its schema allows
  std::string given;    // or these: a JSON list of {"name", "arguments"}
  bool agrees = false;  // signs in where the server asks for it, without a person; takes what forms propose
};
int mcp_probe(const McpServer& server, const McpProbe& how, const std::string& version);

}  // namespace tern
