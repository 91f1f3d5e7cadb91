#include "agent/gate/command_needs.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>

#include "agent/gate/git_call.h"
#include "compression/text/plain_text.h"

namespace tern {

namespace {

using Words = std::vector<std::string>;

bool only_looks(const CommandStep& step, const Workspace& workspace) {
  return !step.lost && step.command->plain() && step.command->redirects.empty() &&
         !step.command->words.empty() && why_not_harmless(bare(*step.command), {workspace, step.cwd}).empty();
}

// "gpgSign = true" of a file of git's settings.
bool says_to_sign(std::string line) {
  std::erase_if(line, [](unsigned char c) { return std::isspace(c) != 0; });
  line = lowered(line);
  return line == "gpgsign=true" || line == "gpgsign" || line == "gpgsign=1" || line == "gpgsign=yes" ||
         line == "gpgsign=on";
}

// Every address that it names is this machine's: in a sandbox it reaches what the same line has started.
bool stays_here(const Words& words) {
  bool here = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t scheme = words[i].find("://");
    const std::string_view rest =
        std::string_view(words[i]).substr(scheme == std::string::npos ? 0 : scheme + 3);
    const bool own = in_list(rest.substr(0, rest.find_first_of(":/?")), "localhost 127.0.0.1 0.0.0.0") ||
                     rest.starts_with("[::1]");
    if (scheme != std::string::npos && !own) return false;
    here = here || own;
  }
  return here;
}
constexpr Does to_itself{"", Effects::writes, "connects to this machine"},
    by_words{"", Effects::writes, "writes files"};

bool writes_by_option(const Program& program, const Words& words) {
  return has_option(words, program.writes_by.options) || has_letter(words, program.writes_by.letters);
}

// A script of package.json by a name that says it writes: "npm run build", "bun run lint:fix".
bool runs_writing_script(const Words& words) {
  if (words.size() < 3 || !in_list(words[1], "run run-script")) return false;
  for (const char* part : {"build", "fix", "format", "fmt", "generate", "codegen", "dev", "start", "watch",
                           "clean", "release", "deploy"})
    if (words[2].find(part) != std::string::npos) return true;
  return false;
}

// The verb; of git, what stands before it is passed over.
std::string verb_of(std::string_view name, const Words& words) {
  if (name != "git") return words.size() > 1 ? words[1] : std::string();
  const GitCall call = git_call(words);
  return call.words.empty() ? std::string() : call.words.front();
}

}  // namespace

const Does* effect_of(const Words& words) {
  const std::string_view name = words.empty() ? std::string_view() : program_name(words.front());
  const Program* program = program_of(name);
  if (program == nullptr || (name == "git" && only_looks(git_call(words)))) return nullptr;
  const auto is = [&](unsigned role) { return (program->roles & role) != 0; };
  if (is(role::web_client) && stays_here(words)) return &to_itself;
  const std::string verb = verb_of(name, words);
  for (const Does& row : program->does)
    if (row.verbs.empty() || in_list(verb, row.verbs)) return &row;
  if (writes_by_option(*program, words) || (is(role::runs_scripts) && runs_writing_script(words)))
    return &by_words;
  const bool checks = has_word(words, "--check --diff -c --version --help -h");
  return is(role::formats) && !checks ? &by_words : nullptr;
}

std::string said_of(const Does& row, const Words& words) {
  std::string text(program_name(words.front()));
  if (!row.verbs.empty()) text += " " + verb_of(text, words);
  return text + " " + std::string(row.says);
}

Need needed(const std::vector<CommandStep>& steps, const Workspace& workspace) {
  Need most;
  const auto take = [&](Effects does, const std::string& why) {
    if (does > most.does) most = {does, why};
  };
  for (const CommandStep& step : steps) {
    if (only_looks(step, workspace)) continue;
    for (const ShellRedirect& r : step.command->redirects)
      if (r.writes() && r.target.literal &&
          !in_list(r.target.text, "/dev/null /dev/stdout /dev/stderr /dev/tty"))
        take(Effects::writes, "writes " + r.target.text);
    for (const Words& words : step.unwrapped)
      if (const Does* row = effect_of(words)) take(row->does, said_of(*row, words));
  }
  return most;
}

