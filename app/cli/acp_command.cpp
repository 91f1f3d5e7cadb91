// `tern acp`: the program around the protocol.
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "app/acp/acp.h"
#include "app/cli/start.h"
#include "app/cli/subcommands.h"
#include "app/session/console.h"
#include "tools/sandbox/sandbox.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

// The editor ends it by the end of input or by a signal: both settle the sessions.
int stop_signals() {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t set;
  ::sigemptyset(&set);
  for (const int one : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, one);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// The configuration is read anew for each session: a key may have been added since.
std::string setup_in(Options options, const fs::path& cwd, SessionSetup& setup) {
  options.cwd = cwd.string();
  const auto env = environment();
  const auto file = user_config_file(env);
  if (auto unreadable = unreadable_config(file); !unreadable.empty()) return unreadable;
  return make_setup(options, load_config({file, env, config_flags(options), {}}), setup);
}

}  // namespace

int run_acp(const Options& options, const Config& config) {
  if (!options.arguments.empty()) {
    auto login = options;
    login.arguments.erase(login.arguments.begin());
    if (options.arguments.front() == "login") return run_login(login, config);
    print(stderr,
          "tern: there is no \"tern acp " + options.arguments.front() + "\": tern acp, or tern acp login\n");
    return 2;
  }
  start_sandbox_probe();  // before there is a second thread
  AcpWorld world;
  world.in = STDIN_FILENO;
  world.out = STDOUT_FILENO;
  world.stop = stop_signals();
  world.version = TERN_VERSION;
  std::error_code ignored;
  world.cwd = options.cwd.empty() ? fs::current_path(ignored) : fs::path(options.cwd);
  world.state_dir = options.state_dir;
  world.make_setup = [options](const fs::path& cwd, SessionSetup& setup) {
    return setup_in(options, cwd, setup);
  };
  return serve_acp(world);
}

}  // namespace tern
