// apply_sandbox() makes the rules of a child true for the calling process and for all it will
// start. Best rung first: own user, mount and network namespaces (everything read-only but the writable
// directories, protected paths read-only, also those that do not exist yet), with Landlock and a seccomp
// filter on top; Landlock and seccomp alone; nothing at all, which is said and never hidden. A sandbox that
// cannot be applied ends the child.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/sandbox/sandbox_rules.h"

namespace tern {

class KeptNamespaces;

struct SandboxSupport {
  SandboxRung rung = SandboxRung::none;
  int landlock_abi = 0;
  bool network_namespace = false;
  bool process_namespace = false;
  bool seccomp = false;
  std::string why;  // what is missing and how to get it; empty with namespaces
};

// Asks the kernel once per process by trying it in a child of its own. The child allocates: in a program that
// has other threads by then, a lock one of them holds at the fork would stay taken there for ever. So the
// child is started early, while there is one thread, and works beside what follows; probe_sandbox() waits for
// its answer.
void start_sandbox_probe();
const SandboxSupport& probe_sandbox();

// The sandbox for commands of this workspace: `roots` writable; the protected names that are found in them
// now, those which programs look for at their top (also missing) and the given extra paths read-only.
Sandbox sandbox_for(const std::vector<std::filesystem::path>& roots, const std::filesystem::path& temp,
                    const std::vector<std::filesystem::path>& read_only, const SandboxSupport& support);

// The same with nothing writable but `temp`, no network, and every attempt noted.
Sandbox look_only(Sandbox sandbox);

// The same with the .git of the first root writable, but for its hooks, its settings and what leads to them.
// Namespaces only: Landlock cannot spare one name in a folder in which new ones are made.
Sandbox with_repository(Sandbox sandbox);
bool can_open_repository(const Sandbox& sandbox);

// Protected names below the roots that came since the last look join `read_only`; they are returned. With
// `hide_secrets` the files of secrets below the roots join `hidden`.
std::vector<std::filesystem::path> refresh(Sandbox& sandbox);

// Beside `temp`: where StandIns keeps them between commands.
inline constexpr const char* stand_in_store = "stand-ins";

// A file of git's that leads to other settings and hooks. Its stand-in says ".": they are where they are.
inline constexpr const char* common_dir = "commondir";

// `env`, a command's own environment, so that builds work in it: caches they must write are moved into
// `temp`.
void fit_environment(std::vector<std::string>& env, const Sandbox& sandbox);

// What it lets a command do, in one line for people.
std::string describe(const Sandbox& sandbox);

// In a fresh single-threaded child, just before exec. Empty when it holds; else what failed, and the child
// must end. `notices`: the channel of a WallWatch, or −1.
std::string apply_sandbox(const Sandbox& sandbox, const KeptNamespaces& kept, int notices = -1);

// Protected paths that are missing get a read-only stand-in while a sandboxed tree runs, put up and taken
// down around it. The last one to leave takes them down; what a command made in spite of it is moved to
// `temp` and named.
class StandIns {
 public:
  explicit StandIns(const Sandbox& sandbox);
  StandIns(const StandIns&) = delete;
  StandIns& operator=(const StandIns&) = delete;
  ~StandIns() { remove(); }
  std::string remove();  // what had to be moved away, or empty

 private:
  const Sandbox* sandbox_;
  std::vector<std::filesystem::path> missing_;
  std::vector<int> locks_;
};

// `tern sandbox [--net] [--rw DIR]… [--] command…`: runs a command by hand inside it; its exit status.
int sandbox_main(int argc, char** argv);

}  // namespace tern
