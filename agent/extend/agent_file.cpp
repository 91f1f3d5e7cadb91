#include "agent/extend/agent_file.h"

#include <algorithm>
#include <cstdlib>

#include "compression/text/lines.h"
#include "compression/text/plain_text.h"

namespace tern {
namespace {

constexpr std::size_t longest_description = 1'024;

bool usable_agent_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

AgentFile read_agent(std::string_view text, const std::filesystem::path& file) {
  auto head = frontmatter(text);
  AgentFile agent;
  agent.name = head.get("name");
  if (agent.name.empty()) agent.name = file.stem().string();
  agent.description = clipped(head.get("description"), longest_description);
  agent.model = head.get("model");
  if (agent.model == "inherit") agent.model.clear();
  agent.tools = list_words(head.get("tools"));
  agent.plan_only = head.get("permissionMode") == "plan";
  agent.max_turns = std::clamp(std::atoi(head.get("maxTurns").c_str()), 0, 1'000);
  agent.body = std::move(head.body);
  return agent;
}

std::string names_of(const std::vector<AgentFile>& agents, std::size_t room) {
  std::string text;
  for (const auto& agent : agents) {
    text += (text.empty() ? "" : ", ") + agent.name;
    if (room > 0) text += " (" + clipped(agent.description, room) + ")";
  }
  return text;
}

}  // namespace

const AgentFile* AgentFiles::find(std::string_view name) const {
  const auto found =
      std::find_if(agents.begin(), agents.end(), [&](const auto& one) { return one.name == name; });
  return found == agents.end() ? nullptr : &*found;
}

AgentFiles load_agents(const BroughtPlaces& places) {
  AgentFiles loaded;
  for (const auto& from : brought_folders(places, "agents")) {
    for (const auto& file : files_of(from)) {
      if (file.extension() != ".md" || lowered(file.stem().string()) == "readme") continue;
      const auto text = read_brought(from, file);
      const auto hash = brought_hash(from, file, text);
      if (!may_use(places, from, hash)) continue;
      auto agent = read_agent(text, file);
      agent.hash = hash;
      agent.source = shown_path(from, file, places.home);
      agent.of_project = from.of_project();
      const bool usable = usable_agent_name(agent.name);
      agent.name = from.prefix + agent.name;
      if (const auto* earlier = loaded.find(agent.name))
        loaded.problems.push_back(agent.source + " is left out: the agent " + agent.name + " is already " +
                                  earlier->source + ".");
      else if (!usable)
        loaded.problems.push_back(agent.source +
                                  " is left out: an agent's name has letters, digits and '-' only.");
      else if (agent.description.empty())
        loaded.problems.push_back(agent.source + " is left out: it has no description.");
      else
        loaded.agents.push_back(std::move(agent));
    }
  }
  return loaded;
}

std::string agent_names(const AgentFiles& agents, std::size_t limit) {
  for (const std::size_t room : {160, 80, 40}) {
    auto text = names_of(agents.agents, room);
    if (text.size() <= limit) return text;
  }
  return clipped(names_of(agents.agents, 0), limit);
}

}  // namespace tern
