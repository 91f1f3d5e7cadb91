// What a front end is given by the program around it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "agent/protocol/event.h"
#include "agent/protocol/mailbox.h"
#include "ui/terminal/osc.h"

namespace tern {

enum class ScreenKind { full, inline_region, plain };

struct UiDeps {
  Mailbox<Command>& commands;
  Mailbox<Event>& events;
  std::function<void()> interrupt;  // asks the running turn to stop at once; any thread
  std::function<void(std::function<void()>)>
      on_wake;                       // registers what an event push must call (an eventfd write)
  std::string cwd, home, state_dir;  // state_dir: the project's prompt history and drafts; empty: none
  std::string version;
  ScreenKind screen = ScreenKind::full;
  std::string theme = "auto";
  bool vi = false;
  bool bell = true;  // tell when a turn has ended or a question waits, and the window is not in front
  TerminalWishes wishes;
  int ambiguous_width = 1;
  std::vector<std::pair<std::string, std::string>> keys;  // rebindings: name of action → key name
  std::function<std::vector<std::string>(std::stop_token)>
      list_files;                    // names for `@`, relative to cwd; runs on its own thread
  std::vector<std::string> keyed;    // providers that a key can be given for
  std::string first_prompt;          // `tern "fix it"`: submitted at once
  std::vector<std::string> welcome;  // lines: what model, what folder, where summaries are kept
};

}  // namespace tern
