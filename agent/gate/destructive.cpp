#include <algorithm>

#include "agent/gate/command_kinds.h"
#include "agent/gate/git_call.h"
#include "agent/gate/programs.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// A long option may be shortened as far as it stays clear; here any beginning counts.
bool has_long(const Words& words, std::string_view name) {
  return std::any_of(words.begin() + 1, words.end(), [&](const std::string& w) {
    const std::string given = w.substr(0, w.find('='));
    return given.size() > 2 && given.rfind("--", 0) == 0 && name.rfind(given.substr(2), 0) == 0;
  });
}
Words operands(const Words& words) {
  Words list;
  bool options = true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (options && words[i] == "--")
      options = false;
    else if (!options || words[i].empty() || words[i][0] != '-')
      list.push_back(words[i]);
  }
  return list;
}

Files files_of(std::string_view name) {
  const Program* program = program_of(name);
  return program == nullptr ? Files::read : program->files;
}

// Another "~" than the person's own is somebody's home, or where the shell stood before.
bool unclear(const std::string& word) {
  return word.find_first_of("$`*?[{(<") != std::string::npos ||
         (word.size() > 1 && word[0] == '~' && word[1] != '/');
}

// A pattern without a letter of its own ("*", "?*", "[!.]*", "*.*") is everything there is.
bool takes_all(std::string_view pattern) {
  bool bracket = false, any = false;
  for (const char c : pattern) {
    any = any || c == '*' || c == '?' || c == '[';
    if (c == '[')
      bracket = true;
    else if (c == ']')
      bracket = false;
    else if (!bracket && std::string_view("*?.").find(c) == std::string_view::npos)
      return false;
  }
  return any;
}

// Whether deleting or changing all below `where` takes the workspace itself, something above it, a
// repository, or what is outside.
std::string too_much(const Place& where, const CommandPlace& place) {
  if (!where.error.empty()) return "cannot be resolved";
  if (!where.inside) return "outside the workspace";
  for (const fs::path& root : place.workspace.roots())
    if (is_under(where.real, root)) return "the whole workspace";
  if (!where.protect.empty()) return "protected";
  return {};
}

// The root, the home folder, the workspace, or what any of them lies in.
bool takes_everything(const Place& where, const CommandPlace& place) {
  if (!where.error.empty()) return false;
  const auto& roots = place.workspace.roots();
  return is_under(where.real, place.locate("~").real) ||
         std::any_of(roots.begin(), roots.end(),
                     [&](const fs::path& root) { return is_under(where.real, root); });
}

// "$HOME/x" and "$PWD" are known before it runs.
std::string expand_known(std::string word) {
  if (word.size() > 1 && word.front() == '"' && word.back() == '"') word = word.substr(1, word.size() - 2);
  constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"$HOME", "~"}, {"${HOME}", "~"}, {"$PWD", "."}, {"${PWD}", "."}, {"$(pwd)", "."}};
  for (const auto& [name, stands_for] : known)
    if (word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '/'))
      return std::string(stands_for) + word.substr(name.size());
  return word;
}

Destruction recursive(const Words& words, const char* verb, const CommandPlace& place) {
  Destruction found;
  const auto hit = [&](const std::string& shown, const std::string& why) {
    found.targets.push_back(shown + " (" + why + ")");
    found.reason = std::string(verb) + " everything below " + found.targets.front();
  };
  for (std::string word : operands(words)) {
    const std::string shown = word;
    word = expand_known(word);
    while (word.size() > 1 && word.back() == '/') word.pop_back();
    const std::size_t slash = word.find_last_of('/');
    const std::string last = word.substr(slash + 1);
    if (takes_all(last) || last == "{*,.*}")
      word = slash == std::string::npos ? "." : word.substr(0, slash == 0 ? 1 : slash);
    else if (last.find_first_of("*?[") != std::string::npos &&
             last.find_first_of("{$`(<") == std::string::npos &&
             !unclear(word.substr(0, slash == std::string::npos ? 0 : slash)))
      word = slash == std::string::npos ? "x" : word.substr(0, slash) + "/x";
    if (unclear(word)) {
      hit(shown, "not known until it runs");
      continue;
    }
    const Place where = place.locate(word);
    const std::string why = too_much(where, place);
    found.breaker =
        found.breaker || (std::string_view(verb).starts_with("deletes") && takes_everything(where, place));
    if (!why.empty()) hit(shown == where.path.string() ? shown : shown + " = " + where.path.string(), why);
  }
  return found;
}

