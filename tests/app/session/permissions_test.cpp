// What is granted for a project, and what people can ask about the gate before the model does.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "app/session/project_rules.h"
#include "tests/support/shell_run.h"
#include "tests/support/temp_dir.h"

using namespace tern;
namespace fs = std::filesystem;

TEST_CASE(
    "what is granted for a project is kept outside of it, for that project alone, and can be taken back") {
  const test::TempDir temp;
  const fs::path file = temp.path() / "config/projects.json";
  const ProjectRules one(file, "/work/one"), two(file, "/work/two");
  CHECK(one.load().empty());
  CHECK(one.add("Bash(npm test:*)").empty());
  CHECK(one.add("Edit(src/**)").empty());
  CHECK(one.add("Bash(npm test:*)").empty());
  CHECK(two.add("Bash(make:*)").empty());
  CHECK(one.load() == std::vector<std::string>{"Edit(src/**)", "Bash(npm test:*)"});
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(one.remove("Edit(src/**)").empty());
  CHECK(one.load() == std::vector<std::string>{"Bash(npm test:*)"});
  CHECK(two.load() == std::vector<std::string>{"Bash(make:*)"});
  std::ofstream(file) << "[broken";
  CHECK(one.load().empty());
  CHECK(one.add("Edit(src/**)").find("is not a JSON object") != std::string::npos);
}

TEST_CASE("tern permissions test tells the account of a command and what each mode decides") {
  const test::Home home;
  const auto run = test::shell_run(home, "\"$TERN\" permissions test 'git log && npm install'");
  CHECK(run.status == 0);
  CHECK(run.out.find("git log      read-only\n") != std::string::npos);
  CHECK(run.out.find("npm install  npm install needs the network\n") != std::string::npos);
  CHECK(run.out.find("ask           asks: ") != std::string::npos);
  CHECK(run.out.find("plan          is blocked: ") != std::string::npos);
  CHECK(run.out.find("bypass        runs: ") != std::string::npos);
  CHECK(test::shell_run(home, "\"$TERN\" permissions").status == 2);
}
