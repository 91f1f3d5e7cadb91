// The user and network namespaces of a sandboxed command, kept for the next one of the same supervisor:
// making and ending a network is the dearest part of a sandbox. The mount namespace is held until the command
// has been reported, since ending it waits for the whole kernel. Nothing runs in them between two commands.
#pragma once

#include <sys/types.h>

#include "tools/sandbox/sandbox_rules.h"

namespace tern {

class KeptNamespaces {
 public:
  KeptNamespaces() = default;
  KeptNamespaces(const KeptNamespaces&) = delete;
  KeptNamespaces& operator=(const KeptNamespaces&) = delete;
  ~KeptNamespaces();

  // `process` has entered the sandbox and is a child not waited for yet. Its system call filter lets it enter
  // and make no other namespaces, so they are tern's own.
  void hold(pid_t process, const Sandbox& sandbox);
  void let_mounts_go();

  // In the child: false when there is none for this sandbox, or the kernel refuses it.
  bool enter_user(const Sandbox& sandbox) const;
  bool enter_network() const;  // of the user namespace just entered

 private:
  int user_ = -1, network_ = -1, mounts_ = -1;
};

}  // namespace tern
