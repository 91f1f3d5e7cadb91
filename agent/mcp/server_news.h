// What the model is told of servers that have become ready: a line each, whatever they would like to say.
#pragma once

#include <string>
#include <vector>

#include "agent/mcp/connection.h"

namespace tern {

// Names of tools, about 900 bytes of all servers together, and a short sentence of its own of each. McpTools
// has the rest.
std::string news_of(const std::vector<McpState>& ready);

// All it says of itself, capped and named as its words; empty when it says nothing.
std::string own_words(const McpState& state);

}  // namespace tern
