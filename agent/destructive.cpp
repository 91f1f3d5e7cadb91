#include <algorithm>
#include <cstdlib>

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
// A long option may be shortened as far as it stays clear.
bool has_long(const Words& words, std::string_view name) {
  return std::any_of(words.begin() + 1, words.end(), [&](const std::string& w) {
    const std::string given = w.substr(0, w.find('='));
    return given.size() > 4 && given.rfind("--", 0) == 0 && name.rfind(given.substr(2), 0) == 0;
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

bool unclear(const std::string& word) { return word.find_first_of("$`*?[{(<") != std::string::npos; }

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
    if (last == "*" || last == ".*" || last == "{*,.*}")
      word = slash == std::string::npos ? "." : word.substr(0, slash == 0 ? 1 : slash);
    else if (last.find_first_of("*?[") != std::string::npos && !unclear(word.substr(0, slash == std::string::npos ? 0 : slash)))
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

std::string destroys_git(const Words& all) {
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
  if (verb == "clean" && !has_short(rest, "n") && !has_long(rest, "dry-run")) return "deletes files git does not know";
  if ((verb == "checkout" || verb == "switch") &&
      (has_short(rest, "f") || has_long(rest, "force") || has_long(rest, "discard-changes") || has_word(rest, "-- . :/ *")))
    return "throws away uncommitted work";
  if ((verb == "checkout" && has_short(rest, "B")) ||
      (verb == "switch" && (has_short(rest, "C") || has_long(rest, "force-create"))))
    return "moves a branch, whatever it held";
  if (verb == "reset" && std::any_of(rest.begin() + 1, rest.end(), steps_back)) return "takes commits off the branch";
  if ((verb == "checkout-index" && (has_short(rest, "f") || has_long(rest, "force"))) ||
      (verb == "read-tree" && (has_short(rest, "u") || has_long(rest, "reset"))))
    return "throws away uncommitted work";
  if (verb == "restore" && !(has_long(rest, "staged") && !has_long(rest, "worktree"))) return "throws away uncommitted work";
  if (verb == "branch" &&
      (has_short(rest, "DMCf") || has_long(rest, "force") || (has_long(rest, "delete") && has_short(rest, "f"))))
    return "deletes or moves a branch whether merged or not";
  if (verb == "tag" && (has_short(rest, "df") || has_long(rest, "delete") || has_long(rest, "force")))
    return "deletes or moves a tag";
  if (verb == "stash" && has_word(rest, "drop clear")) return "deletes stashed work";
  if (verb == "commit" && has_long(rest, "amend")) return "rewrites the last commit";
  if (in_list(verb, "rebase filter-branch filter-repo update-ref replace prune") &&
      !has_word(rest, "--continue --abort --skip --quit"))
    return "rewrites history";
  if (verb == "reflog" && has_word(rest, "expire delete")) return "deletes the way back";
  if (verb == "gc" && has_long(rest, "prune")) return "deletes the way back";
  if (verb == "worktree" && has_word(rest, "remove prune")) return "deletes a work tree";
  if (verb == "rm" && has_short(rest, "r")) return "deletes whole directories";
  return {};
}

constexpr std::string_view always =
    "shred wipefs mkfs fdisk sfdisk parted shutdown reboot halt poweroff init killall pkill dropdb userdel groupdel visudo "
    "mkswap blkdiscard cryptsetup srm wipe";

std::string destroys_other(const std::string& name, const Words& words) {
  if (in_list(name, always) || name.rfind("mkfs.", 0) == 0) return "is destructive by itself";
  const auto starts = [&](std::string_view prefix) {
    return std::any_of(words.begin() + 1, words.end(), [&](const std::string& w) { return w.rfind(prefix, 0) == 0; });
  };
  if (name == "dd" && starts("of=/dev/") && !starts("of=/dev/null")) return "writes to a device";
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
  if (in_list(name, "npm yarn pnpm cargo twine gem poetry") && has_word(words, "publish unpublish upload push yank"))
    return "publishes";
  if (name == "truncate" || (name == "mv" && has_word(words, "/dev/null"))) return "empties files";
  if (name == "systemctl" && has_word(words, "stop disable mask poweroff reboot")) return "changes the system's services";
  if (name == "rsync" && starts("--del")) return "deletes what the source has not";
  if ((name == "iptables" || name == "nft" || name == "ufw") && words.size() > 1) return "changes the firewall";
  return {};
}

}  // namespace

Destruction destroys(const Words& words, bool literal, const CommandPlace& place) {
  Destruction none;
  if (words.empty()) return none;
  const std::string name(program_name(words.front()));
  if (name == "rm" && (has_short(words, "rR") || has_long(words, "recursive"))) return recursive(words, "deletes", place);
  if (name == "rmdir" || name == "unlink" || name == "rm") {
    for (const std::string& word : operands(words))
      if (in_list(word, "/ ~ ~/ . ..") || (!unclear(word) && too_much(place.locate(word), place) == "the whole workspace"))
        return {"deletes " + word, {word}};
    return none;
  }
  if ((name == "chmod" || name == "chown" || name == "chgrp") && (has_short(words, "R") || has_long(words, "recursive"))) {
    Words paths = words;
    const Words given = operands(words);
    if (!given.empty()) paths.erase(std::find(paths.begin(), paths.end(), given.front()));  // mode or owner
    return recursive(paths, "changes", place);
  }
  if (name == "xargs" && std::any_of(words.begin() + 1, words.end(), [](const std::string& w) { return deletes(w); }))
    return {"deletes what it is told only when it runs", {}};
  if (name == "find" && (has_word(words, "-delete") || runs_deletion(words))) {
    Words paths{"find"};
    for (std::size_t i = 1; i < words.size() && !words[i].empty() && words[i][0] != '-' && words[i][0] != '('; ++i)
      paths.push_back(words[i]);
    if (paths.size() == 1) paths.emplace_back(".");
    Destruction found = recursive(paths, "deletes what it finds in", place);
    if (found.reason.empty() && !literal) found.reason = "deletes what it finds";
    return found;
  }
  const std::string why = name == "git" ? destroys_git(words) : destroys_other(name, words);
  if (why.empty()) return none;
  std::string shown;
  for (const std::string& word : words) shown.append(shown.empty() ? "" : " ").append(word);
  return {shown + " " + why, {shown}};
}

}  // namespace tern
