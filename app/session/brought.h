// What people brought along to this session: loaded once the folder is trusted, and again when settings are
// read anew.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/extend/agent_file.h"
#include "agent/extend/skill.h"
#include "agent/extend/user_command.h"
#include "agent/models/models.h"

namespace tern {

struct Brought {
  bool loaded = false;
  UserCommands commands;
  Skills skills;      // as they were at the start: the catalog in the system prompt names these
  AgentFiles agents;  // as they were at the start: the description of Task names these
  std::set<std::filesystem::path> folders;  // whose memory file has been looked for in this conversation
  std::vector<std::string> waiting;         // instructions of skills, for the next request
  std::optional<ModelName> model_before;    // while a command of theirs has another model answer
};

}  // namespace tern
