#include "tools/sandbox/sandbox.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "tools/sandbox/fork_alone.h"
#include "tools/sandbox/protected_watch.h"
#include "tools/sandbox/sandbox_parts.h"
#include "tools/sandbox/wall_watch.h"
#include "tools/workspace/protected_names.h"
#include "tools/workspace/workspace.h"

namespace tern {

namespace {

namespace fs = std::filesystem;

// Directories searched for protected names when the sandbox is made ready: some 20 ms.
constexpr std::size_t kSearched = 3000;

// True when `steps` succeeds in a child of its own, which then ends.
template <typename Steps>
bool holds_in_child(Steps steps) {
  const pid_t child = fork_alone();
  if (child == 0) ::_exit(steps().empty() ? 0 : 1);
  int status = 1;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The best rung that holds when it is tried, and whether with processes of its own: what the child says by
// its exit status.
struct Answer {
  SandboxRung rung = SandboxRung::none;
  bool own_processes = false;

  int status() const { return static_cast<int>(rung) * 2 + own_processes; }
  static Answer of(int status) { return {static_cast<SandboxRung>(status / 2), status % 2 != 0}; }
};

Answer try_rungs() {
  for (const Answer trial : {Answer{SandboxRung::namespaces, true}, Answer{SandboxRung::namespaces},
                             Answer{SandboxRung::landlock}}) {
    Sandbox sandbox;
    sandbox.on = true;
    sandbox.rung = trial.rung;
    sandbox.own_processes = trial.own_processes;
    if (trial.rung == SandboxRung::landlock && walls::landlock_abi() <= 0) break;
    if (holds_in_child([&] { return apply_sandbox(sandbox, {}); })) return trial;
  }
  return {};
}

// In a child: of one thread when it was started early, whatever runs here by now.
pid_t start_trials() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(try_rungs().status());
  return child;
}

pid_t early_trials = -1;  // written before there is a second thread

Answer ask_kernel() {
  const pid_t child = early_trials > 0 ? early_trials : start_trials();
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return child > 0 && WIFEXITED(status) ? Answer::of(WEXITSTATUS(status)) : Answer{};
}

SandboxSupport support_here() {
  SandboxSupport support;
  support.landlock_abi = walls::landlock_abi();
  support.seccomp = walls::seccomp_available();
  if (support.seccomp) {
    const Answer answer = ask_kernel();
    support.rung = answer.rung;
    support.process_namespace = answer.own_processes;
    support.network_namespace = answer.rung == SandboxRung::namespaces;
  }
  if (support.rung == SandboxRung::namespaces) return support;
  support.why =
      "user namespaces are not allowed here (sysctl user.max_user_namespaces, "
      "kernel.apparmor_restrict_unprivileged_userns, "
      "container policy)";
  if (support.rung == SandboxRung::landlock) {
    support.why +=
        "; without them commands may change modes and times of files outside, and have no terminals";
    if (support.landlock_abi < 6)
      support.why += "; before Linux 6.12 they may also signal your other processes";
    return support;
  }
  support.why += support.landlock_abi > 0
                     ? "; seccomp is not available"
                     : "; and this kernel has no Landlock (Linux 5.13 or newer with lsm=landlock)";
  return support;
}

void add_existing(std::vector<fs::path>& list, const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) list.push_back(path);
}

// Where people keep keys. Hidden from commands that run unasked.
std::vector<fs::path> key_places() {
  std::vector<fs::path> places;
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return places;
  for (const char* name : {".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc",
                           ".git-credentials", ".pypirc", ".config/gcloud", ".config/gh", ".config/tern",
                           ".local/state/tern", ".password-store", ".local/share/keyrings"})
    add_existing(places, fs::path(home) / name);
  return places;
}

}  // namespace

void start_sandbox_probe() {
  if (early_trials < 0 && walls::seccomp_available()) early_trials = start_trials();
}

const SandboxSupport& probe_sandbox() {
  static const SandboxSupport support = support_here();
  return support;
}

