// One change of one file as the journal keeps it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

constexpr std::string_view not_kept =
    "not kept";  // nobody knows what it was: there was no time, or room, for a copy

struct FileChange {
  std::uint64_t turn = 0;
  std::string call_id;
  std::filesystem::path path;         // canonical
  std::optional<std::string> before;  // whole content; nullopt: there was no such file
  unsigned mode_before = 0;
  std::string hash_before, hash_after;  // content_hash; empty = no file; or not_kept, "directory"
  bool by_command = false;
};

}  // namespace tern
