#include "tests/support/hostile_clone.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>

#include "tests/support/exec_words.h"
#include "tests/support/places.h"
#include "tests/support/pty.h"
#include "tests/support/sanitized.h"

namespace tern::test::hostile {
namespace {

Words below(const fs::path& folder, const Words& paths) {
  Words found;
  std::copy_if(paths.begin(), paths.end(), std::back_inserter(found),
               [&](const std::string& path) { return path.rfind(folder.string() + "/", 0) == 0; });
  return found;
}

std::vector<std::pair<std::string, std::string>> environment_of(const Clone& world, const std::string& url) {
  return {{"HOME", world.home.string()},
          {"TERM", "xterm-256color"},
          {"LANG", "C.UTF-8"},
          {"ANTHROPIC_API_KEY", "key-of-the-test"},
          {"ANTHROPIC_BASE_URL", url}};
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Clone::Clone() {
  for (const fs::path& made : {home, folder, elsewhere}) fs::create_directories(made);
}

fs::path Clone::put(const std::string& name, const std::string& text, bool runs) const {
  const fs::path file = folder / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  if (runs) fs::permissions(file, fs::perms::owner_all);
  return file;
}

std::string Clone::spring() const { return "echo CANARY > " + trap.string(); }

void Clone::put_program(const std::string& name) const { put(name, "#!/bin/sh\n" + spring() + "\n", true); }

void Clone::repository(const std::string& config) const {
  fs::create_directories(folder / ".git/objects");
  fs::create_directories(folder / ".git/refs/heads");
  put(".git/HEAD", "ref: refs/heads/main\n");
  put(".git/config", "[core]\n\trepositoryformatversion = 0\n" + config);
}

void Clone::owner_token() const { put(".compression/owner", "0123456789abcdef0123456789abcdef"); }

std::map<std::string, std::string> picture_of(const fs::path& folder) {
  std::map<std::string, std::string> entries;
  for (auto it = fs::recursive_directory_iterator(folder); it != fs::recursive_directory_iterator(); ++it) {
    struct stat info {};
    ::lstat(it->path().c_str(), &info);
    entries[it->path().lexically_relative(folder).string()] =
        std::to_string(info.st_mode) + " " + std::to_string(info.st_size) + " " +
        std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec);
  }
  return entries;
}

Words without(Words list, const std::string& allowed) {
  list.erase(std::remove(list.begin(), list.end(), allowed), list.end());
  return list;
}

Ran run_watched(const Clone& world, const std::string& url, const Words& arguments) {
  const fs::path said = world.base / "said";
  Ran ran;
  Words words{places::program()}, variables{"PATH=" + std::string(::getenv("PATH"))};
  words.insert(words.end(), arguments.begin(), arguments.end());
  for (const auto& [name, value] : environment_of(world, url)) variables.push_back(name + "=" + value);
  const ExecWords program(std::move(words), std::move(variables));
  {
    Observer observer;
    const pid_t child = ::fork();
    if (child == 0) {
      put_stream("/dev/null", O_RDONLY, 0);
      put_stream(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 1);
      ::dup2(1, 2);
      if (::chdir(world.folder.c_str()) != 0) ::_exit(126);
      if (observer.watch_me()) program.become(20);
      ::_exit(125);
    }
    observer.begin();
    ran.watched = observer.works();
    int status = 0;
    ::waitpid(child, &status, 0);
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    observer.finish();
    ran.seen = observer.seen();
  }
  ran.said = text_of(said);
  return ran;
}

void check_nothing_started(const Clone& world, const std::vector<tern::test::Seen>& seen) {
  CHECK_FALSE(fs::exists(world.trap));
  CHECK(without(without(of_kind(seen, "programs"), places::program()), "/proc/self/exe") ==
        nothing);  // itself and its supervisor
}

void check_before_trust(const Hostile& folder, const FakeLlm& server) {
  INFO(folder.name);
  const Clone world;
  folder.build(world);
  const auto before = picture_of(world.folder), beside = picture_of(world.elsewhere);
  Observer observer;
  Pty pty(
      {places::program()},
      {.cwd = world.folder.string(), .environment = environment_of(world, server.url()), .before_exec = [&] {
         if (!observer.watch_me()) ::_exit(125);
       }});
  observer.begin();
  if (!observer.works()) SKIP("this kernel has no seccomp notifications");
  REQUIRE(pty.until_text("Do you trust this folder?"));
  REQUIRE(pty.until_text("enter choose"));
  pty.send("2");
  REQUIRE(pty.until_exit() == 0);
  const auto seen = observer.seen();
  check_nothing_started(world, seen);
  CHECK(of_kind(seen, "connections") == nothing);
  CHECK(below(world.folder, of_kind(seen, "reads")) == nothing);
  CHECK(below(world.folder, of_kind(seen, "changes")) == nothing);
  CHECK(picture_of(world.folder) == before);
  CHECK(picture_of(world.elsewhere) == beside);
  CHECK(server.requests().empty());
}

void check_unasked(const Hostile& folder) {
  INFO(folder.name);
  const Clone world;
  folder.build(world);
  const auto before = picture_of(world.folder), beside = picture_of(world.elsewhere);
  const FakeLlm server(R"({"replies": [{"text": "Hello from the model."}]})");
  const Ran ran = run_watched(world, server.url(), {"-p", "hello"});
  if (!ran.watched) SKIP("this kernel has no seccomp notifications");
  INFO(ran.said);
  CHECK(ran.status == 0);
  CHECK(ran.said.find("Hello from the model.") != std::string::npos);
  CHECK(ran.said.find('\x1b') == std::string::npos);
  check_nothing_started(world, ran.seen);
  CHECK(without(of_kind(ran.seen, "connections"), server.url().substr(std::string("http://").size())) ==
        nothing);
  REQUIRE(server.requests().size() == 1);
  CHECK(server.requests().front().body.find("CANARY") == std::string::npos);
  CHECK(server.requests().front().header("x-api-key") == "key-of-the-test");
  // Its own new folder is all that may appear, and only where nothing had that name.
  auto after = picture_of(world.folder);
  if (!before.count(".compression"))
    std::erase_if(after, [](const auto& entry) { return entry.first.rfind(".compression", 0) == 0; });
  CHECK(after == before);
  CHECK(picture_of(world.elsewhere) == beside);
}

namespace {

constexpr const char* approval = "This folder brings";

Pty started_in(const Clone& world, const std::string& url, std::function<void()> before_exec = {}) {
  return Pty({places::program()}, {.cwd = world.folder.string(),
                                   .environment = environment_of(world, url),
                                   .deadline_seconds = 20 * slower,
                                   .before_exec = std::move(before_exec)});
}

// Every file says something else than before, and means the same.
void change_files(const Clone& world) {
  for (const auto& entry : fs::recursive_directory_iterator(world.folder)) {
    const bool own = entry.path().string().find("/.compression") != std::string::npos;
    if (own || entry.is_symlink() || !entry.is_regular_file()) continue;
    auto text = text_of(entry.path());
    for (const auto& [was, is] : {std::pair{"CANARY", "CANARIES"}, {"127.0.0.1:9/", "127.0.0.1:9/x"}})
      for (auto at = text.find(was); at != text.npos; at = text.find(was, at + std::string(is).size()))
        text.replace(at, std::string(was).size(), is);
    std::ofstream(entry.path(), std::ios::binary) << text;
  }
}

void answers_hello(Pty& pty) {
  pty.send("hello\r");
  CHECK(pty.until_text("Hello from the model."));
  pty.send("\x04");
  CHECK(pty.until_exit() == 0);
}

}  // namespace

void check_after_trust(const Hostile& folder) {
  INFO(folder.name);
  const Clone world;
  folder.build(world);
  const FakeLlm server(R"({"default": {"text": "Hello from the model."}})");
  const auto before = picture_of(world.elsewhere);
  Observer observer;
  {
    auto pty = started_in(world, server.url(), [&] {
      if (!observer.watch_me()) ::_exit(125);
    });
    observer.begin();
    if (!observer.works()) SKIP("this kernel has no seccomp notifications");
    REQUIRE(pty.until_text("Do you trust this folder?"));
    REQUIRE(pty.until_text("enter choose"));
    pty.send("1");
    REQUIRE(pty.until_text(approval));
    REQUIRE(pty.until_text("enter choose"));
    pty.send("3");
    REQUIRE(pty.until_gone(approval));
    answers_hello(pty);
  }
  const auto seen = observer.seen();
  check_nothing_started(world, seen);
  CHECK(without(of_kind(seen, "connections"), server.url().substr(std::string("http://").size())) == nothing);
  CHECK(picture_of(world.elsewhere) == before);
  {
    auto pty = started_in(world, server.url());
    REQUIRE(pty.until_text("anthropic"));
    answers_hello(pty);
    CHECK(pty.raw().find(approval) == std::string::npos);
  }
  for (const auto& request : server.requests()) CHECK(request.body.find("CANARY") == std::string::npos);
  change_files(world);
  auto pty = started_in(world, server.url());
  CHECK(pty.until_text(approval));
  CHECK_FALSE(fs::exists(world.trap));
}

}  // namespace tern::test::hostile
