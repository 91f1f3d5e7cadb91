// A command that the person ran themselves ("! make"), as the conversation keeps it: one synthetic message.
// Written when it has ended, read again by the meters and by whatever shows the log. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compression/values/conversation.h"

namespace tern {

struct ShellNote {
  std::string command, output;
};
std::string shell_note(std::string_view command, std::string_view output);
std::optional<ShellNote> read_shell_note(const Item& item);

}  // namespace tern
