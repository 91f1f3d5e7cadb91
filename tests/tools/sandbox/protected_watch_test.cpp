// Protected names that come after the first look.
#include "tools/sandbox/protected_watch.h"

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/places.h"
#include "tests/tools/world.h"
#include "tools/exec/process.h"
#include "tools/sandbox/sandbox.h"

using namespace tern;
using namespace tern::testing;

TEST_CASE("protected names are found when they come, once") {
  TempDir temp;
  const fs::path root = temp.path() / "work";
  fs::create_directories(root / "a/b/.git");
  fs::create_directories(root / "node_modules/x/.git");
  ProtectedWatch watch({root}, 100);
  CHECK(watch.update() == std::vector<fs::path>{root / "a/b/.git"});
  CHECK(watch.update().empty());
  fs::create_directories(root / "a/c/d/.husky");
  std::ofstream(root / "a/.envrc") << "x";
  auto fresh = watch.update();
  CHECK(std::set<fs::path>(fresh.begin(), fresh.end()) ==
        std::set<fs::path>{root / "a/.envrc", root / "a/c/d/.husky"});
  for (const char* part : {"objects", "refs"}) fs::create_directories(root / "bare" / part);
  std::ofstream(root / "bare/HEAD") << "x";
  CHECK(watch.update() == std::vector<fs::path>{root / "bare"});
  CHECK(watch.update().empty());
  fs::remove_all(root / "a");
  CHECK(watch.update().empty());
  CHECK(watch.found().size() == 1);
  fs::create_directories(root / "a/b/.git");
  CHECK(watch.update() == std::vector<fs::path>{root / "a/b/.git"});
}

TEST_CASE("directories beyond the most are not entered") {
  TempDir temp;
  for (int i = 0; i < 20; ++i) fs::create_directories(temp.path() / ("d" + std::to_string(i)) / ".git");
  ProtectedWatch watch({temp.path()}, 5);
  CHECK(watch.update().size() == 4);
}

TEST_CASE("a repository that a sandboxed command makes is told, and read-only for the next") {
  if (probe_sandbox().rung != SandboxRung::namespaces) SKIP(probe_sandbox().why);
  World world;
  set_supervisor(places::supervisor());
  fs::create_directories(world.root / "lib");
  world.sandbox = sandbox_for({world.root}, {}, {}, probe_sandbox());
  const auto made = world.run("Bash", {{"command", "mkdir lib/sub && git init -q lib/sub && echo made"}});
  INFO(made.text);
  CHECK(made.text.find("Inside the sandbox it made lib/sub/.git") != std::string::npos);
  const auto again = world.run(
      "Bash",
      {{"command", "echo x > lib/sub/.git/config || echo refused; echo y > lib/sub/file && echo kept"}});
  CHECK(again.text.find("refused") != std::string::npos);
  CHECK(again.text.find("kept") != std::string::npos);
  CHECK(again.text.find("it made") == std::string::npos);
}