Sandbox sandbox_for(const std::vector<fs::path>& roots, const fs::path& temp,
                    const std::vector<fs::path>& read_only, const SandboxSupport& support) {
  Sandbox sandbox;
  sandbox.on = true;
  sandbox.rung = support.rung;
  sandbox.own_processes = support.process_namespace;
  sandbox.writable = roots;
  sandbox.read_only = read_only;
  sandbox.hidden = key_places();
  sandbox.temp = temp;
  // A place of its own, so that what is kept beside it stays out of reach.
  std::error_code error;
  if (!temp.empty()) {
    sandbox.temp = temp / "tmp";
    fs::create_directories(sandbox.temp, error);
    fs::permissions(sandbox.temp, fs::perms::owner_all, error);
    fs::create_directory(temp / stand_in_store, error);
  }
  // Whoever works in the home directory itself: what shells and programs read at their start stays as it is.
  if (const char* home = std::getenv("HOME");
      home != nullptr &&
      std::any_of(roots.begin(), roots.end(), [&](const fs::path& root) { return is_under(root, home); }))
    for (const char* name : {".bashrc",
                             ".bash_profile",
                             ".bash_login",
                             ".profile",
                             ".zshrc",
                             ".zshenv",
                             ".zprofile",
                             ".config/fish",
                             ".config/tern",
                             ".config/git",
                             ".config/autostart",
                             ".config/systemd",
                             ".gitconfig",
                             ".ssh",
                             ".gnupg",
                             ".npmrc",
                             ".vimrc",
                             ".config/nvim",
                             ".local/bin",
                             "bin"})
      add_existing(sandbox.read_only, fs::path(home) / name);
  for (const fs::path& root : roots)
    for (const char* name : run_unasked) sandbox.read_only.push_back(root / name);
  sandbox.watch = std::make_shared<ProtectedWatch>(roots, kSearched);
  refresh(sandbox);
  // What the person works in is not hidden from the work.
  const auto worked_in = [&](const fs::path& place) {
    return std::any_of(roots.begin(), roots.end(),
                       [&](const fs::path& root) { return is_under(place, root); });
  };
  sandbox.hidden.erase(std::remove_if(sandbox.hidden.begin(), sandbox.hidden.end(), worked_in),
                       sandbox.hidden.end());
  return sandbox;
}

namespace {

void join(std::vector<fs::path>& list, const std::set<fs::path>& more) {
  list.insert(list.end(), more.begin(), more.end());
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// "commondir" would say where the hooks and settings really are; "config.worktree" is read when the settings
// say so.
void open_up(std::vector<fs::path>& read_only, const fs::path& git) {
  std::erase(read_only, git);
  for (const char* name : {"config", "hooks", "info", "modules", "worktrees", common_dir})
    read_only.push_back(git / name);
  add_existing(read_only, git / "config.worktree");
}

}  // namespace

std::vector<fs::path> refresh(Sandbox& sandbox) {
  if (!sandbox.watch) return {};
  auto fresh = sandbox.watch->update();
  if (!sandbox.writable.empty()) join(sandbox.read_only, sandbox.watch->found());
  if (sandbox.repository) open_up(sandbox.read_only, sandbox.writable.front() / ".git");
  if (sandbox.hide_secrets) join(sandbox.hidden, sandbox.watch->secrets());
  return fresh;
}

std::string describe(const Sandbox& sandbox) {
  if (!sandbox.on || sandbox.rung == SandboxRung::none) return "no sandbox: commands run with your rights";
  if (sandbox.writable.empty()) return "look-only sandbox: it changes no file and has no network";
  std::string text = "sandbox: writes in";
  for (const fs::path& path : sandbox.writable) text += " " + path.string();
  text += sandbox.network ? ", network granted" : ", no network";
  // Landlock cannot spare one name in a folder where new ones may be made, so there the folder itself takes
  // none.
  text += sandbox.rung == SandboxRung::namespaces ? ", protected paths read-only"
                                                  : ", nothing new directly in there, only in its folders "
                                                    "(Landlock only; Write makes files there); modes "
                                                    "and times of files elsewhere are not guarded";
  return text;
}

Sandbox look_only(Sandbox sandbox) {
  sandbox.writable.clear();
  sandbox.read_only.clear();
  sandbox.network = false;
  sandbox.notices = Notices::all;
  return sandbox;
}

bool can_open_repository(const Sandbox& sandbox) {
  std::error_code error;
  return sandbox.rung == SandboxRung::namespaces && !sandbox.writable.empty() &&
         fs::symlink_status(sandbox.writable.front() / ".git", error).type() == fs::file_type::directory;
}

Sandbox with_repository(Sandbox sandbox) {
  sandbox.repository = true;
  sandbox.writable.push_back(sandbox.writable.front() / ".git");  // a mount of its own cannot be moved away
  return sandbox;
}

std::string apply_sandbox(const Sandbox& sandbox, const KeptNamespaces& kept, int notices) {
  const bool namespaces = sandbox.rung == SandboxRung::namespaces;
  std::string why;
  if (sandbox.rung == SandboxRung::none) return "this kernel offers none";
  if (namespaces) why = walls::enter_namespaces(sandbox, kept);
  if (why.empty()) why = walls::drop_capabilities();
  if (why.empty() && (!namespaces || walls::landlock_abi() > 0)) why = walls::restrict_with_landlock(sandbox);
  const bool reported = why.empty() && walls::report_calls(sandbox, notices);
  // A socket that is reported is refused by the supervisor.
  if (why.empty()) why = walls::filter_system_calls(sandbox, (namespaces && !sandbox.network) || reported);
  return why;
}

}  // namespace tern
