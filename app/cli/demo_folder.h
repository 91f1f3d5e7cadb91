// Where `tern --demo` plays: in a scratch project of its own, unless the user names a folder, a session or a
// prompt.
#pragma once

#include <string>

#include "app/config/options.h"
#include "app/session/session_setup.h"

namespace tern {

// A small window; the scratch project, written and trusted; without a screen its edits are accepted. Returns
// the problem.
std::string set_demo(const Options& options, SessionSetup& setup);
// The first prompt of the demo.
std::string first_demo_prompt(const Options& options);

}  // namespace tern
