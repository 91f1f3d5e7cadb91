// One line of a shell with the real program as $TERN, a home of its own and only the environment named: how
// people and scripts start it, redirections included.
#pragma once

#include <string>
#include <vector>

#include "tests/support/headless.h"

namespace tern::test {

struct ShellRun {
  int status = -1;  // exit code, or 128 + signal
  std::string out, err;
};

ShellRun shell_run(const Home& home, const std::string& line, std::vector<std::string> environment = {});
// What makes a wire's service the server at `url`: its key and its base URL.
std::vector<std::string> service(const Wire& wire, const std::string& url);

}  // namespace tern::test
