#include "agent/gate/effects.h"

#include <algorithm>

#include "agent/gate/command_kinds.h"
#include "agent/gate/git_call.h"

namespace tern {

namespace {

using Words = std::vector<std::string>;

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

}  // namespace tern
