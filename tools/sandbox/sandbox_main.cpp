#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tools/sandbox/child_env.h"
#include "tools/sandbox/fork_alone.h"
#include "tools/sandbox/kept_namespaces.h"
#include "tools/sandbox/sandbox.h"
#include "tools/workspace/private_dir.h"

namespace tern {

namespace {

namespace fs = std::filesystem;

constexpr char usage[] =
    "usage: tern sandbox [--net] [--rw DIR]… [--] command [argument…]\n"
    "Runs the command as in auto mode: it writes only in this directory (and each --rw), reaches no network "
    "without --net.\n"
    "tern sandbox --check shows what this machine can do.\n";

struct Options {
  bool network = false, check = false, good = true;
  std::vector<fs::path> writable{fs::current_path()};
  int command = 0;  // index into argv
};

Options read_options(int argc, char** argv) {
  Options options;
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; ++at) {
    const std::string_view option = argv[at];
    if (option == "--") {
      ++at;
      break;
    }
    if (option == "--net")
      options.network = true;
    else if (option == "--check")
      options.check = true;
    else if (option == "--rw" && at + 1 < argc)
      options.writable.push_back(fs::weakly_canonical(argv[++at]));
    else
      options.good = false;
  }
  options.command = at;
  options.good = options.good && (options.check || at < argc);
  return options;
}

int say_support(const SandboxSupport& support) {
  const char* rungs[] = {"none", "Landlock and seccomp", "namespaces, Landlock and seccomp"};
  std::printf("sandbox: %s (Landlock ABI %d)\n", rungs[static_cast<int>(support.rung)], support.landlock_abi);
  if (!support.why.empty()) std::printf("%s\n", support.why.c_str());
  return support.rung == SandboxRung::none ? 1 : 0;
}

[[noreturn]] void run_inside(const Sandbox& sandbox, char** command) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const std::string why = apply_sandbox(sandbox, {});
  if (!why.empty()) {
    std::fprintf(stderr, "tern sandbox: not run, the sandbox could not be applied: %s\n", why.c_str());
    ::_exit(126);
  }
  std::vector<std::string> env = current_env();
  fit_environment(env, sandbox);
  env.push_back("TMPDIR=" + sandbox.temp.string());
  for (std::string& entry : env) ::putenv(entry.data());
  ::execvp(command[0], command);
  std::fprintf(stderr, "tern sandbox: %s: %s\n", command[0], std::strerror(errno));
  ::_exit(errno == ENOENT ? 127 : 126);
}

}  // namespace

int sandbox_main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  if (!options.good) return std::fputs(usage, stderr), 2;
  const SandboxSupport& support = probe_sandbox();
  if (options.check) return say_support(support);
  if (support.rung == SandboxRung::none)
    return std::fprintf(stderr, "tern sandbox: not run, %s\n", support.why.c_str()), 126;
  const PrivateDir temp = PrivateDir::make();
  if (temp.path().empty())
    return std::fprintf(stderr, "tern sandbox: no private folder in %s: %s\n",
                        fs::temp_directory_path().c_str(), std::strerror(errno)),
           126;
  Sandbox sandbox = sandbox_for(options.writable, temp.path(), {}, support);
  sandbox.network = options.network;
  StandIns stand_ins(sandbox);
  for (int s : {SIGINT, SIGQUIT}) ::signal(s, SIG_IGN);  // they are for the command
  const pid_t child = fork_alone();
  if (child == 0) {
    for (int s : {SIGINT, SIGQUIT}) ::signal(s, SIG_DFL);
    run_inside(sandbox, argv + options.command);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  const std::string moved = stand_ins.remove();
  if (!moved.empty()) return std::fprintf(stderr, "tern sandbox: %s\n", moved.c_str()), 1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace tern
