// Before-images of every file change tern makes, so that the changes of a turn can be undone without git. A change is
// recorded before it is made, through the functions the agent gives (its store); without them it lives in memory.
// Changes made by commands are found by a scan before and after. Up to most_watched files all are watched, and as many copies
// taken as a scan has time for, so that some commands later there is one of each; files the model has seen or the command
// names come first. In larger trees only those, what lies beside or below them and where a pattern of the command looks can be
// brought back; what else changed or came (by its ctime) is left as it is and said to be lost, since nobody knows whether it was
// there before.
// Not covered at all: ignored files, links, empty directories, files above Shadow::keep_file. Worker thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/diff.h"
#include "tools/file.h"
#include "tools/shadow.h"

namespace tern {

class FileMemory;
class Jobs;

constexpr std::string_view not_kept = "not kept";  // nobody knows what it was: there was no time, or room, for a copy

struct FileChange {
  std::uint64_t turn = 0;
  std::string call_id;
  std::filesystem::path path;         // canonical
  std::optional<std::string> before;  // whole content; nullopt: there was no such file
  unsigned mode_before = 0;
  std::string hash_before, hash_after;  // content_hash; empty = no file; or not_kept, "directory"
  bool by_command = false;
};

struct JournalStore {
  std::function<void(const FileChange&)> save;                                           // durable when it returns
  std::function<std::vector<FileChange>(std::uint64_t first, std::uint64_t last)> load;  // oldest first
};

struct UndoReport {
  std::vector<std::filesystem::path> restored, removed, already;
  std::map<std::filesystem::path, Diff> diffs;  // of those restored and removed: from what stood there to what was put back
  std::vector<std::pair<std::filesystem::path, std::string>> refused;  // and why
  bool empty() const { return restored.empty() && removed.empty() && already.empty() && refused.empty(); }
};

// Canonical paths are compared byte by byte; component by component takes ten times as long.
struct ByBytes {
  bool operator()(const std::filesystem::path& a, const std::filesystem::path& b) const { return a.native() < b.native(); }
};

// What stood where before a command ran.
struct Scan {
  struct File {
    Stamp stamp;
    std::optional<Shadow::Copy> copy;  // none: a change is seen but cannot be undone
  };
  std::map<std::filesystem::path, File, ByBytes> files;
  std::size_t copied = 0;     // now; a few always are, however slow the disk
  bool whole_tree = false;    // files that are new afterwards were made by the command
  bool only_looks = false;    // nothing was scanned
  std::int64_t began_ns = 0;  // as file systems stamp it
  // Of a command in the background, which others work beside: when it ended, and what was recorded meanwhile.
  std::int64_t end_ns = INT64_MAX;
  std::set<std::filesystem::path, ByBytes> recorded;
};

// A line of nothing but well-known programs that look; what is not certain is not.
bool only_looks(std::string_view command);

class Journal {
 public:
  static constexpr std::size_t most_watched = 5000, most_looked_at = 50000;

  // Removes temp files a killed process left (see atomic_write.h); `leftovers` empty = the default place.
  explicit Journal(JournalStore store = {}, std::filesystem::path leftovers = {});

  void begin_turn(std::uint64_t turn) { turn_ = turn; }
  std::uint64_t turn() const { return turn_; }
  void record(FileChange change);  // the turn is filled in
  std::vector<FileChange> changes(std::uint64_t first, std::uint64_t last) const;

  // Files back to how they were before turn `first`, for the changes of turns first..last. Only what is still as tern
  // left it, and was changed by nobody else in between, is touched; the rest is refused with the reason. preview: says what would happen and writes nothing.
  // redo() takes back what an undo of that name did, under the same rule; names begin with "undo".
  UndoReport undo(const Workspace& workspace, std::uint64_t first, std::uint64_t last, bool preview = false,
                  const std::string& name = "undo");
  UndoReport redo(const Workspace& workspace, const std::string& name, bool preview = false);

  Scan before_command(const Workspace& workspace, const FileMemory& files, std::string_view command);
  // Records what differs and returns those paths.
  std::vector<std::filesystem::path> after_command(const Workspace& workspace, const Scan& scan, const std::string& call_id);

  // The command of this scan goes on as the background job `id`. settle() records what those that have ended changed, under the
  // turn that started them. Left out is what was written after the end or recorded meanwhile, and everything for jobs that ran
  // longer than most_beside: a person may have worked in their files all the time, and undo must not take that for the job's.
  static constexpr std::chrono::minutes most_beside{10};
  void watch(std::string id, Scan scan, std::string call_id);
  void settle(const Workspace& workspace, const Jobs& jobs);

  const std::filesystem::path& leftovers() const { return leftovers_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Chain = std::vector<const FileChange*>;  // the changes of one file, oldest first
  struct Undo {
    const Workspace& workspace;
    std::string name;
    bool preview = false;
    UndoReport report = {};
  };
  UndoReport undo_all(const std::vector<FileChange>& changes, Undo undo);
  void undo_one(const Chain& chain, Undo& undo);
  void record_undo(const Undo& undo, const Loaded& now, const FileChange& oldest, const std::string& hash_after);
  std::string put_back(const Undo& undo, const Place& place, const Loaded& now, const FileChange& oldest);
  void add(const Workspace& workspace, const std::filesystem::path& real, Scan& scan, Clock::time_point deadline);
  bool note(const Workspace& workspace, const Scan& scan, const std::filesystem::path& path, const Scan::File* before,
            const std::string& call_id);
  void note_unwatched(const Workspace& workspace, const Scan& scan, const std::string& call_id,
                      std::vector<std::filesystem::path>& changed);

  JournalStore store_;
  std::filesystem::path leftovers_;
  std::uint64_t turn_ = 0;
  std::vector<FileChange> memory_;                              // only without a store
  std::map<std::filesystem::path, Scan::File, ByBytes> known_;  // what the last scans saw, while it is still so
  Shadow shadow_;
  bool tree_too_large_ = false;
  struct Watched {
    Scan scan;
    std::string call_id;
    std::uint64_t turn = 0;
  };
  std::map<std::string, Watched> watched_;  // by the job's id
};

}  // namespace tern
