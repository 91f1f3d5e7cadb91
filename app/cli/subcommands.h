// `tern sessions`, `tern recall` … : one look at what is stored, without a session, also beside a running
// tern.
#pragma once

#include "app/config/config.h"
#include "app/config/options.h"

namespace tern {

// Exit status: 0 done, 1 nothing found or not possible, 2 wrong words.
int run_subcommand(const Options& options, Config config);

// What `tern doctor` finds; every line says what is so and, when it is wrong, what to do. Printed, or added
// to `into`.
int run_doctor(const Options& options, const Config& config, std::string* into = nullptr,
               std::stop_token stop = {});

// `tern login [PROVIDER]` reads a key from the terminal, unseen, or from standard input; `tern logout`
// forgets one.
int run_login(const Options& options, const Config& config);
int run_logout(const Options& options, const Config& config);

// `tern acp` serves an editor on standard input and output; `tern acp login` is how its terminal login is
// called.
int run_acp(const Options& options, const Config& config);

}  // namespace tern