bool names_secret(const ShellCommand& command, const CommandPlace& place) {
  if (command.words.empty()) return false;
  return std::any_of(command.words.begin() + 1, command.words.end(), [&](const ShellWord& word) {
    const Words texts = path_candidates(word.text);
    return holds_secrets(place.locate(word), place.workspace) ||
           std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
             return text.size() < 4096 && holds_secrets(place.locate(text), place.workspace);
           });
  });
}

std::string shows_secret(const std::vector<CommandStep>& steps, const Workspace& workspace) {
  for (const CommandStep& step : steps) {
    const CommandPlace place{workspace, step.cwd};
    const auto& redirects = step.command->redirects;
    const bool fed = std::any_of(redirects.begin(), redirects.end(), [&](const ShellRedirect& r) {
      return r.op == "<" && r.target.literal && holds_secrets(place.locate(r.target), workspace);
    });
    if (fed || names_secret(*step.command, place)) return "may show a file with secrets";
    // The sandbox hides the file itself, not the copies in git's object store.
    for (const Words& words : step.unwrapped) {
      const bool verb = std::any_of(words.begin() + 1, words.end(),
                                    [](const std::string& w) { return !w.starts_with("-"); });
      if (program_name(words.front()) != "git" || !verb) continue;
      if (std::string why = search_shows_secret(command_of(words), {}, place); !why.empty()) return why;
    }
  }
  return {};
}

std::string writes_outside(const std::vector<CommandStep>& steps, const Workspace& workspace) {
  for (const CommandStep& step : steps) {
    const CommandPlace place{workspace, step.cwd};
    for (const ShellRedirect& r : step.command->redirects) {
      if (!r.writes() || !r.target.literal || r.target.text.starts_with("/dev/")) continue;
      if (const Place where = place.locate(r.target); !where.error.empty() || !where.inside)
        return "writes " + r.target.text + ", outside the workspace";
    }
    const Does* row = effect_of(words_of(*step.command));
    if (row == nullptr || row->does != Effects::writes) continue;
    if (const std::string why = looks_outside(*step.command, place); !why.empty()) return why;
  }
  return {};
}

std::string signs_commits(const std::vector<CommandStep>& steps, const Workspace& workspace) {
  const bool commits = std::any_of(steps.begin(), steps.end(), [](const CommandStep& step) {
    return std::any_of(step.unwrapped.begin(), step.unwrapped.end(), [](const Words& words) {
      return program_name(words.front()) == "git" && words.size() > 1 &&
             in_list(words[1], "commit merge rebase cherry-pick revert am tag stash pull");
    });
  });
  if (!commits) return {};
  const char *home = std::getenv("HOME"), *config = std::getenv("XDG_CONFIG_HOME");
  const std::filesystem::path at_home = home == nullptr ? "/" : home;
  for (const auto& file :
       {workspace.root() / ".git/config", at_home / ".gitconfig",
        (config == nullptr ? at_home / ".config" : std::filesystem::path(config)) / "git/config"}) {
    std::ifstream settings(file);
    for (std::string line; std::getline(settings, line);)
      if (says_to_sign(std::move(line))) return "git signs commits here, and the sandbox has no key";
  }
  return {};
}

std::string rewrites_elsewhere(const std::vector<CommandStep>& steps) {
  int rewriting = 0, moving = 0;
  for (const CommandStep& step : steps)
    for (const Words& words : step.unwrapped) {
      if (program_name(words.front()) != "git") continue;
      const GitCall call = git_call(words);
      const bool rewrites = !rewritten_by(call).empty();
      rewriting += rewrites ? 1 : 0;
      if (!rewrites && !call.words.empty() && !only_looks(call) &&
          in_list(call.words.front(), "checkout switch reset merge pull cherry-pick revert am bisect rebase"))
        ++moving;
    }
  const bool unsure = rewriting > 0 && rewriting + moving > 1;
  return unsure ? "rewrites commits after moving to others" : "";
}

std::string other_repository(const std::vector<CommandStep>& steps, const Workspace& workspace) {
  for (const CommandStep& step : steps)
    for (const Words& words : step.unwrapped) {
      if (program_name(words.front()) != "git") continue;
      const GitCall call = git_call(words);
      if (call.own_settings) return "names a repository or settings of its own";
      const Place where = place_of(call, {workspace, step.cwd});
      if (step.lost || !where.error.empty() || !is_under(workspace.root(), where.real) ||
          in_nested_repository({workspace, where.real}))
        return "works on another repository";
    }
  return {};
}

}  // namespace tern
