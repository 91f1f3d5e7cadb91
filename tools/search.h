// Searching a tree: parallel, ignore-aware, binary files skipped; what was left out is counted, never silent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "tools/ignore.h"
#include "tools/regex.h"

namespace tern {

struct SearchOptions {
  bool lines = false;  // collect matching lines, not only counts
  std::size_t before = 0, after = 0;
  bool only_matching = false;     // the matched text instead of the line
  std::size_t most_lines = 1000;  // per file; further matches are only counted
  bool first_only = false;        // one match per file is enough
  bool use_ignore = true;
  bool secrets = true;  // search files that may hold keys, too
  unsigned workers = 0;
  GlobSet files;                   // all must match
  std::vector<std::string> types;  // patterns of a file type; empty = any
  std::stop_token stop;
};

struct FoundLine {
  std::size_t number;
  bool match;  // false: context
  bool gap;    // lines were left out before this one
  std::string text;
};

struct FoundFile {
  std::string path;  // relative to the root of the search
  std::int64_t mtime_ns = 0;
  std::size_t matches = 0;  // matching lines
  std::vector<FoundLine> lines;
};

struct SearchResult {
  std::vector<FoundFile> files;  // sorted by path
  std::size_t searched = 0, binary = 0, too_large = 0, unreadable = 0, ignored = 0, secret = 0;
  bool stopped = false, gave_up = false;  // gave_up: a match was abandoned as too expensive
};

// `root` may be a file.
SearchResult search_tree(const std::filesystem::path& root, const Regex& regex, const SearchOptions& options);

// File name patterns of a type ("cpp", "py" …); empty = unknown type.
std::vector<std::string> type_patterns(std::string_view type);
std::vector<std::string> type_names();

}  // namespace tern
