#include <algorithm>

#include "agent/command_kinds.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

bool has_short(const Words& words, std::string_view letters) {
  return std::any_of(words.begin() + 1, words.end(), [&](const std::string& w) {
    return w.size() > 1 && w[0] == '-' && w[1] != '-' && w.find_first_of(letters, 1) != std::string::npos;
  });
}
// A long option may be shortened as far as it stays clear; here any beginning counts.
bool has_long(const Words& words, std::string_view name) {
  return std::any_of(words.begin() + 1, words.end(), [&](const std::string& w) {
    const std::string given = w.substr(0, w.find('='));
    return given.size() > 2 && given.rfind("--", 0) == 0 && name.rfind(given.substr(2), 0) == 0;
  });
}
bool has_word(const Words& words, std::string_view list) {
  return std::any_of(words.begin() + 1, words.end(), [&](const std::string& w) { return in_list(w, list); });
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

bool deletes(const std::string& program) { return in_list(program_name(program), "rm rmdir unlink shred"); }

// "find … -exec rm".
bool runs_deletion(const Words& words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i)
    if (in_list(words[i], "-exec -execdir -ok -okdir") && deletes(words[i + 1])) return true;
  return false;
}

// Another "~" than the person's own is somebody's home, or where the shell stood before.
bool unclear(const std::string& word) {
  return word.find_first_of("$`*?[{(<") != std::string::npos || (word.size() > 1 && word[0] == '~' && word[1] != '/');
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

// Whether deleting or changing all below `where` takes the workspace itself, something above it, a repository, or what is outside.
std::string too_much(const Place& where, const CommandPlace& place) {
  if (!where.error.empty()) return "cannot be resolved";
  if (!where.inside) return "outside the workspace";
  for (const fs::path& root : place.workspace.roots())
    if (is_under(where.real, root)) return "the whole workspace";
  if (!where.protect.empty()) return "protected";
  return {};
}

Destruction recursive(const Words& words, const char* verb, const CommandPlace& place) {
  Destruction found;
  const auto hit = [&](const std::string& shown, const std::string& why) {
    found.targets.push_back(shown + " (" + why + ")");
    found.reason = std::string(verb) + " everything below " + found.targets.front();
  };
  for (std::string word : operands(words)) {
    const std::string shown = word;
    while (word.size() > 1 && word.back() == '/') word.pop_back();
    const std::size_t slash = word.find_last_of('/');
    const std::string last = word.substr(slash + 1);
    if (takes_all(last) || last == "{*,.*}")
      word = slash == std::string::npos ? "." : word.substr(0, slash == 0 ? 1 : slash);
    else if (last.find_first_of("*?[") != std::string::npos && last.find_first_of("{$`(<") == std::string::npos &&
             !unclear(word.substr(0, slash == std::string::npos ? 0 : slash)))
      word = slash == std::string::npos ? "x" : word.substr(0, slash) + "/x";
    if (unclear(word)) {
      hit(shown, "only known when it runs");
      continue;
    }
    const Place where = place.locate(word);
    const std::string why = too_much(where, place);
    if (!why.empty()) hit(shown == where.path.string() ? shown : shown + " = " + where.path.string(), why);
  }
  return found;
}

// However deep: "xargs sh -c 'rm %'".
bool starts_deletion(const Words& words) {
  ShellCommand command;
  for (const std::string& word : words) command.words.push_back({word, true, false, false});
  const std::vector<Words> started = unwrap(command);
  return std::any_of(started.begin(), started.end(), [](const Words& inner) { return deletes(inner.front()); });
}

// A folder that much else lives in: above the workspace or home, or at the top of the system.
bool holds_much(const Place& where, const CommandPlace& place) {
  return where.error.empty() && (is_under(where.real, place.workspace.root()) || where.real.parent_path() == "/" ||
                                 is_under(where.real, place.locate("~").real));
}

bool is_device(const std::string& word, const CommandPlace& place) {
  const Place where = place.locate(word);
  for (const fs::path& path : {where.path.lexically_normal(), where.real})
    if (where.error.empty() && is_under("/dev", path) && !is_under("/dev/fd", path) && !is_under("/dev/shm", path) &&
        !is_under("/dev/pts", path) && !in_list(path.native(), "/dev/null /dev/stdout /dev/stderr /dev/tty /dev/full /dev/zero"))
      return !in_list(word, "/dev/stdout /dev/stderr /dev/tty");
  return false;
}

// Programs that write the files they are given, and ">".
std::string writes_device(const std::string& name, const Words& words, const CommandPlace& place) {
  const Words given = operands(words);
  if (name == ">" || name == "tee" || name == "mv")
    for (const std::string& word : given)
      if (is_device(word, place)) return word;
  if (in_list(name, "cp install rsync ln") && !given.empty() && is_device(given.back(), place)) return given.back();
  for (const std::string& word : words)
    if (name == "dd" && word.starts_with("of=") && is_device(word.substr(3), place)) return word.substr(3);
  return {};
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
    if (!rest[i].empty() && rest[i][0] != '-') return !in_list(rest[i], "HEAD @") && !place.locate(rest[i]).exists;
  return false;
}

// "refs/heads/*:refs/heads/*": with pruning, branches that the other side has not are deleted.
bool maps_branch(const std::string& word) {
  return word.find(":refs/") != word.npos || (word.find(':') != word.npos && word.find('*') != word.npos);
}

std::string destroys_git(const Words& all, const CommandPlace& place) {
  Words words = all;
  for (std::size_t i = 1; i < words.size();) {
    const bool value = in_list(words[i], "-c -C --git-dir --work-tree --namespace --exec-path --config-env");
    if (words[i].empty() || words[i][0] != '-') break;
    words.erase(words.begin() + 1,
                words.begin() + std::min<std::ptrdiff_t>(value ? 3 : 2, static_cast<std::ptrdiff_t>(words.size())));
  }
  if (words.size() < 2) return {};
  const std::string verb = words[1];
  const Words rest(words.begin() + 1, words.end());
  const auto refspec = [](const std::string& w) { return !w.empty() && (w[0] == '+' || w[0] == ':'); };
  const auto steps_back = [](const std::string& w) { return w.size() > 1 && w[0] != '-' && w.find_first_of("~^@") != w.npos; };
  if (verb == "push" &&
      (has_short(rest, "fd") || has_long(rest, "force") || has_long(rest, "force-with-lease") || has_long(rest, "mirror") ||
       has_long(rest, "delete") || has_long(rest, "prune") || std::any_of(rest.begin() + 1, rest.end(), refspec)))
    return "rewrites or deletes what others see";
  if (verb == "reset" && (has_long(rest, "hard") || has_long(rest, "merge") || has_long(rest, "keep")))
    return "throws away uncommitted work";
  if (verb == "clean" && !dry_clean(rest)) return "deletes files git does not know";
  if ((verb == "checkout" || verb == "switch") &&
      (has_short(rest, "f") || has_long(rest, "force") || has_long(rest, "discard-changes") || has_word(rest, "-- . :/ *")))
    return "throws away uncommitted work";
  if ((verb == "checkout" && has_short(rest, "B")) ||
      (verb == "switch" && (has_short(rest, "C") || has_long(rest, "force-create"))))
    return "moves a branch, whatever it held";
  if (verb == "checkout" && !has_short(rest, "b") && !has_long(rest, "orphan") && names_path(rest, place))
    return "throws away uncommitted work";
  const bool maps = std::any_of(rest.begin() + 1, rest.end(), maps_branch);
  if (in_list(verb, "fetch pull") &&
      (has_short(rest, "f") || has_long(rest, "force") || (maps && (has_short(rest, "p") || has_long(rest, "prune"))) ||
       std::any_of(rest.begin() + 1, rest.end(), [](const std::string& w) { return w.starts_with("+"); })))
    return "moves branches, whatever they held";
  if (verb == "reset" && moves_branch(rest, place)) return "takes commits off the branch";
  if (verb == "reset" && std::any_of(rest.begin() + 1, rest.end(), steps_back)) return "takes commits off the branch";
  if ((verb == "checkout-index" && (has_short(rest, "f") || has_long(rest, "force"))) ||
      (verb == "read-tree" && (has_short(rest, "u") || has_long(rest, "reset"))))
    return "throws away uncommitted work";
  if (verb == "restore" && !(has_word(rest, "--staged -S") && !has_long(rest, "worktree") && !has_short(rest, "W")))
    return "throws away uncommitted work";
  if (verb == "branch" &&
      (has_short(rest, "DMCf") || has_long(rest, "force") || (has_long(rest, "delete") && has_short(rest, "f"))))
    return "deletes or moves a branch whether merged or not";
  if (verb == "tag" && (has_short(rest, "df") || has_long(rest, "delete") || has_long(rest, "force")))
    return "deletes or moves a tag";
  if (verb == "stash" && has_word(rest, "drop clear")) return "deletes stashed work";
  if (verb == "commit" && has_long(rest, "amend")) return "rewrites the last commit";
  if (in_list(verb, "rebase filter-branch filter-repo update-ref replace prune") &&
      !(rest.size() == 2 && in_list(rest[1], "--continue --abort --skip --quit --edit-todo --show-current-patch")))
    return "rewrites history";
  if (verb == "reflog" && has_word(rest, "expire delete")) return "deletes the way back";
  if (verb == "gc" && has_long(rest, "prune")) return "deletes the way back";
  if (verb == "worktree" && has_word(rest, "remove prune")) return "deletes a work tree";
  if (verb == "rm" && has_short(rest, "r")) return "deletes whole directories";
  return {};
}

constexpr std::string_view always =
    "shred wipefs mkfs fdisk sfdisk parted shutdown reboot halt poweroff init telinit killall killall5 pkill dropdb userdel "
    "groupdel visudo "
    "mkswap blkdiscard cryptsetup srm wipe";

std::string destroys_other(const std::string& name, const Words& words) {
  if (in_list(name, always) || name.rfind("mkfs.", 0) == 0) return "is destructive by itself";
  const auto starts = [&](std::string_view prefix) {
    return std::any_of(words.begin() + 1, words.end(), [&](const std::string& w) { return w.rfind(prefix, 0) == 0; });
  };
  if (name == "kill" && has_word(words, "-1 0")) return "ends every process";
  if (name == "crontab" && has_short(words, "r")) return "deletes the crontab";
  if (name == "docker" || name == "podman")
    return has_word(words, "prune rm rmi kill") ? "deletes containers, images or volumes" : "";
  if (in_list(name, "gcloud az heroku fly helm doctl") && has_word(words, "delete destroy apps:destroy uninstall"))
    return "deletes what runs elsewhere";
  if (name == "kubectl" && has_word(words, "delete drain")) return "deletes what runs elsewhere";
  if ((name == "terraform" || name == "tofu" || name == "pulumi") && has_word(words, "destroy apply up"))
    return "changes what runs elsewhere";
  if (name == "gh" && has_word(words, "delete merge close")) return "changes what others see";
  if (name == "aws" && has_word(words, "rm rb delete terminate-instances")) return "deletes what is stored elsewhere";
  if (in_list(name, "npm yarn pnpm cargo twine gem poetry uv gradle gradlew dotnet mvn mvnw") &&
      has_word(words, "publish unpublish upload push yank deploy release:perform"))
    return "publishes";
  if (name == "truncate" || (name == "mv" && has_word(words, "/dev/null"))) return "empties files";
  if (name == "systemctl" && has_word(words, "stop disable mask poweroff reboot")) return "changes the system's services";
  if (name == "rsync" && starts("--del")) return "deletes what the source has not";
  if (name == "rsync" && starts("--remove-s")) return "deletes what it has copied";
  if ((name == "iptables" || name == "nft" || name == "ufw") && words.size() > 1) return "changes the firewall";
  return {};
}

}  // namespace

