// The branch as the status line shows it: "main", "main*" when tracked files differ from the last commit,
// empty without git.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace tern {

class BranchMark {
 public:
  BranchMark(std::filesystem::path folder, std::chrono::milliseconds patience)
      : folder_(std::move(folder)), patience_(patience) {}
  // Reads HEAD, and in a trusted folder asks git, as long as the patience lasts. Runs no hook, no file system
  // monitor, no submodule and no transport, and writes nothing. A repository in which git takes longer is not
  // asked again.
  std::string look(bool trusted);

 private:
  bool differs();
  std::filesystem::path folder_;
  std::chrono::milliseconds patience_;
  bool too_slow_ = false;
};

}  // namespace tern
