#include "tools/sandbox/kept_namespaces.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

namespace tern {
namespace {

int open_namespace(pid_t process, const char* name) {
  const auto path = "/proc/" + std::to_string(process) + "/ns/" + name;
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

KeptNamespaces::~KeptNamespaces() {
  for (int* fd : {&user_, &network_, &mounts_}) close_fd(*fd);
}

void KeptNamespaces::hold(pid_t process, const Sandbox& sandbox) {
  if (!sandbox.on || sandbox.rung != SandboxRung::namespaces) return;
  close_fd(mounts_);
  mounts_ = open_namespace(process, "mnt");
  if (user_ >= 0 || sandbox.network) return;
  user_ = open_namespace(process, "user");
  network_ = open_namespace(process, "net");
  if (user_ >= 0 && network_ >= 0) return;  // a quick command has ended by now
  close_fd(user_);
  close_fd(network_);
}

void KeptNamespaces::let_mounts_go() { close_fd(mounts_); }

bool KeptNamespaces::enter_user(const Sandbox& sandbox) const {
  return user_ >= 0 && !sandbox.network && ::setns(user_, CLONE_NEWUSER) == 0;
}

bool KeptNamespaces::enter_network() const { return ::setns(network_, CLONE_NEWNET) == 0; }

}  // namespace tern
