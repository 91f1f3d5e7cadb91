// What is protected below some folders by its name or as a repository, kept up to date: a look at every
// directory once, after that only at those whose time has changed. Enters neither node_modules nor what it
// found; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tern {

class ProtectedWatch {
 public:
  ProtectedWatch(std::vector<std::filesystem::path> roots, std::size_t most_directories);
  // Looks again; what was not there at the last look, nearest first.
  std::vector<std::filesystem::path> update();
  const std::set<std::filesystem::path>& found() const { return found_; }
  // Files by names that keys are kept under.
  const std::set<std::filesystem::path>& secrets() const { return secrets_; }

 private:
  using Paths = std::vector<std::filesystem::path>;
  void look(const std::filesystem::path& directory, Paths& queue, Paths& fresh);
  void add(const std::filesystem::path& path, Paths& fresh);

  Paths roots_;
  std::size_t most_;
  std::map<std::filesystem::path, std::int64_t>
      times_;  // of each directory as it was last looked at; 0: look again
  std::set<std::filesystem::path> found_, secrets_;
};

}  // namespace tern
