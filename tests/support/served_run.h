// The real program on a real pseudo-terminal, with the fake server as its service and a home of its own.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"
#include "tests/support/places.h"
#include "tests/support/pty.h"

namespace tern::test {

struct ServedRun {
  Home home;
  FakeLlm server;
  Pty pty;

  explicit ServedRun(std::string_view scenario, std::vector<std::string> arguments = {}, int columns = 100,
                     int lines = 30)
      : server(scenario), pty(command(std::move(arguments)), options(columns, lines)) {}

  bool shows(std::string_view text) { return pty.vt().text().find(text) != std::string::npos; }

 private:
  static std::vector<std::string> command(std::vector<std::string> arguments) {
    std::vector<std::string> all{places::program(), "--model", wires()[0].model};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  Pty::Options options(int columns, int lines) const {
    return {.columns = columns,
            .lines = lines,
            .cwd = home.work.string(),
            .environment = {{"HOME", home.path.string()},
                            {"TERM", "xterm-256color"},
                            {"LANG", "C.UTF-8"},
                            {wires()[0].key, "test-key"},
                            {wires()[0].url, server.url() + wires()[0].path}},
            .deadline_seconds = 60};
  }
};

}  // namespace tern::test
