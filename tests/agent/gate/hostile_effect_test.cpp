// The hostile corpora judged by what they do: whatever runs unasked runs for real in its sandbox here, beside
// files that must not change, keys that must not be read and a server that nobody must reach. Many lines
// share a sandbox, so that all of them run in a few seconds; where something happened, halves of them run
// again until the line is found.
#include <arpa/inet.h>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "agent/gate/permission.h"
#include "agent/gate/reach.h"
#include "tests/support/commands.h"
#include "tests/support/sanitized.h"
#include "tools/sandbox/sandbox.h"
#include "tools/workspace/workspace.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

constexpr const char* canary = "canary-4711";
constexpr std::size_t batch = 64;

// Each line is a file below $1; what it says goes where the test reads it. Neither time nor size is without
// end.
constexpr const char* run_all =
    "ulimit -f 1024; "
    "ls \"$1\" | xargs -P 8 -I % sh -c 'timeout -k 1 2 bash \"$1/%\" </dev/null >\"$TMPDIR/%.out\" 2>&1' - "
    "\"$1\"";

// Nobody may reach it.
class WatchedPort {
 public:
  WatchedPort() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool good = ::bind(socket_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                      ::listen(socket_, 64) == 0 &&
                      ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    REQUIRE(good);
    port_ = ntohs(address.sin_port);
  }
  WatchedPort(const WatchedPort&) = delete;
  WatchedPort& operator=(const WatchedPort&) = delete;
  ~WatchedPort() { ::close(socket_); }
  int port() const { return port_; }
  bool reached() const {
    pollfd waiting{socket_, POLLIN, 0};
    return ::poll(&waiting, 1, 0) > 0;
  }

 private:
  int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port_ = 0;
};

struct Prey {
  test::TempDir temp;
  fs::path root = temp.path() / "project", home = temp.path() / "home", own = temp.path() / "own",
           lines = temp.path() / "lines";
  Prey() {
    for (const char* directory : {"project/src", "project/tests", "project/build", "project/.git/hooks",
                                  "home/.ssh", "outside", "own", "lines"})
      fs::create_directories(temp.path() / directory);
    for (const char* file :
         {"project/README.md", "project/src/main.cpp", "project/src/a.cpp", "home/.bashrc", "outside/x"})
      std::ofstream(temp.path() / file) << "text\n";
    for (const char* file : {"project/.env", "home/.ssh/id_rsa"})
      std::ofstream(temp.path() / file) << canary << "\n";
    std::ofstream(root / ".git/config") << "[core]\n\trepositoryformatversion = 0\n";
    std::ofstream(root / ".git/HEAD") << "ref: refs/heads/main\n";
    for (const char* directory : {"refs/heads", "objects"}) fs::create_directories(root / ".git" / directory);
    ::setenv("HOME", home.c_str(), 1);
  }

  // Everything that no command may change: names and contents. Git's own work changes more of .git than its
  // settings.
  std::map<std::string, std::string> kept(bool repository) const {
    std::map<std::string, std::string> all;
    for (const char* folder : {"home", "outside", "lines", "project/.git"})
      for (const auto& entry : fs::recursive_directory_iterator(temp.path() / folder)) {
        const std::string name = entry.path().lexically_relative(temp.path()).string();
        if (repository && name.starts_with("project/.git/") && !name.starts_with("project/.git/hooks") &&
            !name.starts_with("project/.git/config") && !name.starts_with("project/.git/info"))
          continue;
        std::stringstream text;
        if (entry.is_regular_file()) text << std::ifstream(entry.path()).rdbuf();
        all[name] = text.str();
      }
    return all;
  }
};

Lines hostile_lines() {
  const std::pair<const char*, std::string> marks[] = {{"<LF>", "\n"}, {"<CR>", "\r"}, {"<TAB>", "\t"}};
  Lines lines;
  for (const char* name : {"hostile_commands.txt", "hostile_options.txt"}) {
    std::ifstream in(std::string(places::source_tree()) + "/tests/agent/gate/" + name);
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line.starts_with("# ")) continue;
      for (const auto& [mark, character] : marks)
        for (std::size_t at; (at = line.find(mark)) != std::string::npos;)
          line.replace(at, std::string_view(mark).size(), character);
      lines.push_back(line);
    }
  }
  return lines;
}

// The hosts of the corpora become the one that would answer.
std::string aimed(std::string line, int port) {
  const std::string number = std::to_string(port), url = "://127.0.0.1:" + number,
                    file = "/dev/tcp/127.0.0.1/" + number;
  const auto replace = [&](std::string_view host, const std::string& by) {
    for (std::size_t at; (at = line.find(host)) != std::string::npos;) line.replace(at, host.size(), by);
  };
  for (const char* host : {"://evil.example", "://evil", "://localhost", "://x"}) replace(host, url);
  for (const char* host : {"/dev/tcp/evil/1", "/dev/tcp/x/1", "/dev/tcp/x/80"}) replace(host, file);
  return line;
}

