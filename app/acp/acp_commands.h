// The slash commands that a client may send as a prompt and that need no model.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/protocol/event.h"

namespace tern {

// The command that the words of a prompt stand for: "/compact the parser". Nothing: the prompt is for the
// model.
std::optional<Command> slash_command(std::string_view prompt);

// "available_commands_update": those above and what the user and the project bring.
nlohmann::json commands_update(const std::vector<BroughtCommand>& brought);

}  // namespace tern
