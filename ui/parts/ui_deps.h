// The interactive front end. Runs on the calling thread until the person leaves; pushes Commands, folds Events.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/event.h"
#include "agent/mailbox.h"

namespace tern {

enum class ScreenKind { full, inline_region, plain };

struct UiDeps {
  Mailbox<Command>& commands;
  Mailbox<Event>& events;
  std::function<void()> interrupt;                     // asks the running turn to stop at once; any thread
  std::function<void(std::function<void()>)> on_wake;  // registers what an event push must call (an eventfd write)
  std::string cwd, home, state_dir;                    // state_dir: the project's prompt history and drafts; empty: none
  std::string version;
  ScreenKind screen = ScreenKind::full;
  std::string theme = "default";
  bool vi = false;
  bool bell = true;  // ring when a turn has ended or a question waits, and the window is not in front
  int ambiguous_width = 1;
  std::vector<std::pair<std::string, std::string>> keys;                // rebindings: name of action → key name
  std::function<std::vector<std::string>(std::stop_token)> list_files;  // names for `@`, relative to cwd; runs on its own thread
  std::string first_prompt;                                             // `tern "fix it"`: submitted at once
  std::vector<std::string> welcome;  // lines: what model, what folder, where summaries are kept
};

int run_ui(UiDeps& deps);  // exit status; the account has been printed to the normal screen

}  // namespace tern
