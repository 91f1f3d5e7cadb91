// Which MCP servers of which project a person has approved: a changed entry is asked for again. Those of the
// user need no approval.
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
    return server.scope == McpScope::project ? list_.of(project, server.hash) : EntryAnswer::approved;
  }
  std::string decide(const std::filesystem::path& project, const McpServer& server, bool approved) {
    return list_.decide(project, server.hash, approved ? EntryAnswer::approved : EntryAnswer::refused);
  }
  std::string forget(const std::filesystem::path& project) { return list_.forget(project); }

 private:
  EntryApprovals list_;
};

}  // namespace tern
