// Before-images of every file change tern makes, so that the changes of a turn can be undone without git. A change is
// recorded before it is made, through the functions the agent gives (its store); without them it lives in memory.
// Changes made by commands are found by a scan before and after: the files the model has seen, those the command names,
// and, in a small workspace, all of them. Worker thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/file.h"

namespace tern {

class FileMemory;

struct FileChange {
  std::uint64_t turn = 0;
  std::string call_id;
  std::filesystem::path path;         // canonical
  std::optional<std::string> before;  // whole content; nullopt: there was no such file
  unsigned mode_before = 0;
  std::string hash_before, hash_after;  // content_hash; empty = no file
  bool by_command = false;
};

struct JournalStore {
  std::function<void(const FileChange&)> save;                                           // durable when it returns
  std::function<std::vector<FileChange>(std::uint64_t first, std::uint64_t last)> load;  // oldest first
};

struct UndoReport {
  std::vector<std::filesystem::path> restored, removed, already;
  std::vector<std::pair<std::filesystem::path, std::string>> refused;  // and why
  bool empty() const { return restored.empty() && removed.empty() && already.empty() && refused.empty(); }
};

// What stood where before a command ran.
struct Scan {
  struct File {
    Stamp stamp;
    std::shared_ptr<const std::string> bytes;  // null: too large to keep, a change is seen but cannot be undone
  };
  std::map<std::filesystem::path, File> files;
  bool whole_tree = false;  // files that are new afterwards were made by the command
};

class Journal {
 public:
  // Removes temp files a killed process left (see atomic_write.h); `leftovers` empty = the default place.
  explicit Journal(JournalStore store = {}, std::filesystem::path leftovers = {});

  void begin_turn(std::uint64_t turn) { turn_ = turn; }
  std::uint64_t turn() const { return turn_; }
  void record(FileChange change);  // the turn is filled in
  std::vector<FileChange> changes(std::uint64_t first, std::uint64_t last) const;

  // Files back to how they were before turn `first`, for the changes of turns first..last. Only what is still as tern
  // left it is touched; the rest is refused with the reason. preview: says what would happen and writes nothing.
  UndoReport undo(const Workspace& workspace, std::uint64_t first, std::uint64_t last, bool preview = false);

  Scan before_command(const Workspace& workspace, const FileMemory& files, std::string_view command);
  // Records what differs and returns those paths.
  std::vector<std::filesystem::path> after_command(const Workspace& workspace, const Scan& scan, const std::string& call_id);

  const std::filesystem::path& leftovers() const { return leftovers_; }

 private:
  void undo_one(const Workspace& workspace, const FileChange& oldest, const FileChange& newest, bool preview, UndoReport& report);
  void add(const Workspace& workspace, const std::filesystem::path& real, Scan& scan);

  JournalStore store_;
  std::filesystem::path leftovers_;
  std::uint64_t turn_ = 0;
  std::vector<FileChange> memory_;                      // only without a store
  std::map<std::filesystem::path, Scan::File> shadow_;  // what the last scans read, while it is still so
  std::size_t shadow_bytes_ = 0;
  bool tree_too_large_ = false;
};

}  // namespace tern