Destruction destroys(const Words& words, bool literal, const CommandPlace& place) {
  Destruction none;
  if (words.empty()) return none;
  const std::string name(program_name(words.front()));
  if (words.front() == "$") return {"runs " + words[1] + ", which is only known then", {}};
  if (const std::string device = writes_device(name, words, place); !device.empty())
    return {"writes to the device " + device, {device}};
  if (name == "rm" && (has_short(words, "rR") || has_long(words, "recursive"))) return recursive(words, "deletes", place);
  if (name == "rmdir" || name == "unlink" || name == "rm") {
    for (const std::string& word : operands(words))
      if (in_list(word, "/ ~ ~/ . ..") || (!unclear(word) && too_much(place.locate(word), place) == "the whole workspace"))
        return {"deletes " + word, {word}};
    return none;
  }
  if (in_list(name, "chmod chown chgrp chattr setfacl mv"))
    for (const std::string& word : operands(words))
      if (!unclear(word) && word.find_first_of("/.~") != word.npos && !(name == "mv" && word == words.back()) &&
          holds_much(place.locate(word), place))
        return {"changes " + word + ", and with it what is in it", {word}};
  if (in_list(name, "chmod chown chgrp chattr setfacl") && (has_short(words, "R") || has_long(words, "recursive"))) {
    Words paths = words;
    const Words given = operands(words);
    if (!given.empty()) paths.erase(std::find(paths.begin(), paths.end(), given.front()));  // mode or owner
    return recursive(paths, "changes", place);
  }
  if ((name == "xargs" || name == "parallel") && starts_deletion(words)) return {"deletes what it is told only when it runs", {}};
  if (name == "find" && (has_word(words, "-delete") || runs_deletion(words))) {
    Words paths{"find"};
    for (std::size_t i = 1; i < words.size() && !words[i].empty() && words[i][0] != '-' && words[i][0] != '('; ++i)
      paths.push_back(words[i]);
    if (paths.size() == 1) paths.emplace_back(".");
    Destruction found = recursive(paths, "deletes what it finds in", place);
    if (found.reason.empty() && !literal) found.reason = "deletes what it finds";
    return found;
  }
  const std::string why = name == "git" ? destroys_git(words, place) : destroys_other(name, words);
  if (why.empty()) return none;
  std::string shown;
  for (const std::string& word : words) shown.append(shown.empty() ? "" : " ").append(word);
  return {shown + " " + why, {shown}};
}

