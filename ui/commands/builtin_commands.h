#pragma once

#include "ui/shell/slash_command.h"

namespace tern {

// In the order that help shows: the rows of commands.inc.
CommandSet builtin_commands();

}  // namespace tern
