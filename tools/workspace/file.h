// Reading a file whole and safely, and saying what it was: no FIFO or device can hang it, no link is
// followed.
#pragma once

#include <sys/stat.h>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/workspace/workspace.h"

namespace tern {

constexpr std::uint64_t edit_limit = 50u * 1024 * 1024;  // larger files are read in windows and never edited

// Changes whenever the file on disk does, as far as the file system tells.
struct Stamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t mtime_ns = 0, ctime_ns = 0;
  unsigned mode = 0, owner = 0, group = 0, links = 0;
  bool same_content(const Stamp& other) const {
    return device == other.device && inode == other.inode && size == other.size && mtime_ns == other.mtime_ns;
  }
};
Stamp stamp_of(const struct stat& st);
std::optional<Stamp> stamp_of(const std::filesystem::path& real);

struct Loaded {
  std::string bytes;
  Stamp stamp;
  std::string error;     // for the model; empty = loaded
  bool missing = false;  // there is no such file
  bool directory = false;
};

// The whole file, at most `limit` bytes; anything which is not a regular file is an error that says what it
// is.
Loaded load_file(const Workspace& workspace, const Place& place, std::uint64_t limit = edit_limit);

// 128 bits, for "is it still what I saw"; not for secrets.
std::string content_hash(std::string_view bytes);

std::string human_size(std::uint64_t bytes);  // "3.1 MB"

// "ELF executable", "PNG image", "gzip archive" … by its first bytes; empty = unknown.
std::string_view file_kind(std::string_view head);
// "image/png" … for the four kinds models accept; empty otherwise.
std::string_view image_media_type(std::string_view head);

struct ToolContext;
enum class Access { read, write };
// Why this call may not touch `place` without a grant (outside, protected, /proc …); empty = it may.
std::string barred(const Place& place, Access access, const ToolContext& ctx);

}  // namespace tern
