// Finds out what a command changed: a scan of the workspace before it, a look at the same files after it. The
// scanner keeps what it saw and copies of files between commands. It belongs to the session's owner, which
// lends it to one command at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/workspace/file.h"
#include "tools/workspace/file_change.h"
#include "tools/workspace/shadow.h"

namespace tern {

class FileMemory;

// Canonical paths are compared byte by byte; component by component takes ten times as long.
struct ByBytes {
  bool operator()(const std::filesystem::path& a, const std::filesystem::path& b) const {
    return a.native() < b.native();
  }
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

// A change that was found. Its before-image is still with the scanner, where many large ones need no memory.
struct FoundChange {
  FileChange change;
  std::optional<Shadow::Copy> copy;
};

class CommandScanner {
 public:
  static constexpr std::size_t most_watched = 5000, most_looked_at = 50000;

  explicit CommandScanner(std::filesystem::path directory) : shadow_(std::move(directory)) {}

  // Before a command: true when room was made for new copies, and those of all scans so far are gone.
  bool make_room();
  Scan before(const Workspace& workspace, const FileMemory& files, std::string_view command);
  // What differs, in the order it was found.
  std::vector<FoundChange> after(const Workspace& workspace, const Scan& scan,
                                 const std::string& call_id) const;
  FileChange with_image(FoundChange found) const;

 private:
  using Clock = std::chrono::steady_clock;
  void add(const Workspace& workspace, const std::filesystem::path& real, Scan& scan,
           Clock::time_point deadline);

  std::map<std::filesystem::path, Scan::File, ByBytes>
      known_;  // what the last scans saw, while it is still so
  Shadow shadow_;
  bool tree_too_large_ = false;
};

}  // namespace tern
