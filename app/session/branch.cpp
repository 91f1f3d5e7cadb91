#include "app/session/branch.h"

#include "agent/compactor/prompt.h"
#include "tools/exec/follow.h"
#include "tools/exec/output_ring.h"
#include "tools/exec/process.h"
#include "tools/sandbox/child_env.h"

namespace tern {

std::string BranchMark::look(bool trusted) {
  auto branch = look_around(folder_, {}).branch;
  if (!branch.empty() && trusted && !too_slow_ && differs()) branch += '*';
  return branch;
}

bool BranchMark::differs() {
  ProcessSpec spec;
  spec.argv = {"git",
               "-c",
               "core.fsmonitor=false",
               "-c",
               "core.hooksPath=/dev/null",
               "--no-optional-locks",
               "status",
               "--porcelain",
               "--untracked-files=no",
               "--ignore-submodules=all"};
  spec.cwd = folder_;
  spec.env = child_env(current_env(), {}, {});
  spec.env.emplace_back("GIT_ALLOW_PROTOCOL=none");  // a missing object is not worth a connection
  spec.grace = std::chrono::milliseconds(0);
  Process process;
  if (!process.start(spec).empty()) return false;
  OutputRing output;
  FollowLimits limits;
  limits.time = patience_;
  const auto following = follow(process, output, limits, {}, {});
  too_slow_ = following.how != Following::How::ended;
  return !too_slow_ && following.end.status == 0 && output.bytes() > 0;
}

}  // namespace tern
