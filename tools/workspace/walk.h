// A parallel walk over a directory tree by descriptors: no link is followed, ignore rules are read on the
// way, and a directory is never stat'ed when the listing says what it is. The visitor runs on several threads
// at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace tern {

struct WalkFile {
  int directory;  // descriptor of the directory that holds it
  const char* name;
  std::string_view path;  // relative to the walk's root
  unsigned worker;        // 0 … workers-1; calls of one worker never overlap
  bool ignored;           // only seen with WalkOptions::report_ignored
};

struct WalkOptions {
  bool use_ignore = true;
  bool report_ignored = false;  // visit ignored files too (never descending into ignored directories)
  bool directories = false;     // visit directories as well, their path ending in "/"
  unsigned workers = 0;         // 0 = one per core, at most 8
  std::size_t most = static_cast<std::size_t>(-1);  // give up after so many files
  std::stop_token stop;
};

struct WalkResult {
  std::size_t files = 0, directories = 0, ignored = 0, unreadable = 0;
  bool gave_up = false;  // more than `most`, or stopped
};

unsigned walk_workers(const WalkOptions& options);

// False from the visitor ends the walk.
WalkResult walk(const std::filesystem::path& root, const WalkOptions& options,
                const std::function<bool(const WalkFile&)>& visit);

}  // namespace tern
