// One holder per session, told by a lock on one byte of `tern.lock`; byte 0 is shared by everybody who has
// the file open.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tern {

class SessionLock {
 public:
  explicit SessionLock(const std::filesystem::path& file);
  ~SessionLock();
  SessionLock(const SessionLock&) = delete;
  SessionLock& operator=(const SessionLock&) = delete;
  bool alone();                     // nobody else has the store open
  bool take(std::int64_t session);  // false = somebody else has it
  bool taken(std::int64_t session) const;
  void release(std::int64_t session);

 private:
  bool set(int type, std::int64_t byte) const;
  int fd_ = -1;
};

}  // namespace tern
