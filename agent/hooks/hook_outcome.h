// What a handler's end means: exit codes 0, 2 and others, plain output, and answers in JSON, as Claude Code
// has them. Pure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "agent/hooks/hook_entry.h"

namespace tern {

struct HookOutcome {
  int status = 0;        // as a shell counts; of http 0 for 2xx, else 1
  std::string out, err;  // out: of http the body
  std::string error;     // it could not run to its end, and why
  bool stopped = false;  // by the user: nothing is said of it
  std::chrono::milliseconds took{0};
};

struct HookSaid {
  HookAnswer answer;
  std::string failure;  // for people: what went wrong; empty = nothing
  std::string message;  // systemMessage
  std::string shown;    // what it answered, in a few words, for the list
};
HookSaid said_by(const HookEntry& entry, const HookOutcome& outcome);

// exit 2 keeps something from happening, or goes to the model.
bool can_block(HookEvent event);

}  // namespace tern
