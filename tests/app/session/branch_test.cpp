// What the status line says of git: true after every command, and nothing of the repository is run to find
// out.
#include "app/session/branch.h"

#include <catch2/catch_test_macros.hpp>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "app/session/session.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tools/exec/process.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::minutes patience(1);  // a busy machine is no reason to go without the star

struct Repository {
  test::TempDir dir;
  const fs::path root = dir.path() / "project";
  Repository() {
    set_supervisor(places::program());
    fs::create_directories(root);
    git("init -q -b main");
    write("a.txt", "one\n");
    git("add -A");
    git("-c user.name=a -c user.email=a@example.org commit -qm first");
  }
  void git(const std::string& words) {
    const std::string line = "cd '" + root.string() + "' && HOME=/nowhere git " + words;
    REQUIRE(std::system(line.c_str()) == 0);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(root / name) << text; }
};

}  // namespace

TEST_CASE("a star says that tracked files differ from the last commit") {
  Repository repository;
  BranchMark mark(repository.root, patience);
  CHECK(mark.look(true) == "main");
  repository.write("new.txt", "nobody knows it yet\n");
  CHECK(mark.look(true) == "main");
  repository.write("a.txt", "two\n");
  CHECK(mark.look(true) == "main*");
  CHECK(mark.look(false) == "main");  // nothing is run where nothing is trusted
  repository.git("checkout -q -b side");
  CHECK(mark.look(true) == "side*");
  CHECK(BranchMark(repository.dir.path(), patience).look(true).empty());
}

TEST_CASE("to see the star no hook, monitor, submodule or transport of the repository is run") {
  Repository repository;
  const fs::path sprung = repository.dir.path() / "sprung";
  const std::string bait = (repository.root / ".git" / "bait").string();
  std::ofstream(bait) << "#!/bin/sh\ntouch '" << sprung.string() << "'\n";
  fs::permissions(bait, fs::perms::all);
  for (const std::string name :
       {"core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "diff.external"})
    repository.git("config " + name + " '" + bait + "'");
  repository.git("config core.hooksPath '" + repository.root.string() + "/.git'");
  for (const std::string name : {"post-index-change", "fsmonitor-watchman", "query-watchman"})
    fs::copy_file(bait, repository.root / ".git" / name);
  repository.write("a.txt", "two\n");
  const auto index = fs::last_write_time(repository.root / ".git" / "index");
  CHECK(BranchMark(repository.root, patience).look(true) == "main*");
  CHECK_FALSE(fs::exists(sprung));
  CHECK(fs::last_write_time(repository.root / ".git" / "index") == index);
}

TEST_CASE("the branch is right again after a command that changed it") {
  Repository repository;
  Mailbox<Command> commands;
  std::vector<std::string> seen;
  SessionSetup setup;
  setup.cwd = repository.root;
  setup.home = repository.dir.path();
  setup.model = "demo";
  setup.keep = false;
  setup.git_patience = patience;
  setup.trusted = {repository.dir.path()};
  setup.env = [](const std::string&) { return std::string(); };
  Session session(std::move(setup), commands, [&](Event event) {
    const auto* meters = std::get_if<Meters>(&event);
    if (meters && !meters->branch.empty() && (seen.empty() || seen.back() != meters->branch)) {
      seen.push_back(meters->branch);
      // One after the other: the session looks when it has nothing to do.
      if (seen.size() == 1) commands.push(ShellLine{"echo two > a.txt", true});
      if (seen.size() == 2) commands.push(ShellLine{"git checkout -q -b side", true});
      if (seen.size() == 3) commands.push(Quit{});
    }
  });
  REQUIRE(session.open());
  const std::jthread watch([&](std::stop_token done) {  // a session that shows nothing new ends all the same
    std::mutex mutex;
    std::unique_lock lock(mutex);
    if (!std::condition_variable_any().wait_for(lock, done, std::chrono::minutes(1), [] { return false; }))
      commands.push(Quit{});
  });
  session.run();
  CHECK(seen == std::vector<std::string>{"main", "main*", "side*"});
}
