// What other parts of the program tell the session's owner, beside the commands of people. Pushed from any
// thread.
#pragma once

#include <string>
#include <variant>

namespace tern {

struct JobEnded {
  std::string id, how, command;  // "bash_1", "exit 0"
  bool by_user = false;          // who stopped it
};
struct DraftEnded {};
struct SettingsChanged {};  // the project's configuration file

struct ServersChanged {};  // an MCP server is ready or has failed

using Wake = std::variant<JobEnded, DraftEnded, SettingsChanged, ServersChanged>;

}  // namespace tern
