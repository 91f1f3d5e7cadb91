#include "agent/store/session_lock.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>

namespace tern {
namespace {

constexpr std::chrono::milliseconds stale_lock_wait{500};

}  // namespace

SessionLock::SessionLock(const std::filesystem::path& file)
    : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {}

SessionLock::~SessionLock() {
  if (fd_ >= 0) ::close(fd_);
}

bool SessionLock::set(int type, std::int64_t byte) const {
  struct flock lock {};
  lock.l_type = static_cast<short>(type), lock.l_whence = SEEK_SET, lock.l_start = byte, lock.l_len = 1;
  return fd_ < 0 || ::fcntl(fd_, F_OFD_SETLK, &lock) == 0;
}

bool SessionLock::alone() {
  const bool alone = set(F_WRLCK, 0);
  set(F_RDLCK, 0);
  return alone;
}

// A holder that was killed while it started a command leaves its lock with the child for the moment before
// the child's exec.
bool SessionLock::take(std::int64_t session) {
  const auto end = std::chrono::steady_clock::now() + stale_lock_wait;
  while (!set(F_WRLCK, session)) {
    if (std::chrono::steady_clock::now() >= end) return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

bool SessionLock::taken(std::int64_t session) const {
  struct flock lock {};
  lock.l_type = F_WRLCK, lock.l_whence = SEEK_SET, lock.l_start = session, lock.l_len = 1;
  return fd_ >= 0 && ::fcntl(fd_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void SessionLock::release(std::int64_t session) { set(F_UNLCK, session); }

}  // namespace tern
