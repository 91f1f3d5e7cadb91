// Which MCP servers of which project a person has approved, and which of all servers run outside the sandbox.
// A changed entry is asked for again. Those of the user need no approval.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "agent/extend/entry_approvals.h"
#include "agent/mcp/server_entry.h"

namespace tern {

class McpApprovals {
 public:
  explicit McpApprovals(std::filesystem::path file) : list_(std::move(file)) {}

  EntryAnswer of(const std::filesystem::path& project, const McpServer& server) const {
    const EntryAnswer answer = list_.of(place_of(project, server), server.hash);
    const bool asked = server.scope == McpScope::project || answer == EntryAnswer::granted;
    return asked ? answer : EntryAnswer::approved;
  }
  bool allow(const std::filesystem::path& project, const McpServer& server) const {
    const EntryAnswer answer = of(project, server);
    return answer == EntryAnswer::approved || answer == EntryAnswer::granted;
  }
  std::string decide(const std::filesystem::path& project, const McpServer& server, EntryAnswer answer) {
    return list_.decide(place_of(project, server), server.hash, answer);
  }
  std::string forget(const std::filesystem::path& project) { return list_.forget(project); }

 private:
  // An answer about an entry of the user holds in every folder.
  static const std::filesystem::path& place_of(const std::filesystem::path& project,
                                               const McpServer& server) {
    return server.scope == McpScope::project ? project : server.file;
  }

  EntryApprovals list_;
};

}  // namespace tern
