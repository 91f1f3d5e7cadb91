// The demo model: what a person without a key meets. No network, no randomness: every answer is a pure
// function of the request, so it can be resumed, compacted under its feet and tested. It says plainly that it
// is a script.
//   demo/demo  answers "read X", "run Y", "find Z", "list", "write a note", and "tour" (all tools once)
//   demo/long  plays a long conversation in a 12k window until every tier of the compression has been seen;
//   with demo_story()
//              it first repairs the scratch project that `tern --demo` makes
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/models/provider.h"

namespace tern {

// The first prompt of `tern --demo` in a folder of the user's.
std::string_view demo_prompt();

// A small program with a real bug, and its test: what the play searches, reads, edits and runs.
struct DemoFile {
  std::string_view name, text;
};
struct DemoStory {
  std::string_view prompt;
  std::vector<DemoFile> files;
};
const DemoStory& demo_story();

namespace demo {  // the pieces, for tests

struct Step {  // one assistant message
  std::string text = {};
  std::vector<ToolCall> calls = {};
};
Step answer(const Request& request);            // demo/demo
Step play(const Request& request);              // demo/long
std::string summarize(const Request& request);  // either style, from the request's own conversation
Tokens size_of(const Request& request);         // what the demo charges for it

// Helpers both scripts use.
std::string last_user_text(const Conversation& conversation);
const ToolResult* last_result(const Conversation& conversation);
bool offers(const Request& request, std::string_view tool);
ToolCall call(const Request& request, std::string_view tool, std::string arguments);  // deterministic id

}  // namespace demo
}  // namespace tern
