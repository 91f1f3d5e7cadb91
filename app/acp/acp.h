// `tern acp`: the agent's side of the Agent Client Protocol, version 1, for editors: JSON-RPC 2.0, a message
// a line. The client's messages are read here, on one thread; each session works on a thread of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/session/session_setup.h"

namespace tern {

struct AcpWorld {
  int in = 0, out = 1;
  int stop = -1;  // readable: the program is to end, as at the end of `in`
  std::string version;
  std::filesystem::path cwd, state_dir;
  // What the command line and the configuration say now of a session in this folder; answered by what is
  // wrong.
  std::function<std::string(const std::filesystem::path& cwd, SessionSetup& setup)> make_setup;
};

// Until the end of `in`: turns are interrupted, sessions settled. The exit status.
int serve_acp(const AcpWorld& world);

}  // namespace tern
