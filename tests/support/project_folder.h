// A home and a project for one run of the real program; both go with the object.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace tern {

struct ProjectFolder {
  std::filesystem::path path, home, project;

  ProjectFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tern-project-XXXXXX")
                           .string();  // "tern-run-" is tern's own
    path = mkdtemp(name.data());
    home = path / "home";
    project = path / "project";
    std::filesystem::create_directories(home);
    std::filesystem::create_directories(project);
    std::ofstream(project / "notes.txt") << "alpha\nbeta\n";
  }
  ~ProjectFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  ProjectFolder(const ProjectFolder&) = delete;
  ProjectFolder& operator=(const ProjectFolder&) = delete;

  // No model but the demo is to be found.
  std::vector<std::pair<std::string, std::string>> environment(std::string term) const {
    return {{"HOME", home.string()},
            {"TERM", std::move(term)},
            {"LANG", "C.UTF-8"},
            {"OLLAMA_HOST", "http://127.0.0.1:9"}};
  }
};

}  // namespace tern
