#include "tools/sandbox/wall_watch.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fstream>

#include "tests/support/commands.h"
#include "tools/sandbox/sandbox.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

bool kernel_has(SandboxRung rung) {
  const SandboxSupport& support = probe_sandbox();
  return rung == SandboxRung::namespaces ? support.rung == rung : support.landlock_abi > 0 && support.seccomp;
}

struct Looking {
  test::TempDir temp;
  fs::path work = temp.path() / "work", own = temp.path() / "own";
  Sandbox sandbox;

  explicit Looking(SandboxRung rung) {
    for (const fs::path& directory : {work / "src", work / ".git", own}) fs::create_directories(directory);
    std::ofstream(work / "src/a") << "a\n";
    std::ofstream(work / "src/key.pem") << "key\n";
    SandboxSupport support;
    support.rung = rung;
    support.process_namespace = rung == SandboxRung::namespaces && probe_sandbox().process_namespace;
    sandbox = look_only(sandbox_for({work}, own, {}, support));
    sandbox.hide_secrets = true;
    refresh(sandbox);
  }
  test::CommandRan run(const std::string& command) const {
    ProcessSpec spec = test::shell_spec(command, work);
    spec.sandbox = sandbox;
    spec.env = child_env(current_env(), {}, sandbox.temp);
    fit_environment(spec.env, sandbox);
    return test::run_spec(spec);
  }
  // What the command ran into, one word a wall: paths below the workspace, addresses, "name" for a name it
  // looked up.
  std::string walls(const std::string& command) const {
    std::string text;
    for (const WallHit& hit : run(command).end.walls) {
      const std::string target = hit.kind == WallHit::Kind::write
                                     ? fs::path(hit.target).lexically_relative(work).string()
                                     : hit.target;
      text += (text.empty() ? "" : " ") + (target.empty() ? "name" : target);
    }
    return text;
  }
};

}  // namespace

TEST_CASE("what a looking command wanted to change is told by path, and nothing changes") {
  const SandboxRung rung = GENERATE(SandboxRung::namespaces, SandboxRung::landlock);
  if (!kernel_has(rung)) SKIP("not on this kernel");
  const Looking looking(rung);
  CHECK(looking.walls("echo x > src/new") == "src/new");
  CHECK(looking.walls("cd src && echo x >> a; true") == "src/a");
  CHECK(looking.walls("mkdir -p build/deep") == "build");
  CHECK(looking.walls("rm src/a") == "src/a");
  CHECK(looking.walls("mv src/a src/b") == "src/a");
  CHECK(looking.walls("ln -s a src/l") == "src/l");
  CHECK(looking.walls("truncate -s 0 src/a") == "src/a");
  CHECK(looking.walls("python3 -c 'open(\"../other\", \"w\")'") == "../other");
  CHECK(looking.walls("echo x > src/one; echo x > src/two; echo x > src/one") == "src/one src/two");
  CHECK_FALSE(fs::exists(looking.work / "src/new"));
  CHECK_FALSE(fs::exists(looking.temp.path() / "other"));
  CHECK(fs::file_size(looking.work / "src/a") == 2);
}

TEST_CASE("what only looks runs into no wall") {
  const SandboxRung rung = GENERATE(SandboxRung::namespaces, SandboxRung::landlock);
  if (!kernel_has(rung)) SKIP("not on this kernel");
  const Looking looking(rung);
  for (const char* command :
       {"cat src/a | sort > /dev/null", "t=$(mktemp) && echo x > $t && cat $t", "mkdir -p src",
        "rm -f src/nothing", "echo x > missing/file", "python3 -c 'import json; print(1)'",
        "echo x | tee /dev/stderr", "cat <<E\nx\nE", "sort <(echo b; echo a)", "(exit 3)"}) {
    INFO(command);
    CHECK(looking.walls(command).empty());
  }
  CHECK(looking.run("cat src/key.pem").text.find("key\n") == std::string::npos);
  CHECK(looking.run("cat src/a").text == "a\n");
  CHECK(looking.run("exit 7").end.status == 7);
}

TEST_CASE("where a looking command wanted to connect is told, its own loopback is not") {
  const SandboxRung rung = GENERATE(SandboxRung::namespaces, SandboxRung::landlock);
  if (!kernel_has(rung)) SKIP("not on this kernel");
  const Looking looking(rung);
  const bool own =
      rung == SandboxRung::namespaces;  // with Landlock alone there is no network at all, not even its own
  CHECK(looking.walls("timeout 2 bash -c '</dev/tcp/192.0.2.1/80'") == (own ? "192.0.2.1:80" : "name"));
  CHECK(looking.walls("python3 -c 'import socket; s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); "
                      "s.sendto(b\"x\",(\"192.0.2.1\",9))'") == (own ? "192.0.2.1:9" : "name"));
  if (own)
    CHECK(looking
              .walls("python3 -c 'import socket; s=socket.socket(); s.bind((\"127.0.0.1\",0)); s.listen(); "
                     "socket.create_connection(s.getsockname())'")
              .empty());
}

TEST_CASE("a server that runs outside is behind the wall, one of its own is not") {
  if (!kernel_has(SandboxRung::namespaces)) SKIP("not on this kernel");
  const Looking looking(SandboxRung::namespaces);
  CHECK(looking.walls("bash -c '</dev/tcp/127.0.0.1/5432'") == "localhost:5432");
  CHECK(looking.walls("bash -c '</dev/tcp/::1/5432'") == "localhost:5432");
}

TEST_CASE("a command that writes where it may is told of no wall") {
  if (!kernel_has(SandboxRung::namespaces)) SKIP("not on this kernel");
  Looking looking(SandboxRung::namespaces);
  looking.sandbox = sandbox_for({looking.work}, looking.own, {}, probe_sandbox());
  looking.sandbox.notices = Notices::connections;
  CHECK(looking.walls("echo x > src/new && cat src/new; timeout 2 bash -c '</dev/tcp/192.0.2.1/80'") ==
        "192.0.2.1:80");
  CHECK(fs::exists(looking.work / "src/new"));
}
