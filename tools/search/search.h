// Searching a tree: parallel, ignore-aware, binary files skipped; what was left out is counted, never silent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tools/search/regex.h"
#include "tools/workspace/ignore.h"
#include "tools/workspace/workspace.h"

namespace tern {

struct SearchOptions {
  bool lines = false;  // collect matching lines, not only counts
  std::size_t before = 0, after = 0;
  std::size_t most_lines = 1000;  // per file; further matches are only counted
  bool first_only = false;        // one match per file is enough
  bool use_ignore = true;
  bool secrets = true;  // search files that may hold keys, too
  unsigned workers = 0;
  GlobSet files;           // all must match, as seen from the root of the search
  std::string files_from;  // or with this before them: the root as seen from the working directory ("src/")
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
  std::size_t shown = 0;    // of them those in `lines`
  std::vector<FoundLine> lines;
};

struct SearchResult {
  std::vector<FoundFile> files;  // sorted by path
  std::size_t searched = 0, binary = 0, too_large = 0, unreadable = 0, ignored = 0, secret = 0;
  bool stopped = false, gave_up = false;  // gave_up: a match was abandoned as too expensive
};

// `root` may be a file.
SearchResult search_tree(const std::filesystem::path& root, const Regex& regex, const SearchOptions& options);

// A directory as the working directory sees what is in it ("src/"); empty when it is that one, or not below
// it.
std::string seen_from_cwd(const Workspace& workspace, const std::filesystem::path& directory);
// Has a ".." in it: such a pattern matches no path below the root of a search.
bool climbs(std::string_view pattern);

// File name patterns of a type ("cpp", "py" …); empty = unknown type.
std::vector<std::string> type_patterns(std::string_view type);
std::vector<std::string> type_names();

}  // namespace tern
