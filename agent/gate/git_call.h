// A call of git as git itself divides it: what stands before the verb, and the verb with its words.
#pragma once

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

}  // namespace tern
