// A call of git as git itself divides it: what stands before the verb, and the verb with its words.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/gate/command_kinds.h"

namespace tern {

struct GitCall {
  std::vector<std::string> words;    // the verb first; empty: there is none
  std::vector<std::string> folders;  // of each "-C", in order
  bool own_settings = false;         // "-c", "--git-dir" …: a repository or settings of its own
};
// `words`: the program first.
GitCall git_call(const std::vector<std::string>& words);

// Where it works; an error where nobody can tell. `place`: where it is started.
Place place_of(const GitCall& call, const CommandPlace& place);

// Its verb and options only look, wherever it works.
bool only_looks(const GitCall& call);

// ---- whether commits that it would rewrite are on a remote-tracking branch, where others may have them

// `commits`: as git rev-list takes them, "main..HEAD". True also where git cannot tell. Outside a repository
// there is nothing to rewrite. Asks git itself, which only reads here, runs no hook and connects to nothing.
bool git_pushed(const std::filesystem::path& folder, const std::string& commits);

// The commits that this call rewrites; empty: none. "?" where its words are not understood.
std::string rewritten_by(const GitCall& call);

// Of "commit --amend" and "rebase": what they rewrite was pushed, or may have been.
bool rewrites_pushed(const std::vector<std::string>& words, const CommandPlace& place);

}  // namespace tern