bool holds_canary(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry :
       fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error)) {
    if (!entry.is_regular_file(error) || entry.file_size(error) > 1 << 20 ||
        entry.path().filename() == ".env")
      continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    if (text.str().find(canary) != std::string::npos) return true;
  }
  return false;
}

// What running these lines did that it may not; empty: nothing.
std::string harm(const Lines& lines, Reach reach) {
  const Prey prey;
  const WatchedPort watched;
  for (std::size_t i = 0; i < lines.size(); ++i)
    std::ofstream(prey.lines / std::to_string(i)) << aimed(lines[i], watched.port()) << "\n";
  Sandbox sandbox = sandbox_within(sandbox_for({prey.root}, prey.own, {}, probe_sandbox()), reach);
  ProcessSpec spec = test::shell_spec({}, prey.root);
  spec.argv = {"/bin/bash", "-c", run_all, "-", prey.lines.string()};
  spec.sandbox = sandbox;
  refresh(spec.sandbox);
  spec.env = child_env(current_env(), {}, spec.sandbox.temp);
  fit_environment(spec.env, spec.sandbox);
  const bool repository = reach == Reach::repository;
  const auto before = prey.kept(repository);
  const auto ran = test::run_spec(spec, std::chrono::minutes(3));
  if (!ran.error.empty()) return "does not end: " + ran.error;
  if (prey.kept(repository) != before) return "changes what is kept";
  if (watched.reached()) return "connects";
  if (holds_canary(spec.sandbox.temp) || holds_canary(prey.root)) return "shows a key";
  return {};
}

void find_harmful(const Lines& lines, Reach reach, std::set<std::string>& harmful) {
  const std::string what = harm(lines, reach);
  if (what.empty()) return;
  if (lines.size() == 1) return void(harmful.insert(what + ": " + lines.front()));
  const auto middle = lines.begin() + static_cast<std::ptrdiff_t>(lines.size() / 2);
  const std::size_t before = harmful.size();
  find_harmful({lines.begin(), middle}, reach, harmful);
  find_harmful({middle, lines.end()}, reach, harmful);
  if (harmful.size() == before)
    harmful.insert(what + ", only together: " + lines.front() + " … " + lines.back());
}

}  // namespace

TEST_CASE("what the judge of effects looks for, it finds") {
  CHECK(harm({"echo x > ../outside/x", "true"}, Reach::own_rights) == "changes what is kept");
  CHECK(harm({"true", "cat .env"}, Reach::own_rights) == "shows a key");
  CHECK(harm({"cp ~/.ssh/id_rsa src/copy"}, Reach::own_rights) == "shows a key");
  CHECK(harm({"exec 3<>/dev/tcp/x/1"}, Reach::own_rights) == "connects");
  CHECK(harm({"cat README.md > src/new"}, Reach::own_rights).empty());
}

TEST_CASE("no hostile command that runs unasked changes what is kept, shows a key or connects") {
  if (probe_sandbox().rung == SandboxRung::none) SKIP("no sandbox here");
  const Lines lines = hostile_lines();
  // A quarter of them for every day; TERN_ALL_HOSTILE=1 takes all.
  const std::size_t stride = std::getenv("TERN_ALL_HOSTILE") != nullptr ? 1 : 4 * test::stride;
  std::map<Reach, std::set<std::string>> unasked;
  std::set<std::string> harmful;
  {
    const Prey prey;
    const Workspace workspace(prey.root);
    PermissionPolicy policy;
    policy.sandbox_ready = policy.repository_ready = true;
    policy.find_program = [](std::string_view name) { return fs::path("/usr/bin") / std::string(name); };
    for (const PermissionMode mode : {PermissionMode::ask, PermissionMode::plan, PermissionMode::accept_edits,
                                      PermissionMode::automatic}) {
      policy.mode = mode;
      for (std::size_t i = 0; i < lines.size(); i += stride) {
        const Decision decision = decide_command(policy, lines[i], workspace);
        const auto* allow = std::get_if<Allow>(&decision);
        if (allow == nullptr) continue;
        if (allow->reach == Reach::own_rights) harmful.insert("unwalled: " + lines[i]);
        unasked[allow->reach].insert(lines[i]);
      }
    }
  }
  const Sandbox best = sandbox_for({fs::temp_directory_path()}, {}, {}, probe_sandbox());
  for (const auto& [reach, set] : unasked) {
    if (reach == Reach::own_rights || (reach == Reach::repository && best.rung != SandboxRung::namespaces))
      continue;
    const Lines all(set.begin(), set.end());
    UNSCOPED_INFO(all.size() << " run with reach " << static_cast<int>(reach));
    for (std::size_t i = 0; i < all.size(); i += batch)
      find_harmful({all.begin() + static_cast<std::ptrdiff_t>(i),
                    all.begin() + static_cast<std::ptrdiff_t>(std::min(i + batch, all.size()))},
                   reach, harmful);
  }
  for (const std::string& line : harmful) UNSCOPED_INFO(line);
  CHECK(harmful.empty());
  CHECK(unasked[Reach::try_looking].size() > 200 / stride);
  CHECK(unasked[Reach::workspace].size() > 200 / stride);
}
