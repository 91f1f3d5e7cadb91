// What the person has granted for a project for good: a file in their own configuration, so that nothing in
// the folder can grant itself anything. One JSON object: the project's folder, and its rules as text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tern {

class ProjectRules {
 public:
  ProjectRules(std::filesystem::path file, std::filesystem::path project)
      : file_(std::move(file)), project_(std::move(project)) {}

  std::vector<std::string> load() const;  // none where there is no file, or it cannot be read
  // Empty on success; written whole, 0600.
  std::string add(const std::string& rule) const;
  std::string remove(const std::string& rule) const;

 private:
  std::string change(const std::string& rule, bool keep) const;
  std::filesystem::path file_, project_;
};

}  // namespace tern
