// The helpers that people keep as files: Markdown whose head says what the helper is for and which tools it
// may use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/extend/brought_places.h"

namespace tern {

struct AgentFile {
  std::string name, description;
  std::string source;  // its file, as people know it
  std::string model;   // empty: that of the conversation
  std::string body;    // its instructions
  std::string hash;    // brought_hash() of its file
  bool of_project = false;
  std::vector<std::string> tools;  // empty: those that only read
  bool plan_only = false;          // permissionMode: plan; no file widens what the user allows
  int max_turns = 0;               // requests; 0 = no limit of its own
};

struct AgentFiles {
  std::vector<AgentFile> agents;
  std::vector<std::string> problems;  // what was left out and why, for people
  const AgentFile* find(std::string_view name) const;
};
AgentFiles load_agents(const BroughtPlaces& places);

// "explorer (finds code), reviewer (…)", at most about `limit` bytes: descriptions become shorter, then go.
// Empty without any.
std::string agent_names(const AgentFiles& agents, std::size_t limit);

}  // namespace tern