// However deep: "xargs sh -c 'rm %'", "find … -exec rm".
bool starts_deletion(const Words& words) {
  const std::vector<Words> started = unwrap(command_of(words));
  return std::any_of(started.begin(), started.end(), [](const Words& inner) {
    return files_of(program_name(inner.front())) == Files::deleted;
  });
}

// A folder that much else lives in: above the workspace or home, or at the top of the system.
bool holds_much(const Place& where, const CommandPlace& place) {
  return where.error.empty() &&
         (is_under(where.real, place.workspace.root()) || where.real.parent_path() == "/" ||
          is_under(where.real, place.locate("~").real));
}

bool is_device(const std::string& word, const CommandPlace& place) {
  const Place where = place.locate(word);
  for (const fs::path& path : {where.path.lexically_normal(), where.real})
    if (where.error.empty() && is_under("/dev", path) && !is_under("/dev/fd", path) &&
        !is_under("/dev/shm", path) && !is_under("/dev/tcp", path) && !is_under("/dev/udp", path) &&
        !is_under("/dev/pts", path) &&
        !in_list(path.native(), "/dev/null /dev/stdout /dev/stderr /dev/tty /dev/full /dev/zero"))
      return !in_list(word, "/dev/stdout /dev/stderr /dev/tty");
  return false;
}

// Programs that write the files they are given, and ">".
std::string writes_device(const std::string& name, const Words& words, const CommandPlace& place) {
  const Files files = files_of(name);
  Words given = operands(words);
  if (files == Files::into_last && given.size() > 1) given.erase(given.begin(), given.end() - 1);
  if (name == "dd")
    for (std::string& word : given) word = word.starts_with("of=") ? word.substr(3) : ".";
  else if (name != ">" && files != Files::written && files != Files::moved && files != Files::into_last)
    return {};
  const auto found =
      std::find_if(given.begin(), given.end(), [&](const auto& word) { return is_device(word, place); });
  return found == given.end() ? std::string() : *found;
}

// "-n" is a letter of its own only as long as no letter before it takes a value, and no "--" does.
bool dry_clean(const Words& rest) {
  bool dry = false;
  for (std::size_t i = 1; i < rest.size() && rest[i] != "--"; ++i) {
    const std::string& word = rest[i];
    if (word == "--dry-run") dry = true;
    if (word == "--exclude") ++i;
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') continue;
    const std::size_t value = word.find('e', 1);
    if (word.substr(0, value).find('n') != word.npos) dry = true;
    if (value + 1 == word.size()) ++i;
  }
  return dry;
}

// A path among the words of checkout takes the place of what was changed there.
bool names_path(const Words& rest, const CommandPlace& place) {
  for (const std::string& word : operands(rest))
    if (word.find_first_of("*?[:$") != word.npos || place.locate(word).exists) return true;
  return false;
}

// "git reset x" unstages a path, but moves the branch to a commit.
bool moves_branch(const Words& rest, const CommandPlace& place) {
  for (std::size_t i = 1; i < rest.size() && rest[i] != "--"; ++i)
    if (!rest[i].empty() && rest[i][0] != '-')
      return !in_list(rest[i], "HEAD @") && !place.locate(rest[i]).exists;
  return false;
}

// "refs/heads/*:refs/heads/*": with pruning, branches that the other side has not are deleted.
bool maps_branch(const std::string& word) {
  return word.find(":refs/") != word.npos || (word.find(':') != word.npos && word.find('*') != word.npos);
}

bool checks_out_path(const Words& rest, const CommandPlace& place) {
  return !has_letter(rest, "b") && !has_long(rest, "orphan") && names_path(rest, place);
}

bool finds(DangerWhen when, const Words& rest, const CommandPlace& place) {
  switch (when) {
    case DangerWhen::takes_commits_off: return moves_branch(rest, place);
    case DangerWhen::cleans: return !dry_clean(rest);
    case DangerWhen::checks_out_path: return checks_out_path(rest, place);
    case DangerWhen::prunes_by_map:
      return (has_letter(rest, "p") || has_long(rest, "prune")) &&
             std::any_of(rest.begin() + 1, rest.end(), maps_branch);
    case DangerWhen::rewrites_pushed:  // danger_of reads the whole call
    case DangerWhen::never: break;
  }
  return false;
}

