// What is known about programs: which calls only look, which hide a second program in their options, which
// destroy. Pure but for the file system questions a Workspace answers. Unknown is never harmless.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gate/call_words.h"
#include "agent/gate/programs.h"
#include "agent/gate/shell_parse.h"
#include "tools/workspace/workspace.h"

namespace tern {

// Where a command of a line stands after the literal `cd`s before it.
struct CommandPlace {
  const Workspace& workspace;
  std::filesystem::path cwd;
  Place locate(const ShellWord& word) const;
  Place locate(std::string_view text) const;
};

// Empty when the call only looks, at things inside the workspace or of the system; else why that is not
// known.
std::string why_not_harmless(const ShellCommand& command, const CommandPlace& place);

// Every way a word may name a file: as it is, behind "=", behind a short option, behind "@".
std::vector<std::string> path_candidates(const std::string& word);

// A rule for a program is no rule for what lies outside the workspace. Empty, or the word that leads there.
std::string looks_outside(const ShellCommand& command, const CommandPlace& place);

// Places of the system may be looked at on the way; a rule is no rule for writing them. Empty, or the word
// that may.
std::string writes_system(const ShellCommand& command, const CommandPlace& place);

// Another repository below the workspace has settings of its own, which nobody has looked at.
bool in_nested_repository(const CommandPlace& place);

// A file that may hold keys: ".env", "*.pem", "id_rsa" … and the places where people keep them.
bool holds_secrets(const Place& place, const Workspace& workspace);

// A search through whole folders (grep -r, rg, git grep, diff of two folders): the first file it would show
// that is wanted; empty when none. `operands`: the paths among the words. `gave_up`: too many files to know.
using Wanted = std::function<bool(const std::filesystem::path&)>;
std::filesystem::path search_shows(const ShellCommand& command, const std::vector<ShellWord>& operands,
                                   const CommandPlace& place, const Wanted& wanted, bool* gave_up = nullptr);
// It must not show what its name alone would have to be asked for. Empty, or the file it would show.
std::string search_shows_secret(const ShellCommand& command, const std::vector<ShellWord>& operands,
                                const CommandPlace& place);

// An option through which the program runs or writes something else ("find -exec", "git -c", "make SHELL="):
// no allow rule covers that. Empty, or what it is.
std::string smuggles(const std::vector<std::string>& words);

// Programs that run what they are given: never granted by a prefix.
bool is_interpreter(std::string_view program);
// Why calls beginning with these words may not be granted together; empty when they may.
std::string why_no_prefix(const std::vector<std::string>& prefix);

struct Destruction {
  std::string reason;                // empty: none
  std::vector<std::string> targets;  // what it would hit, expanded
  bool breaker = false;  // /, the home folder, the workspace root or a device: asked about in every mode
};
// `literal` says whether the words are what will run.
Destruction destroys(const std::vector<std::string>& words, bool literal, const CommandPlace& place);

// Code that comes over the network, or out of a decoder, and is run by the same line: "curl … | sh". Empty,
// or what it does. `started`: for each command of the line what it would start, as unwrap() lists it.
std::string runs_unseen(const std::vector<std::vector<std::vector<std::string>>>& started);

// Where a command and what it would start (as unwrap() lists them) may stand: its own directory first, then
// that of "env -C", "sudo -D", "git -C", "sh -c 'cd x'". The root where nobody can tell.
std::vector<std::filesystem::path> places_of(const std::vector<std::vector<std::string>>& commands,
                                             const CommandPlace& place);

// The rule that may be offered for this command, as the spec of a Bash rule; empty when none may.
std::string grantable_prefix(const ShellCommand& command);

// The first wanted file whose text a git command that only looks would print: "git grep", and the patches of
// diff, show, log -p, stash show -p. Read from the index, so a file that only the history holds is not known.
std::filesystem::path git_shows(const ShellCommand& command, const CommandPlace& place, const Wanted& wanted);

// ---- between the files that know which calls only look. Each answers with nothing, or with why not.

// May this file be shown unasked? It is inside the workspace or of the system, and holds no keys.
std::string why_not_readable(const Place& where, const Workspace& workspace);

// Programs that read their words in a way of their own. `known` is false when there is no such program.
std::string why_not_harmless_words(const ShellCommand& command, const CommandPlace& place, bool& known);
std::string why_not_harmless_git(const ShellCommand& command, const CommandPlace& place);
// A jq program may read other files: modules and data.
std::string program_reads_files(const std::string& program);
// "gcc --version": a word alone that this program answers with its version and nothing else.
bool asks_for_version(const ShellCommand& command);

// A call as its options and the rest; the columns of the program read it.
struct ReadCall {
  std::vector<std::string> options;
  std::vector<ShellWord> rest;
  std::string unknown;  // the first option that is not among the known
};
ReadCall read_call(const std::vector<ShellWord>& words, std::string_view shorts, std::string_view longs,
                   const Program& program);

// An option of the word list, or a cluster of letters as getopt reads it: "ab?c:" holds a flag, one that
// takes what is glued to it, and one that takes the rest of the word or the next.
enum class Letters { unknown, complete, wants_next };
Letters read_letters(std::string_view cluster, std::string_view letters);

}  // namespace tern
