// MCP servers for tests: the fake one as a child, with a scenario.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "agent/mcp/client.h"
#include "agent/mcp/stdio_link.h"
#include "tests/support/commands.h"
#include "tests/support/places.h"

namespace tern::test {

inline std::unique_ptr<StdioLink> fake_mcp_link(const nlohmann::json& scenario) {
  ProcessSpec spec = shell_spec("", "/tmp");
  spec.argv = {places::mcp_server(), scenario.dump()};
  return std::make_unique<StdioLink>(std::move(spec));
}

// Waits for what another thread is about to do.
template <typename Condition>
bool comes_true(Condition condition, std::chrono::milliseconds limit = std::chrono::seconds(10)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::poll(nullptr, 0, 2);
  }
  return true;
}

}  // namespace tern::test
