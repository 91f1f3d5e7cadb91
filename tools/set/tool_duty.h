// What the rest of the program needs a tool for, whatever its name.
#pragma once

namespace tern {

enum class ToolDuty {
  plain,
  search,   // finds tools that are declared only when needed: its results begin with them (found_tools.h)
  relay,    // calls one of those where a wire can't call it by its own name
  shell,    // runs a command line
  reading,  // reads a file
  recall,   // brings back originals
  notes,    // the model's own
  helper,   // hands a task to a helper
};

// It serves the tools that are declared only when needed.
constexpr bool serves_deferred(ToolDuty duty) { return duty == ToolDuty::search || duty == ToolDuty::relay; }

}  // namespace tern
