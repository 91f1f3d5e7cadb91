#include "agent/extend/skill.h"

#include <algorithm>

#include "compression/text/lines.h"

namespace tern {
namespace {

constexpr std::size_t longest_description = 1'024;
constexpr std::size_t most_files = 40;
constexpr std::string_view catalog_head =
    "\nSkills are instructions for a kind of work. When one fits the task, call the Skill tool with its name "
    "first.\n";

bool usable_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

Skill read_skill(const BroughtFolder& from, const std::filesystem::path& file, const Frontmatter& head) {
  Skill skill;
  skill.name = head.get("name");
  if (!usable_name(skill.name)) skill.name = file.parent_path().filename().string();
  skill.description = clipped(head.get("description"), longest_description);
  skill.usage = head.get("argument-hint");
  skill.from = from;
  skill.file = file;
  skill.for_model = !head.is("disable-model-invocation");
  skill.for_user = head.get("user-invocable") != "false";
  skill.fork = head.get("context") == "fork";
  skill.agent = head.get("agent");
  skill.allowed_tools = list_words(head.get("allowed-tools"));
  return skill;
}

std::string line_of(const Skill& skill, std::size_t room) {
  const auto described = room == 0 ? std::string() : ": " + clipped(skill.description, room);
  return "- " + skill.name + described + "\n";
}

std::string catalog_of(const std::vector<const Skill*>& skills, std::size_t room) {
  std::string text(catalog_head);
  for (const auto* skill : skills) text += line_of(*skill, room);
  return text;
}

}  // namespace

const Skill* Skills::find(std::string_view name) const {
  const auto found =
      std::find_if(skills.begin(), skills.end(), [&](const auto& one) { return one.name == name; });
  return found == skills.end() ? nullptr : &*found;
}

bool Skills::any_for_model() const {
  return std::any_of(skills.begin(), skills.end(), [](const auto& one) { return one.for_model; });
}

Skills load_skills(const BroughtPlaces& places) {
  Skills loaded;
  for (const auto& from : brought_folders(places, "skills")) {
    for (const auto& file : files_of(from)) {
      if (file.filename() != "SKILL.md") continue;
      const auto text = read_brought(from, file);
      const auto hash = brought_hash(from, file, text);
      if (!may_use(places, from, hash)) continue;
      auto skill = read_skill(from, file, frontmatter(text));
      skill.hash = hash;
      skill.source = shown_path(from, file, places.home);
      const bool usable = usable_name(skill.name);
      skill.name = from.prefix + skill.name;
      if (const auto* earlier = loaded.find(skill.name))
        loaded.problems.push_back(skill.source + " is left out: the skill " + skill.name + " is already " +
                                  earlier->source + ".");
      else if (!usable)
        loaded.problems.push_back(skill.source +
                                  " is left out: a skill's name has letters, digits and '-' only.");
      else if (skill.description.empty())
        loaded.problems.push_back(skill.source + " is left out: it has no description.");
      else
        loaded.skills.push_back(std::move(skill));
    }
  }
  return loaded;
}

std::string skill_catalog(const Skills& skills, std::size_t limit) {
  std::vector<const Skill*> told;
  for (const auto& skill : skills.skills)
    if (skill.for_model) told.push_back(&skill);
  if (told.empty()) return {};
  for (const std::size_t room : {longest_description, 400UL, 200UL, 100UL, 60UL, 0UL})
    if (auto text = catalog_of(told, room); text.size() <= limit) return text;
  std::string text(catalog_head);
  for (const auto* skill : told) {
    const auto line = line_of(*skill, 0);
    if (text.size() + line.size() <= limit) text += line;
  }
  return text.size() <= limit ? text : std::string();
}

std::string skill_mark(std::string_view name) { return "<skill_content name=\"" + std::string(name) + "\""; }

bool is_unchanged(const Skill& skill) {
  return brought_hash(skill.from, skill.file, read_brought(skill.from, skill.file)) == skill.hash;
}

std::string skill_content(const Skill& skill) {
  const auto head = frontmatter(read_brought(skill.from, skill.file));
  if (trimmed(head.body).empty()) return {};
  std::string text = skill_mark(skill.name) + " folder=\"" + skill.folder().string() + "\">\n" + head.body;
  if (!text.ends_with('\n')) text += '\n';
  std::size_t listed = 0;
  for (const auto& file : files_of({skill.folder(), skill.from.within})) {
    if (file == "SKILL.md") continue;
    if (listed++ == 0) text += "\nFiles in its folder, to be read when they are needed:\n";
    if (listed <= most_files) text += "- " + file.string() + "\n";
  }
  if (listed > most_files) text += "- and " + std::to_string(listed - most_files) + " more\n";
  return text + "</skill_content>";
}

}  // namespace tern
