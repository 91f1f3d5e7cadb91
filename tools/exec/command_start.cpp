#include "tools/exec/command_start.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tools/exec/command_limits.h"
#include "tools/exec/pipe_wire.h"
#include "tools/exec/process_tree.h"
#include "tools/sandbox/fork_alone.h"
#include "tools/sandbox/sandbox.h"

namespace tern {
namespace {

void limit_resources(const CommandRequest& request) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  rlimit files{};
  if (request.open_files > 0 && ::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = std::min(static_cast<rlim_t>(request.open_files), files.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  // The kernel counts all of the user's processes, so those that run already are added; it does not hold for
  // root.
  rlimit processes{};
  const auto most = static_cast<rlim_t>(tasks_in_system() + request.max_processes);
  if (::getrlimit(RLIMIT_NPROC, &processes) != 0 || processes.rlim_cur <= most) return;
  processes.rlim_cur = most;
  ::setrlimit(RLIMIT_NPROC, &processes);
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  for (const std::string& s : strings) list.push_back(const_cast<char*>(s.c_str()));
  list.push_back(nullptr);
  return list;
}

std::string path_of(const std::vector<std::string>& env) {
  for (const std::string& entry : env)
    if (entry.rfind("PATH=", 0) == 0) return entry.substr(5);
  return "/usr/local/bin:/usr/bin:/bin";
}

void execute(const CommandRequest& request) {
  std::vector<char*> argv = pointers(request.argv), env = pointers(request.env);
  const std::string& name = request.argv.front();
  if (name.find('/') != std::string::npos) {
    ::execve(name.c_str(), argv.data(), env.data());
    return;
  }
  int reason = ENOENT;
  const std::string path = path_of(request.env);
  for (std::size_t begin = 0; begin <= path.size();) {
    std::size_t end = path.find(':', begin);
    if (end == std::string::npos) end = path.size();
    const std::string candidate = path.substr(begin, end - begin) + "/" + name;
    ::execve(candidate.c_str(), argv.data(), env.data());
    if (errno != ENOENT && errno != ENOTDIR) reason = errno;
    begin = end + 1;
  }
  errno = reason;
}

[[noreturn]] void refuse(int errors, const std::string& why) {
  write_all(errors, why);
  ::_exit(126);
}

[[noreturn]] void become(const CommandRequest& request, const KeptNamespaces& kept, int errors,
                         int cwd_report, int notices) {
  ::setsid();  // a session apart from ours also gets a share of the processor apart from ours
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t nothing;
  sigemptyset(&nothing);
  ::sigprocmask(SIG_SETMASK, &nothing, nullptr);
  const int input = request.two_way ? input_descriptor : ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int error_stream = request.two_way ? errors_descriptor : 1;
  if (input < 0 || ::dup2(input, 0) < 0 || ::dup2(error_stream, 2) < 0)
    refuse(errors, failure("cannot set up the streams"));
  if (cwd_report >= 0) ::dup2(cwd_report, cwd_descriptor);
  limit_resources(request);
  if (::chdir(request.cwd.c_str()) != 0)
    refuse(errors, failure("cannot enter the working directory " + request.cwd));
  if (request.sandbox.on) {
    const std::string why = apply_sandbox(request.sandbox, kept, notices);
    if (!why.empty()) refuse(errors, "the sandbox could not be applied, so the command was not run: " + why);
  }
  execute(request);
  refuse(errors, failure("cannot run " + request.argv.front()));
}

}  // namespace

std::string failure(std::string_view what) { return std::string(what) + ": " + std::strerror(errno); }

// vfork spares the copy of our page tables; the sandbox needs a process whose memory is its own.
[[gnu::noinline]] pid_t start_command(const CommandRequest& request, const KeptNamespaces& kept, int errors,
                                      int cwd_report, int notices) {
  const pid_t pid = request.sandbox.on ? fork_alone() : ::vfork();
  if (pid == 0) become(request, kept, errors, cwd_report, notices);
  return pid;
}

}  // namespace tern
