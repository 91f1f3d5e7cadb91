#include "agent/store/project_dir.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/support/temp_dir.h"
#include "tools/files/git_index.h"

using namespace tern;
namespace fs = std::filesystem;
using State = ProjectDir::State;

namespace {

// A home of its own, so that no test touches the person's state directory.
struct Home {
  test::TempDir temp;
  const fs::path &path = temp.path(), project = path / "project";
  std::string old;
  Home() {
    fs::create_directory(project);
    if (const char* state = std::getenv("XDG_STATE_HOME")) old = state;
    ::setenv("XDG_STATE_HOME", (path / "state").c_str(), 1);
  }
  ~Home() { old.empty() ? ::unsetenv("XDG_STATE_HOME") : ::setenv("XDG_STATE_HOME", old.c_str(), 1); }
  fs::path dir() const { return project / ".compression"; }
  ProjectDir open() const { return open_project_dir({.root = project, .state_dir = {}}); }
};

unsigned mode_of(const fs::path& file) {
  struct stat info {};
  return ::lstat(file.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

void run(const std::string& command) { REQUIRE(std::system((command + " >/dev/null 2>&1").c_str()) == 0); }

// Used elsewhere, said, and nothing of it touched.
void check_not_used(const Home& home, State state) {
  const ProjectDir dir = home.open();
  CHECK(dir.state == state);
  CHECK_FALSE(dir.why.empty());
  CHECK(dir.folder != home.dir());
  CHECK(dir.folder.string().starts_with((home.path / "state").string()));
  CHECK_FALSE(dir.usable_config());
}

}  // namespace

TEST_CASE("project dir: made private and ignored by git, found again as ours") {
  Home home;
  const mode_t old = ::umask(0);
  const ProjectDir made = home.open();
  ::umask(old);
  CHECK(made.state == State::ours);
  CHECK(made.why.empty());
  CHECK(mode_of(made.folder) == 0700);
  CHECK(mode_of(made.folder / ".gitignore") == 0600);
  CHECK(mode_of(made.folder / "owner") == 0600);
  CHECK(home.open().state == State::ours);
}

TEST_CASE("project dir: a link, a file, a FIFO are refused and nothing is written through them") {
  Home home;
  fs::create_directory(home.path / "elsewhere");
  fs::create_directory_symlink(home.path / "elsewhere", home.dir());
  check_not_used(home, State::refused);
  CHECK(fs::is_empty(home.path / "elsewhere"));
  fs::remove(home.dir());
  std::ofstream(home.dir()) << "x";
  check_not_used(home, State::refused);
  fs::remove(home.dir());
  REQUIRE(::mkfifo(home.dir().c_str(), 0600) == 0);
  check_not_used(home, State::refused);
}

TEST_CASE("project dir: others may write in it: refused") {
  Home home;
  fs::create_directory(home.dir());
  ::chmod(home.dir().c_str(), 0777);
  check_not_used(home, State::refused);
}

TEST_CASE("project dir: one that came from elsewhere is foreign until adopted") {
  Home home;
  fs::create_directory(home.dir());
  ::chmod(home.dir().c_str(), 0700);
  check_not_used(home, State::foreign);
  std::ofstream(home.dir() / "owner") << "0123456789abcdef0123456789abcdef";
  check_not_used(home, State::foreign);
  std::ofstream(home.dir() / "owner") << "../../../../etc/passwd";
  check_not_used(home, State::foreign);
  CHECK(adopt_project_dir({.root = home.project, .state_dir = {}}).state == State::ours);
  CHECK(home.open().state == State::ours);
}

TEST_CASE("project dir: tracked by git is refused, in every index version") {
  for (const char* version : {"2", "3", "4"}) {
    Home home;
    const std::string git = "git -C " + home.project.string() + " -c core.fsmonitor=false ";
    run(git + "init -q");
    fs::create_directory(home.dir());
    for (const char* name : {".ci", "zz"}) std::ofstream(home.project / name) << "x";
    std::ofstream(home.dir() / "tern.db") << "x";
    ::chmod(home.dir().c_str(), 0700);
    run(git + "add .ci zz");
    CHECK_FALSE(tracked_by_git(home.dir()));
    run(git + "add -f .compression/tern.db");
    run(git + "update-index --index-version " + version);
    CHECK(tracked_by_git(home.dir()));
    check_not_used(home, State::refused);
  }
}

TEST_CASE("project dir: git status stays empty in every shape of a repository") {
  const std::string git = "git -c user.name=x -c user.email=x@x -c protocol.file.allow=always -C ";
  const auto made = [&](const std::string& folder) {
    return git + folder + " commit -q --allow-empty -m first";
  };
  for (const std::string shape : {"fresh", "nested", "worktree", "submodule", "no git", "read-only"}) {
    INFO(shape);
    Home home;
    const std::string project = home.project.string(), other = (home.path / "other").string();
    if (shape == "worktree" || shape == "submodule") {
      fs::create_directory(other);
      run("git -C " + other + " init -q");
      run(made(other));
    }
    if (shape == "worktree") {
      fs::remove(home.project);
      run(git + other + " worktree add -q " + project);
    } else if (shape != "no git") {
      run("git -C " + project + " init -q");
    }
    ProjectDirOptions where{.root = home.project, .state_dir = {}};
    if (shape == "submodule") {
      run(git + project + " submodule add -q " + other + " part");
      run(git + project + " commit -q -m part");
      where.root = home.project / "part";
    }
    if (shape == "nested") {
      fs::create_directories(home.project / "deep/er");
      where.root = home.project / "deep/er";
    }
    if (shape == "read-only") fs::permissions(home.project, fs::perms::owner_read | fs::perms::owner_exec);
    CHECK(open_project_dir(where).state != State::absent);
    fs::permissions(home.project, fs::perms::owner_all);
    for (const std::string& looked : {project, where.root.string()})
      if (shape != "no git") run("test -z \"$(git -C " + looked + " status --porcelain)\"");
  }
}

TEST_CASE("project dir: --state-dir moves everything") {
  Home home;
  const ProjectDir dir = open_project_dir({.root = home.project, .state_dir = home.path / "mine/deep"});
  CHECK(dir.state == State::ours);
  CHECK(dir.folder == home.path / "mine/deep");
  CHECK_FALSE(fs::exists(home.dir()));
}

TEST_CASE("project dir: a private file is replaced as a whole, never through a link") {
  Home home;
  std::string why;
  const fs::path target = home.path / "target", link = home.path / "link";
  std::ofstream(target) << "keep";
  fs::create_symlink(target, link);
  REQUIRE(write_private_file(link, "new", why));
  CHECK(fs::file_size(target) == 4);
  CHECK_FALSE(fs::is_symlink(link));
  CHECK(mode_of(link) == 0600);
}