bool holds(const Danger& danger, const Words& rest, const CommandPlace& place) {
  if (has_word(rest, danger.unless)) return false;
  if (!danger.letters.empty() && has_letter(rest, danger.letters)) return true;
  if (!first_of(danger.options, [&](std::string_view option) { return has_long(rest, option); }).empty())
    return true;
  const auto named = [&](std::string_view mark) {
    return std::any_of(rest.begin() + 1, rest.end(),
                       [&](const auto& word) { return line_matches(mark, word); });
  };
  if (!first_of(danger.words, named).empty()) return true;
  if (danger.when != DangerWhen::never) return finds(danger.when, rest, place);
  return danger.letters.empty() && danger.words.empty() && danger.options.empty();
}

std::string_view danger_of(const std::string& name, const Words& words, const CommandPlace& place) {
  const Words rest = name == "git" ? git_call(words).words : words;
  if (rest.empty()) return {};
  if (const Program* program = program_of(name))
    for (const Danger& danger : program->dangers)
      if ((danger.verbs.empty() || in_list(rest.front(), danger.verbs)) &&
          (danger.when == DangerWhen::rewrites_pushed ? rewrites_pushed(words, place)
                                                      : holds(danger, rest, place)))
        return danger.what;
  return name.starts_with("mkfs.") ? "can't be undone" : "";
}

Destruction deletes_named(const Words& words, const CommandPlace& place) {
  for (const std::string& word : operands(words))
    if (in_list(word, "/ ~ ~/ . ..") ||
        (!unclear(word) && too_much(place.locate(word), place) == "the whole workspace"))
      return {"deletes " + word, {word}, false};
  return {};
}

// chmod and its like, and mv, of a folder that much else lives in.
Destruction changes_much(Files files, const Words& words, const CommandPlace& place) {
  const bool moves = files == Files::moved;
  const Words given = operands(words);
  for (const std::string& word : given)
    if (!unclear(word) && word.find_first_of("/.~") != word.npos && !(moves && word == words.back()) &&
        holds_much(place.locate(word), place))
      return {"changes " + word + " and everything in it", {word}, false};
  if (moves || given.empty() || !(has_letter(words, "R") || has_long(words, "recursive"))) return {};
  Words paths = words;
  paths.erase(std::find(paths.begin(), paths.end(), given.front()));  // mode or owner
  return recursive(paths, "changes", place);
}

Destruction deletes_found(const Words& words, bool literal, const CommandPlace& place) {
  Words paths{"find"};
  for (std::size_t i = 1; i < words.size() && !words[i].empty() && words[i][0] != '-' && words[i][0] != '(';
       ++i)
    paths.push_back(words[i]);
  if (paths.size() == 1) paths.emplace_back(".");
  Destruction found = recursive(paths, "deletes the files it finds in", place);
  if (found.reason.empty() && !literal) found.reason = "deletes the files it finds";
  if (has_word(words, "-name -iname -path -ipath -regex -iregex -newer -mtime -mmin -size -empty"))
    found.breaker = false;
  return found;
}

}  // namespace

Destruction destroys(const Words& words, bool literal, const CommandPlace& place) {
  if (words.empty()) return {};
  const std::string name(program_name(words.front()));
  if (words.front() == "$")
    return {"runs " + words[1] + "; tern can't tell in advance what that is", {}, false};
  if (const std::string device = writes_device(name, words, place); !device.empty())
    return {"writes to the device " + device, {device}, true};
  const Files files = files_of(name);
  Destruction found;
  if (name == "rm" && (has_letter(words, "rR") || has_long(words, "recursive")))
    return recursive(words, "deletes", place);
  if (files == Files::deleted) found = deletes_named(words, place);
  if (files == Files::changed || files == Files::moved) found = changes_much(files, words, place);
  if (name == "find" && (has_word(words, "-delete") || starts_deletion(words)))
    found = deletes_found(words, literal, place);
  if (in_list(name, "xargs parallel") && starts_deletion(words))
    found.reason = "deletes files that are not known until it runs";
  if (!found.reason.empty()) return found;
  const std::string_view why = danger_of(name, words, place);
  if (why.empty()) return {};
  const std::string shown = joined(words);
  const bool device = (has_role(name, role::disk) || name.starts_with("mkfs.")) &&
                      std::any_of(words.begin() + 1, words.end(),
                                  [&](const std::string& word) { return is_device(word, place); });
  return {shown + " " + std::string(why), {shown}, device};
}

}  // namespace tern
