// What a decision means for the call: the sandbox it runs in, the questions that follow, and what "always"
// may cover.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/gate/permission.h"
#include "tools/sandbox/sandbox.h"
#include "tools/set/wall_hit.h"

namespace tern {

// The part of a workspace's sandbox that a decision grants.
Sandbox sandbox_within(Sandbox sandbox, Reach reach);

// "wants to write src/x.o", "wants to connect to example.com".
std::string wall_text(const std::vector<WallHit>& walls, const std::string& command,
                      const Workspace& workspace);

// The same for the model, as a sentence of what was done.
std::string tried_text(Reach reach, const std::string& wanted);

// One way to say "always" to a question.
struct Offer {
  const std::vector<PermissionRule>* rules;
  bool for_project;
};
// Of `ask`, which must outlive them; the one that asks least often first.
std::vector<Offer> offers_of(const Ask& ask);

}  // namespace tern