std::vector<fs::path> places_of(const std::vector<Words>& commands, const CommandPlace& place) {
  std::vector<fs::path> list{place.cwd};
  const auto go = [&](const std::string& directory) {
    const bool clear = !directory.empty() && directory != "-" && directory.find_first_of("$`*?[{(") == directory.npos;
    const Place there = clear ? CommandPlace{place.workspace, list.back()}.locate(directory) : Place{};
    list.push_back(clear && there.error.empty() ? there.real : fs::path("/"));
  };
  for (std::size_t n = 0; n < commands.size() && list.size() < 20; ++n) {
    const Words& words = commands[n];
    const std::string name(program_name(words.front()));
    if (n > 0 && in_list(name, "cd pushd popd chdir")) go(words.size() > 1 ? words.back() : std::string());
    if (name == "chroot") go("/");
    if (!in_list(name, "env sudo doas git")) continue;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& word = words[i];
      const std::string option = word.substr(0, word.find('='));
      const bool is_long = option.size() > 2 && std::string_view("--chdir").starts_with(option);
      const bool is_short = word.starts_with(name == "sudo" || name == "doas" ? "-D" : "-C");
      if (is_long && option.size() < word.size())
        go(word.substr(option.size() + 1));
      else if (is_short && word.size() > 2)
        go(word.substr(2));
      else if ((is_long || is_short) && i + 1 < words.size())
        go(words[i + 1]);
    }
  }
  return list;
}

}  // namespace tern
