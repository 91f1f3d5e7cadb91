// The branch as the status line shows it: "main", "main*" when tracked files differ from the last commit, empty without git.
#pragma once

#include <filesystem>
#include <string>

namespace tern {

class BranchMark {
 public:
  explicit BranchMark(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // Reads HEAD, and in a trusted folder asks git, which gets a quarter of a second. Runs no hook, no file system monitor, no
  // submodule and no transport, and writes nothing. A repository in which git takes longer is not asked again.
  std::string look(bool trusted);

 private:
  bool differs() const;
  std::filesystem::path folder_;
  mutable bool too_slow_ = false;
};

}  // namespace tern
