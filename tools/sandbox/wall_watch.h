// Which wall of the sandbox a command ran into, told by the kernel and not by the command's own words: calls
// that would change a file or connect wait in the kernel until the supervisor has noted them. It then lets
// them go on, so that the sandbox itself refuses them; what is noted only tells people what the command
// wanted and never decides what it may do. One exception: where Landlock stands alone there is no network of
// the command's own, and the supervisor answers each socket with EACCES.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tools/sandbox/sandbox_rules.h"
#include "tools/set/wall_hit.h"

struct seccomp_notif;

namespace tern {

class WallWatch {
 public:
  explicit WallWatch(const Sandbox& sandbox);
  WallWatch(const WallWatch&) = delete;
  WallWatch& operator=(const WallWatch&) = delete;
  ~WallWatch();

  // Before the fork: the end of a channel that the child gives to apply_sandbox(). −1 when nothing is to be
  // noticed.
  int open_channel();
  // After the child has become the command: takes the listener that came over the channel, if any.
  void take_listener();
  int listener() const { return listener_; }  // to be polled; −1: nothing is noticed
  void attend(short events);                  // notes and answers everything that waits
  bool watched() const { return watched_; }   // the kernel did report
  const std::vector<WallHit>& hits() const { return hits_; }

 private:
  bool answer_one();
  void note(const seccomp_notif& call);
  void note_file(const seccomp_notif& call);
  void note_connection(const seccomp_notif& call, int address, int length);
  void add(WallHit hit);
  bool may_write(const std::filesystem::path& path) const;

  const Sandbox& sandbox_;
  int channel_[2] = {-1, -1}, listener_ = -1;
  bool watched_ = false;
  std::vector<WallHit> hits_;
};

namespace walls {

// In the child: reports its calls from now on. False where the kernel cannot, or another program listens
// already.
bool report_calls(const Sandbox& sandbox, int channel);

}  // namespace walls
}  // namespace tern
