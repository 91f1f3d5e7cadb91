// Agent Skills: a folder with a SKILL.md. Three levels of telling: the catalog with a line each, the
// instructions when one is used, its other files when the model reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/extend/brought_places.h"

namespace tern {

struct Skill {
  std::string name, description;
  std::string usage;           // argument-hint
  std::string source;          // its file, as people know it
  BroughtFolder from;          // where it was found
  std::filesystem::path file;  // relative to that
  std::string hash;            // brought_hash() of its file
  bool for_model = true;       // false: disable-model-invocation
  bool for_user = true;        // false: user-invocable: false
  bool fork = false;           // context: fork: a helper follows it, in a conversation of its own
  std::string agent;           // that follows it, where it forks
  std::vector<std::string> allowed_tools;
  std::filesystem::path folder() const { return (from.folder / file).parent_path(); }
};

struct Skills {
  std::vector<Skill> skills;
  std::vector<std::string> problems;  // what was left out and why, for people
  const Skill* find(std::string_view name) const;
  bool any_for_model() const;
};
Skills load_skills(const BroughtPlaces& places);

// The part of the system prompt that names them, at most `limit` bytes: descriptions become shorter, then go.
// Empty without any.
std::string skill_catalog(const Skills& skills, std::size_t limit);

// The instructions with the names of the skill's other files. Begins with skill_mark(name). Empty when its
// file has gone.
std::string skill_content(const Skill& skill);
// Its file is as it was when it was found.
bool is_unchanged(const Skill& skill);
std::string skill_mark(std::string_view name);

}  // namespace tern
