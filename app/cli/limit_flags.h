// What configuration and flags say of the limits of a turn: requests, dollars, thinking, and the shape of its
// answer.
#pragma once

#include <string>

#include "app/config/config.h"
#include "app/config/options.h"
#include "app/session/session_setup.h"

namespace tern {

// `error` when the schema is none.
void set_limits(const Options& options, const Config& config, SessionSetup& setup, std::string& error);

}  // namespace tern
