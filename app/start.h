// From the command line and the configuration to a running front end.
#pragma once

#include "app/config.h"
#include "app/options.h"
#include "app/session.h"

namespace tern {

// Empty text: the setup is ready. Else what is wrong with the words of the command line.
std::string make_setup(const Options& options, const Config& config, SessionSetup& setup);

int start_headless(const Options& options, SessionSetup setup);
int start_screen(const Options& options, const Config& config, SessionSetup setup);
int debug_request(SessionSetup setup);  // `tern debug request`: the exact body of the newest session's latest request

}  // namespace tern
