// Whether commits that a command would rewrite are on a remote-tracking branch, where others may have them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/gate/git_call.h"

namespace tern {

// `commits`: as git rev-list takes them, "main..HEAD". True also where git cannot tell. Outside a repository
// there is nothing to rewrite. Asks git itself, which only reads here, runs no hook and connects to nothing.
bool git_pushed(const std::filesystem::path& folder, const std::string& commits);

// The commits that this call rewrites; empty: none. "?" where its words are not understood.
std::string rewritten_by(const GitCall& call);

// Of "commit --amend" and "rebase": what they rewrite was pushed, or may have been.
bool rewrites_pushed(const std::vector<std::string>& words, const CommandPlace& place);

}  // namespace tern
