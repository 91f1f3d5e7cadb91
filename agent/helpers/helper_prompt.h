// What a helper is told before its task.
#pragma once

#include <string>

#include "agent/compactor/prompt.h"
#include "agent/helpers/helper.h"

namespace tern {

// `memory`: the project's own instructions, for a helper that changes something.
std::string helper_prompt(const HelperTask& task, const Surroundings& where, const ToolSet& tools,
                          const std::string& memory);

bool only_looks(const ToolSet& tools);  // nothing of it writes, runs or reaches the network

}  // namespace tern
