// What the user has said of single entries that a folder brings (servers, hooks), by the hash of each: a
// changed entry is asked for again. Kept in the user's own state directory, never in the folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

enum class EntryAnswer {
  unknown,
  refused,
  approved,
  granted
};  // granted: approved, and with the user's own rights

class EntryApprovals {
 public:
  explicit EntryApprovals(std::filesystem::path file);  // read at once; a missing file is an empty list

  EntryAnswer of(const std::filesystem::path& folder, std::string_view hash) const;
  // Written atomically, 0600; what is wrong, empty on success. Then it holds for this run at least.
  std::string decide(const std::filesystem::path& folder, std::string_view hash, EntryAnswer answer);
  std::string forget(const std::filesystem::path& folder);

 private:
  struct Row {
    std::string hash, answer, folder;
  };
  void load();
  std::string save() const;

  std::filesystem::path file_;
  std::vector<Row> rows_;
};

// The file with the answers of all kinds of entries.
inline constexpr std::string_view approved_entries = "approved";

// A file of this name in $XDG_STATE_HOME/tern or ~/.local/state/tern; empty without a home.
std::filesystem::path approvals_file(std::string_view name);

}  // namespace tern
