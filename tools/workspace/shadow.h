// Copies of files as they were, kept in one nameless file on disk: memory holds only where each one lies.
// Worker thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tools/workspace/workspace.h"

namespace tern {

class Shadow {
 public:
  static constexpr std::uint64_t keep_file = 8u << 20, keep_total = 256u << 20;

  struct Copy {
    std::uint64_t at = 0, size = 0;
    std::string hash;  // content_hash
  };

  explicit Shadow(std::filesystem::path directory) : directory_(std::move(directory)) {}
  // Nothing when it is full or the disk does not take it.
  std::optional<Copy> keep(std::string_view bytes);
  std::optional<std::string> read(const Copy& copy) const;
  bool full() const { return size_ > keep_total - keep_file; }
  void clear();

 private:
  std::filesystem::path directory_;
  Fd fd_;
  std::uint64_t size_ = 0;
};

}  // namespace tern
