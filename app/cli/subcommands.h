// `tern sessions`, `tern recall` … : one look at what is stored, without a session, also beside a running tern.
#pragma once

#include "app/config.h"
#include "app/options.h"

namespace tern {

// Exit status: 0 done, 1 nothing found or not possible, 2 wrong words.
int run_subcommand(const Options& options, Config config);

// What `tern doctor` finds; every line says what is so and, when it is wrong, what to do. Printed, or added to `into`.
int run_doctor(const Options& options, const Config& config, std::string* into = nullptr, std::stop_token stop = {});

}  // namespace tern
