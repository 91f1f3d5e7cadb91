// Nothing of a folder is run or believed before a person has trusted it once: no settings, no memory files,
// no history, no hooks. The list is kept in the person's own state directory, never in the folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tern {

class TrustList {
 public:
  explicit TrustList(std::filesystem::path file);  // read at once; a missing file is an empty list

  // The folder itself or a trusted folder above it. A home directory and "/" never cover what is below them.
  bool trusted(const std::filesystem::path& folder) const;
  // Empty on success. Written atomically, 0600.
  std::string trust(const std::filesystem::path& folder);
  std::string forget(const std::filesystem::path& folder);
  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  std::string save() const;
  std::filesystem::path file_;
  std::vector<std::filesystem::path> folders_;
};

// What the folder would like to set or run, one line each ("AGENTS.md: instructions for the model"), found by
// name only: nothing is opened. Empty: nothing to believe, though the question stays.
std::vector<std::string> claims_of(const std::filesystem::path& folder);

// $XDG_STATE_HOME/tern/trusted-folders or ~/.local/state/tern/trusted-folders; empty without a home.
std::filesystem::path default_trust_file();

}  // namespace tern
