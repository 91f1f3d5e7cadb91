// A folder of our own (0700) below the temporary directory, for as long as it is held: outputs too long for
// memory, and what commands in the sandbox call TMPDIR. What a killed process left of the kind is removed
// when the next one is made.
#pragma once

#include <chrono>
#include <filesystem>

#include "tools/workspace/workspace.h"

namespace tern {

class PrivateDir {
 public:
  PrivateDir() = default;
  // Empty where none can be made. `base`: empty = the temporary directory. One younger than `young` may not
  // be locked yet, so that it is not held does not mean that its process is dead.
  static PrivateDir make(std::filesystem::path base = {},
                         std::chrono::seconds young = std::chrono::minutes(1));
  PrivateDir(PrivateDir&& other) noexcept;
  PrivateDir& operator=(PrivateDir&& other) noexcept;
  ~PrivateDir();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Fd lock_;  // on the folder itself: held means alive
};

}  // namespace tern
