#include <algorithm>
#include <filesystem>
#include <system_error>

#include "agent/gate/command_kinds.h"
#include "agent/gate/git_call.h"
#include "agent/gate/programs.h"

namespace tern {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// Does this call of a verb look, by the options and the words behind it? A form is words with "+" between
// them,
// "." none at all; one that ends in "+" may go on.
bool has_form(const std::vector<ShellWord>& rest, std::string_view form) {
  if (form == ".") return rest.empty();
  std::size_t at = 0;
  for (; !form.empty(); ++at) {
    const std::size_t end = std::min(form.find('+'), form.size());
    if (at >= rest.size() || !line_matches(form.substr(0, end), rest[at].text)) return false;
    if (end + 1 == form.size()) return true;
    form.remove_prefix(std::min(end + 1, form.size()));
  }
  return at == rest.size();
}

struct VerbCall {
  std::string unknown;  // the first option that is not among the known
  bool looks = false;
};
VerbCall read_verb(const Words& words) {
  static const Program& git = *program_of("git");
  const auto row = std::find_if(git.verbs_look.begin(), git.verbs_look.end(),
                                [&](const VerbLooks& r) { return in_list(words.front(), r.verbs); });
  const bool known = row != git.verbs_look.end();
  const ReadCall call = read_call(command_of(words).words, known ? row->letters : "", git.settings, git);
  const auto formed = [&](std::string_view form) { return has_form(call.rest, form); };
  const bool never = known && !call.rest.empty() && in_list(call.rest.front().text, row->never);
  return {call.unknown, known && !never &&
                            (row->forms.empty() || has_option(call.options, row->with) ||
                             !first_of(row->forms, formed).empty())};
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
  const VerbCall verb = read_verb(call.words);
  return verb.unknown.empty() && verb.looks;
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
  const VerbCall call = read_verb(words);
  if (!call.unknown.empty()) return "git " + verb + " " + call.unknown + " isn't on the read-only list";
  for (++at; at < command.words.size(); ++at) {
    const std::string& word = command.words[at].text;
    if (names_secret(word, place)) return word + " may hold secrets";
    if (word.empty() || word.starts_with('-') || !climbs(word)) continue;
    const Place where = place.locate(command.words[at]);
    if (!where.error.empty() || !where.inside) return word + " is outside the workspace";
  }
  if (!call.looks) return "git " + verb + " changes things or isn't on the read-only list";
  if (in_nested_repository(place))
    return "this is another repository inside the workspace, with its own settings";
  return search_shows_secret(command, {}, place);
}

}  // namespace tern
