// The real program where something that every program takes for granted is missing: it works or says why.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/fake_llm.h"
#include "tests/support/sanitized.h"
#include "tests/support/shell_run.h"

using namespace tern::test;

TEST_CASE("in fourteen broken environments nothing crashes, and what stops tern is named") {
  const FakeLlm server(R"({"loop": true, "replies": [{"text": "pong"}]})");
  struct Broken {
    const char* what;
    std::string_view line;
    bool works = true;
  };
  constexpr std::string_view no_files = R"((ulimit -f 0; "$TERN" -p hi) | cat)";
  const std::vector<Broken> environments = {
      {"the working directory is gone", R"(mkdir gone; cd gone; rmdir ../gone; "$TERN" -p hi)", false},
      {"the working directory cannot be written", R"(cd /sys; "$TERN" -p hi)"},
      {"no room for any file", no_files},
      {"no HOME", R"(env -u HOME "$TERN" -p hi)"},
      {"a HOME that cannot be", R"(HOME=/dev/null/home "$TERN" -p hi)"},
      {"an empty PATH", R"(PATH= "$TERN" -p hi)"},
      {"64 descriptors", R"(ulimit -n 64; "$TERN" -p hi)"},
      {"as many descriptors as there can be", R"(ulimit -n $(ulimit -Hn); "$TERN" -p hi)"},
      {"no terminal type and an unknown language", R"(TERM=dumb LANG=xx_YY.none LC_ALL=no "$TERN" -p hi)"},
      {"no temporary directory", R"(TMPDIR=/dev/null/home "$TERN" -p hi)"},
      {"standard input and error closed", R"("$TERN" -p hi <&- 2>&-)"},
      {"a configuration folder that is a file", R"(XDG_CONFIG_HOME=/dev/null "$TERN" -p hi)"},
      {"a state folder that is a file", R"(XDG_STATE_HOME=/dev/null "$TERN" -p hi)"},
      {"no /proc", R"(hide='mount -t tmpfs none /proc'; if unshare -rm sh -c "$hide"; then
           unshare -rm sh -c "$hide"' && exec "$TERN" -p hi'; else "$TERN" -p hi; fi)"},
  };
  for (const Broken& broken : environments) {
    if (!memory_tells && broken.line == no_files) continue;  // a sanitizer's own start writes a file
    const Home home;
    auto environment = service(wires()[0], server.url());
    environment.push_back("TERN_MODEL=" + std::string(wires()[0].model));
    const ShellRun run = shell_run(home, std::string(broken.line), environment);
    INFO(broken.what << ": " << run.status << "\n" << run.out << run.err);
    CHECK(run.status < 126);
    if (broken.works)
      CHECK(run.out == "pong\n");
    else
      CHECK((run.out == "pong\n" || run.err.size() > 10));
  }
}

TEST_CASE("where /proc is not mounted a command that cannot start says so") {
  const Home home;
  if (shell_run(home, "unshare -rm mount -t tmpfs none /proc").status != 0) SKIP("no namespaces here");
  const FakeLlm server(
      R"({"replies": [{"calls": [{"name": "Bash", "arguments": {"command": "echo up"}}]}, {"text": "pong"}]})");
  auto environment = service(wires()[0], server.url());
  environment.push_back("TERN_MODEL=" + std::string(wires()[0].model));
  const ShellRun run = shell_run(
      home, R"(unshare -rm sh -c 'mount -t tmpfs none /proc && exec "$TERN" -p hi --permission-mode bypass')",
      environment);
  INFO(run.out << run.err);
  REQUIRE(server.requests().size() == 2);
  CHECK(server.requests()[1].body.find("/proc is not mounted") != std::string::npos);
}
