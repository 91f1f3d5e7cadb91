// From the command line and the configuration to a running front end.
#pragma once

#include "app/config/config.h"
#include "app/config/options.h"
#include "app/session/session.h"

namespace tern {

// Empty text: the setup is ready. Else what is wrong with the words of the command line.
std::string make_setup(const Options& options, const Config& config, SessionSetup& setup);

// The part of it that decides how a model is reached; problems are lines for people.
void set_model(const Options& options, const Config& config, SessionSetup& setup,
               std::vector<std::string>& problems);

int start_headless(const Options& options, SessionSetup setup);
int start_screen(const Options& options, const Config& config, SessionSetup setup);
int debug_request(
    SessionSetup setup);  // `tern debug request`: the exact body of the newest session's latest request

}  // namespace tern
