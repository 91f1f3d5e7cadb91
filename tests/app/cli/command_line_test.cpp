// Subcommands and ways out as a shell meets them: settings and keys that are kept, exit codes, closing lines.
#include <sys/wait.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <iterator>

#include "tests/support/fake_llm.h"
#include "tests/support/places.h"
#include "tests/support/project_folder.h"
#include "tests/support/pty.h"
#include "tests/support/shell_run.h"

using namespace tern;
using test::FakeLlm;
using test::Home;
using test::service;
using test::shell_run;
using test::wires;

namespace {

std::string config_of(const Home& home) {
  std::ifstream in(home.path / ".config/tern/config.json", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

int exit_status(int wait_status) { return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1; }

}  // namespace

TEST_CASE("tern config KEY VALUE keeps the value in the user's file") {
  const Home home;
  const auto kept =
      shell_run(home, "\"$TERN\" config theme dark && \"$TERN\" config vim true && \"$TERN\" config theme");
  CHECK(kept.status == 0);
  CHECK(has(kept.out, "theme: \"auto\" → \"dark\"\n~/.config/tern/config.json"));
  CHECK(has(config_of(home), "\"theme\": \"dark\""));
  CHECK(has(config_of(home), "\"vim\": true"));
  const auto wrong = shell_run(home, "\"$TERN\" config vim perhaps");
  CHECK(wrong.status == 2);
  CHECK(has(wrong.err, "true or false"));
  CHECK(has(shell_run(home, "\"$TERN\" config them dark").err, "did you mean theme?"));
  CHECK(has(shell_run(home, "\"$TERN\" config theme nosuch").err, "There is no theme"));
}

TEST_CASE("tern login tries a key from standard input and keeps it; tern logout forgets it") {
  const Home home;
  const FakeLlm server(R"({"default": {"text": "ok"}})");
  const std::vector<std::string> address{"ANTHROPIC_BASE_URL=" + server.url()};
  const auto kept = shell_run(home, "echo sk-ant-0123456789 | \"$TERN\" login", address);
  INFO(kept.err);
  CHECK(kept.status == 0);
  CHECK(has(kept.out, "The key works with anthropic/"));
  CHECK(has(kept.out, "~/.config/tern/config.json, readable by you only"));
  CHECK(has(config_of(home), "sk-ant-0123456789"));
  CHECK_FALSE(has(kept.out + kept.err, "0123456789"));
  const auto gone = shell_run(home, "\"$TERN\" logout", address);
  CHECK(gone.status == 0);
  CHECK_FALSE(has(config_of(home), "sk-ant"));
  CHECK(shell_run(home, "\"$TERN\" logout", address).status == 1);
  CHECK(shell_run(home, "echo what | \"$TERN\" login", address).status == 2);
}

TEST_CASE("a refused key is not kept, and the exit code says so") {
  const Home home;
  const FakeLlm server(
      R"({"default": {"fault": {"kind": "status", "status": 401, "message": "invalid x-api-key"}}})");
  const auto run =
      shell_run(home, "echo sk-ant-0123456789 | \"$TERN\" login", {"ANTHROPIC_BASE_URL=" + server.url()});
  CHECK(run.status == 3);
  CHECK(has(run.err, "invalid x-api-key"));
  CHECK_FALSE(has(config_of(home), "sk-ant"));
}

TEST_CASE("-p says at its end what was refused and how to allow it") {
  const Home home;
  const FakeLlm server(
      R"({"replies":[{"calls": [{"name": "Write", "arguments": {"file_path": "a", "content": "a"}}]},
    {"text": "I could not write it."}]})");
  auto environment = service(wires()[0], server.url());
  environment.push_back("TERN_MODEL=" + std::string(wires()[0].model));
  const auto run = shell_run(home, "\"$TERN\" -p hi", environment);
  CHECK(run.status == 6);
  CHECK(run.out == "I could not write it.\n");
  CHECK(has(run.err, "1 call was refused. To allow it: --allowed-tools \"Write\""));
}

TEST_CASE("-p names no option that would allow what every mode refuses") {
  const Home home;
  const FakeLlm server(
      R"({"replies":[{"calls": [{"name": "Bash", "arguments": {"command": "rm -rf \"$PWD\""}}]},
    {"text": "I could not."}]})");
  auto environment = service(wires()[0], server.url());
  environment.push_back("TERN_MODEL=" + std::string(wires()[0].model));
  const auto run = shell_run(home, "\"$TERN\" -p hi --permission-mode bypassPermissions", environment);
  CHECK(run.status == 6);
  CHECK(has(run.err, "1 call was refused in bypass mode, too: "));
  CHECK_FALSE(has(run.err, "--allowed-tools"));
}

TEST_CASE("a session that does not exist ends the screen with an error, and asks the terminal nothing") {
  for (const char* how : {"--resume", "--continue"}) {
    const ProjectFolder folder;
    std::filesystem::create_directories(folder.home / ".config/tern");
    std::ofstream(folder.home / ".config/tern/config.json") << "{\"trusted\": [\"/\"]}";
    std::vector<std::string> words{places::program(), "--model", "demo", how};
    if (how == std::string("--resume")) words.emplace_back("nosuch");
    Pty pty(words, {.columns = 80,
                    .lines = 24,
                    .cwd = folder.project.string(),
                    .environment = folder.environment("xterm-256color"),
                    .deadline_seconds = 60});
    CHECK(exit_status(pty.until_exit()) == 2);
    INFO(pty.vt().text());
    CHECK(has(pty.vt().text(), "session"));
    CHECK_FALSE(has(pty.raw(), "\x1b]11;?"));
    CHECK_FALSE(has(pty.raw(), "\x1b[?1004h"));  // tmux tells at once whether its window is in front
    CHECK(pty.modes_restored());
  }
}
