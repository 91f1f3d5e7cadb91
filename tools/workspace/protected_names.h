// Which names may never be written silently: what git, tern or a shell would believe or run later. And which
// usually hold keys.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

// A path component as a case-insensitive or normalising file system would see it (".GIT", ".g\u200cit" →
// ".git").
std::string fold_name(std::string_view name);

// Why a component of this (folded) name is protected wherever it stands; empty = it is not.
std::string_view protected_name(std::string_view folded);

// Absolute paths below the person's home: shell start files, keys, tern's own configuration and state.
std::vector<std::pair<std::filesystem::path, std::string_view>> protected_in_home(
    const std::filesystem::path& home);

// A repository without a .git around it (bare, or a gitdir elsewhere): HEAD, objects and refs side by side.
bool is_git_directory(const std::string& directory);

// Names that editors, hook managers and agents look for at the top of a project and run by themselves.
extern const std::array<const char*, 13> run_unasked;

// A file name under which keys are kept (".env", "id_rsa", "*.pem"): read only when it is named and a person
// agrees.
bool secret_name(std::string_view file_name);

// Existing protected files, to compare with a hard link.
void list_protected_files(const std::filesystem::path& root, std::vector<std::filesystem::path>& out);
void list_protected_files_at(const std::filesystem::path& path, std::vector<std::filesystem::path>& out);

}  // namespace tern
