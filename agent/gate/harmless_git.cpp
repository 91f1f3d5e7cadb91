#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "agent/gate/command_kinds.h"
#include "agent/gate/git_call.h"
#include "agent/gate/programs.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// `wants_next`: its value is the next word.
bool known_option(const std::string& verb, const std::string& word, bool& wants_next) {
  static const Program& git = *program_of("git");
  wants_next = false;
  if (word[1] == '-') return word.size() == 2 || in_list(word.substr(2, word.find('=') - 2), git.alone);
  const auto row = std::find_if(git.verbs_look.begin(), git.verbs_look.end(),
                                [&](const VerbLooks& r) { return in_list(verb, r.verbs); });
  if (row == git.verbs_look.end()) return false;
  const Letters read = read_letters(std::string_view(word).substr(1), row->letters);
  wants_next = read == Letters::wants_next;
  return read != Letters::unknown;
}

// What stands behind the verb.
struct Parts {
  Words options, rest;
  std::string unknown;  // the first option that is not among the known
};
Parts parts_of(const Words& words) {
  Parts parts;
  bool reading = true, value = false;
  for (std::size_t i = 1; i < words.size() && parts.unknown.empty(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      if (!std::exchange(value, false)) parts.rest.push_back(word);
    } else if (!reading || value || !known_option(words.front(), word, value)) {
      parts.unknown =
          word;  // also behind "--", or as a value: whether git sees an option there is not worth guessing
    } else {
      parts.options.push_back(word);
      reading = word != "--";
    }
  }
  return parts;
}

// Sub-commands that look in one form only.
bool looks_in_this_form(const std::string& verb, const Words& options, const Words& rest) {
  if (verb == "branch")
    return rest.empty() || has_option(options, "--list -l --contains --merged --no-merged --points-at");
  if (verb == "tag")
    return (rest.empty() && options.empty()) ||
           has_option(options, "-l --list --contains --points-at --merged");
  if (verb == "remote")
    return (rest.empty() && (options.empty() || has_option(options, "-v --verbose"))) ||
           (rest.size() == 2 && rest[0] == "get-url" && options.empty());
  if (verb == "config")
    return has_option(options, "--get --get-all --list -l --get-regexp") ||
           (rest.size() == 1 && options.empty() && !in_list(rest[0], "edit"));
  if (rest.empty()) return false;
  if (verb == "stash") return in_list(rest[0], "list show");
  return rest.size() == 1 &&
         ((verb == "worktree" && rest[0] == "list") || (verb == "submodule" && rest[0] == "status"));
}

// The others look with any of the known options.
bool looks(const std::string& verb, const Parts& parts) {
  const auto& [options, rest, unknown] = parts;
  if (in_list(verb,
              "status log diff show grep rev-parse ls-files blame annotate shortlog describe reflog cat-file "
              "ls-tree merge-base "
              "rev-list name-rev diff-tree diff-index diff-files "
              "count-objects check-ignore whatchanged range-diff cherry show-ref for-each-ref var version "
              "show-branch"))
    return !(verb == "reflog" && !rest.empty() && in_list(rest.front(), "expire delete drop")) &&
           !(verb == "var" && !options.empty());
  return looks_in_this_form(verb, options, rest);
}

bool climbs(const std::string& word) {
  for (const fs::path& part : fs::path(word))
    if (part == "..") return true;
  return word.front() == '/' || word.front() == '~';
}

// "HEAD:.env", ":0:.env", "-L1,2:.env": any part behind a colon may be a file's name.
bool names_secret(const std::string& word, const CommandPlace& place) {
  if (word.starts_with(":!") || word.starts_with(":^") || word.starts_with(":(exclude)"))
    return false;  // left out
  for (std::string_view part = word; !part.empty();) {
    if (holds_secrets(place.locate(part), place.workspace)) return true;
    const std::size_t colon = part.find(':');
    part = colon == part.npos ? std::string_view() : part.substr(colon + 1);
  }
  return false;
}

}  // namespace

GitCall git_call(const std::vector<std::string>& words) {
  GitCall call;
  std::size_t at = 1;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    const std::string& word = words[at];
    const bool with_value =
        in_list(word, "-c -C --git-dir --work-tree --namespace --exec-path --config-env --super-prefix");
    if (word == "-C" && at + 1 < words.size()) call.folders.push_back(words[at + 1]);
    if (word.starts_with("-C") && word.size() > 2) call.folders.push_back(word.substr(2));
    call.own_settings = call.own_settings ||
                        !(word.starts_with("-C") || in_list(word, "--no-pager -P --no-optional-locks -p"));
    if (with_value) ++at;
  }
  for (; at < words.size(); ++at) call.words.push_back(words[at]);
  return call;
}

Place place_of(const GitCall& call, const CommandPlace& place) {
  Place where = place.locate(".");
  for (const std::string& folder : call.folders) {
    if (!where.error.empty()) break;
    where = CommandPlace{place.workspace, where.real}.locate(folder);
  }
  return where;
}

bool only_looks(const GitCall& call) {
  if (call.own_settings || call.words.empty()) return false;
  const Parts parts = parts_of(call.words);
  return parts.unknown.empty() && looks(call.words.front(), parts);
}

bool in_nested_repository(const CommandPlace& place) {
  std::error_code error;
  for (fs::path at = place.cwd; place.workspace.inside(at); at = at.parent_path()) {
    const auto& roots = place.workspace.roots();
    if (std::find(roots.begin(), roots.end(), at) != roots.end()) return false;
    if (fs::exists(at / ".git", error) ||
        (fs::exists(at / "HEAD", error) && fs::exists(at / "objects", error)))
      return true;
    if (at == at.parent_path()) break;
  }
  return false;
}

std::string why_not_harmless_git(const ShellCommand& command, const CommandPlace& place) {
  std::size_t at = 1;
  while (at < command.words.size() && in_list(command.words[at].text, "--no-pager -P --no-optional-locks"))
    ++at;
  if (at >= command.words.size()) return {};
  const std::string verb = command.words[at].text;
  if (verb == "--version" || verb == "--help")
    return command.words.size() == at + 1 ? "" : "git " + verb + " may start a program that shows pages";
  Words words;
  for (std::size_t i = at; i < command.words.size(); ++i) words.push_back(command.words[i].text);
  const Parts parts = parts_of(words);
  if (!parts.unknown.empty()) return "git " + verb + " " + parts.unknown + " isn't on the read-only list";
  for (++at; at < command.words.size(); ++at) {
    const std::string& word = command.words[at].text;
    if (names_secret(word, place)) return word + " may hold secrets";
    if (word.empty() || word.starts_with('-') || !climbs(word)) continue;
    const Place where = place.locate(command.words[at]);
    if (!where.error.empty() || !where.inside) return word + " is outside the workspace";
  }
  if (!looks(verb, parts)) return "git " + verb + " changes things or isn't on the read-only list";
  if (in_nested_repository(place))
    return "this is another repository inside the workspace, with its own settings";
  return search_shows_secret(command, {}, place);
}

}  // namespace tern
