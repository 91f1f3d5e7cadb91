// What an editor's connection needs of the program around it.
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

}  // namespace tern
