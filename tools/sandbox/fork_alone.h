#pragma once

#include <sys/types.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#include <signal.h>
#include <sys/syscall.h>
#endif

namespace tern {

// A child that may enter namespaces, which the kernel refuses to a process of two threads. Only for a process
// of one thread itself. The fork that ThreadSanitizer puts in the way of ours starts a second one in the
// child.
inline pid_t fork_alone() {
#if defined(__SANITIZE_THREAD__)
  return static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
#else
  return ::fork();
#endif
}

}  // namespace tern
