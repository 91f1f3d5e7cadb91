// Replacing a file so that a kill at any instant leaves the old bytes or the new ones, never a mix: temp file
// in the same directory, fsync, mode, owner, ACL and xattrs as they were, rename, fsync of the directory.
// Where that would break something (hard links, an owner we cannot give, a directory we cannot write) the
// file is written in place; the caller has stored the old bytes before. Names of temp files are noted in
// `leftovers` first, so that the next start removes them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tools/workspace/file.h"

namespace tern {

struct Written {
  std::string error;               // for the model; empty = done
  bool changed_meanwhile = false;  // refused: the file is not the one in `expected` any more
  bool in_place = false;           // with an error: part of the bytes are there
  Stamp stamp;                     // of the file as it is now
};

struct WriteOptions {
  std::optional<Stamp> expected;    // refuse when the file differs; nullopt: refuse when it exists
  std::filesystem::path leftovers;  // directory for the notes; empty = default_leftovers()
  std::optional<unsigned> mode;     // permission bits for a new file; default 0666 & ~umask
};

Written atomic_write(const Workspace& workspace, const Place& place, std::string_view bytes,
                     const WriteOptions& options);

// The same care for removing: gone only if it still is `expected`.
Written remove_file(const Workspace& workspace, const Place& place, const Stamp& expected);

// $XDG_STATE_HOME/tern/writes, or below ~/.local/state.
std::filesystem::path default_leftovers();

// Removes temp files which dead processes noted and never renamed. Returns how many. Call once on start.
std::size_t clean_leftovers(const std::filesystem::path& directory);

}  // namespace tern
