// Pictures of a prompt that are larger than models take: scaled down where a program here can, else left out
// and said so.
#pragma once

#include <stop_token>

#include "agent/turn/agent.h"

namespace tern {

void fit_pictures(Agent& agent, Submit& input, std::stop_token stop);

}  // namespace tern
