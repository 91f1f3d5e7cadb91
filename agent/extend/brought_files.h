// Where the things that people bring along are looked for, and how a file of theirs is read: Markdown with a
// head of `key: value` lines. A project's folders are listed only once the project is trusted; what a link of
// the project leads out of it is not read.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

struct BroughtFolder {
  std::filesystem::path folder;
  std::filesystem::path within = {};  // a project's: nothing outside of this is read; empty = the user's own
  std::string prefix = {};            // of the names in it: "plugin:"
  bool of_project() const { return !within.empty(); }
};

// By its file's name and text: what the user approves, once for each version.
std::string brought_hash(const BroughtFolder& folder, const std::filesystem::path& relative,
                         std::string_view text);
// Regular files below it, sorted, at most six folders deep and 2,000 entries; paths relative to the folder.
std::vector<std::filesystem::path> files_of(const BroughtFolder& folder);

// As people know it: from the project's folder, or "~/…".
std::string shown_path(const BroughtFolder& folder, const std::filesystem::path& relative,
                       const std::filesystem::path& home);

// The entry of this name; without one the only entry that a plugin or a folder puts a prefix before: "commit"
// means "git:commit".
template <class Entry>
const Entry* meant_by(std::string_view name, const std::vector<Entry>& entries) {
  const Entry* found = nullptr;
  std::size_t prefixed = 0;
  for (const Entry& entry : entries) {
    if (entry.name == name) return &entry;
    const std::string_view own = entry.name;
    if (name.empty() || !own.ends_with(name) || own.size() == name.size() ||
        own[own.size() - name.size() - 1] != ':')
      continue;
    ++prefixed;
    found = &entry;
  }
  return prefixed == 1 ? found : nullptr;
}

constexpr std::size_t brought_limit = 256 * 1024;
// Empty when it is no regular file, leads out of its project or is larger than `brought_limit`.
std::string read_brought(const BroughtFolder& folder, const std::filesystem::path& relative);

struct Frontmatter {
  std::vector<std::pair<std::string, std::string>>
      fields;  // the items of a list below its key joined by ", "
  std::string body;
  std::string get(std::string_view key) const;
  bool is(std::string_view key) const;  // "true", "yes" or "on"
};
// Lenient: an unquoted colon in a value stays in it; a file without a head is all body.
Frontmatter frontmatter(std::string_view text);

// Words of a list as people write it: by blanks or commas outside of brackets: "Bash(git add:*), Read", "[a,
// b]".
std::vector<std::string> list_words(std::string_view text);

}  // namespace tern
