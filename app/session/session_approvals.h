// The entries that a project brings along, as the user is asked about them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/extend/entry_approvals.h"
#include "app/session/session_commands.h"

namespace tern {

enum class BroughtKind { hook, server, skill, command, agent };
struct BroughtEntry {
  BroughtKind kind = BroughtKind::hook;
  std::string name;
  std::string source;            // its file, as people know it
  std::string hash;              // of this version
  std::string shown;             // what is approved
  std::filesystem::path folder;  // where the answer holds; "/" = everywhere
};

// Where people can be asked, an entry that they have not answered for is left out.
bool asks_for_entries(const SessionSetup& setup);

// Of a trusted project, and the hooks of another agent's settings. Nothing is run.
std::vector<BroughtEntry> entries_of_project(const SessionSetup& setup, const std::filesystem::path& root,
                                             const BroughtPlaces& places);

}  // namespace tern
