#include "agent/gate/file_rules.h"

#include <glob.h>

#include <algorithm>

#include "agent/gate/command_needs.h"
#include "tools/workspace/walk.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::size_t most_files = 100'000;

// unwrap() tells a redirection as the program ">". A script of package.json may write other files than those
// it is given.
bool writes_words(std::string_view name, const Words& words) {
  if (name == "git") return has_word(words, "checkout restore rm mv");
  const Does* known = effect_of(words);
  return name == ">" || (known != nullptr && known->does == Effects::writes && known->verbs.empty() &&
                         known->says == "writes files" && !has_role(name, role::runs_scripts));
}
// Its words are no files, or files whose text it does not show.
bool shows_nothing(std::string_view name) {
  const Program* program = program_of(name);
  const bool no_files = program != nullptr && program->looks && program->looks->takes != Operands::paths &&
                        program->looks->takes != Operands::pattern_then_paths;
  return no_files || has_role(name, role::shows_nothing) || in_list(name, "> cd");
}
bool takes_last(std::string_view name) {
  const Program* program = program_of(name);
  return program != nullptr && (program->files == Files::into_last || program->files == Files::moved);
}
bool goes_through_folders(std::string_view name, const Words& words, bool writes) {
  return has_role(name, role::through_folders) || (writes && has_letter(words, "rRa")) ||
         has_option(words, "--recursive --archive");
}

class Finder {
 public:
  Finder(const PermissionPolicy& policy, PermissionRule::Kind kind, const CommandPlace& place)
      : policy_(policy), kind_(kind), place_(place) {}

  RuleHit look(const Words& words) {
    const std::string name(program_name(words.front()));
    const bool writes = writes_words(name, words), shows = !shows_nothing(name);
    const bool folders = goes_through_folders(name, words, writes);
    for (std::size_t i = 1; i < words.size() && !hit_.rule; ++i) {
      const bool output = i > 1 && in_list(words[i - 1], "-o --output -O");
      for (const std::string& text : path_candidates(words[i])) {
        if (writes || output || words[i].starts_with("--output=") ||
            (words[i].starts_with("-o") && text != words[i]))
          test(text, Effect::write, folders, words);
        if (shows) test(text, Effect::read, folders, words);
      }
    }
    if (shows && !hit_.rule) searched(words);
    return hit_;
  }

 private:
  const PermissionRule* rule_on(Effect effect, const fs::path& path) const {
    for (const PermissionRule& rule : policy_.rules)
      if (holds(rule, effect) && matches_path(rule.spec, place_.workspace, path)) return &rule;
    return nullptr;
  }
  // A rule for a tool as a whole says nothing about files.
  bool holds(const PermissionRule& rule, Effect effect) const {
    return rule.kind == kind_ && !rule.spec.empty() && rule.tool != "Bash" && rule.tool != "*" &&
           rule_is_for(rule, effect == Effect::write ? "Write" : "Read", effect);
  }
  bool any(Effect effect) const {
    return std::any_of(policy_.rules.begin(), policy_.rules.end(),
                       [&](const PermissionRule& r) { return holds(r, effect); });
  }

  bool take(Effect effect, const fs::path& path, bool sure) {
    const PermissionRule* rule = rule_on(effect, path);
    if (rule && !hit_.rule)
      hit_ = {rule, sure, (effect == Effect::write ? "writes " : "reads ") + place_.workspace.display(path)};
    return rule != nullptr;
  }

  void test(const std::string& text, Effect effect, bool folders, const Words& words) {
    if (text.empty() || text.size() > 4096 || !any(effect)) return;
    if (text.find_first_of("*?[") != text.npos) return expand(text, effect);
    const Place where = place_.locate(text);
    if (!where.error.empty() || take(effect, where.path, true) || take(effect, where.real, true)) return;
    std::error_code error;
    if (!fs::is_directory(where.real, error)) return;
    if (effect == Effect::write && takes_last(program_name(words.front())) && text == words.back())
      for (std::size_t i = 1; i + 1 < words.size(); ++i)
        take(effect, where.real / fs::path(words[i]).filename(), true);
    if (folders) below(where.real, effect);
  }

  void below(const fs::path& folder, Effect effect) {
    std::string found;
    const WalkOptions how{.use_ignore = false, .workers = 1, .most = most_files, .stop = {}};
    walk(folder, how, [&](const WalkFile& file) {
      return !rule_on(effect, folder / file.path) || (found = file.path, false);
    });
    if (!found.empty()) take(effect, folder / found, true);
  }

  // What a pattern would become now; by the time it runs that may be something else.
  void expand(const std::string& pattern, Effect effect) {
    const fs::path whole = pattern.starts_with("/") ? fs::path(pattern) : place_.cwd / pattern;
    if (std::count(pattern.begin(), pattern.end(), '*') > 3) return;
    ::glob_t found{};
    if (::glob(whole.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
      for (std::size_t i = 0; i < found.gl_pathc && !hit_.rule; ++i)
        take(effect, fs::path(found.gl_pathv[i]).lexically_normal(), false);
    ::globfree(&found);
  }

  void searched(const Words& words) {
    if (!any(Effect::read)) return;
    const ShellCommand command = command_of(words);
    const fs::path shown =
        search_shows(command, {command.words.begin() + 1, command.words.end()}, place_,
                     [&](const fs::path& path) { return rule_on(Effect::read, path) != nullptr; });
    if (!shown.empty()) take(Effect::read, shown, true);
  }

  const PermissionPolicy& policy_;
  PermissionRule::Kind kind_;
  const CommandPlace& place_;
  RuleHit hit_;
};

// The folder or file that the rule is for, or each file that its pattern has now.
std::vector<fs::path> places_now(const PermissionRule& rule, const Workspace& workspace) {
  std::string_view spec = rule.spec;
  if (spec.ends_with("/**")) spec.remove_suffix(3);
  std::vector<fs::path> places;
  if (spec.find('/') != spec.npos && spec.find_first_of("*?[{") == spec.npos) {
    const Place where = workspace.locate(spec);
    if (where.exists) places = {where.path, where.real};
    return places;
  }
  const WalkOptions how{.use_ignore = false, .workers = 1, .most = most_files, .stop = {}};
  for (const fs::path& root : workspace.roots())
    walk(root, how, [&](const WalkFile& file) {
      const fs::path path = root / file.path;
      if (matches_path(rule.spec, workspace, path)) places.push_back(path);
      return true;
    });
  return places;
}

}  // namespace

RuleHit file_rule_hit(const PermissionPolicy& policy, PermissionRule::Kind kind,
                      const std::vector<Words>& commands, const CommandPlace& place) {
  for (const Words& words : commands)
    if (RuleHit hit = words.empty() ? RuleHit{} : Finder(policy, kind, place).look(words); hit.rule)
      return hit;
  return {};
}

void wall_in(Sandbox& sandbox, const PermissionPolicy& policy, const Workspace& workspace) {
  if (!sandbox.on) return;
  for (const PermissionRule& rule : policy.rules) {
    if (rule.kind == PermissionRule::Kind::allow || rule.spec.empty() || rule.tool == "Bash" ||
        rule.tool == "*")
      continue;
    const bool reads = rule_is_for(rule, "Read", Effect::read),
               writes = rule_is_for(rule, "Write", Effect::write);
    if (!reads && (!writes || sandbox.writable.empty())) continue;
    auto& list = reads ? sandbox.hidden : sandbox.read_only;
    for (fs::path& place : places_now(rule, workspace)) list.push_back(std::move(place));
  }
}

}  // namespace tern
