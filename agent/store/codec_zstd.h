// Bytes for the store: as they are below 4 KB or when they do not shrink, zstd otherwise. Sole user of
// libzstd.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

enum class Packing : std::int64_t { raw = 0, zstd = 1 };

struct Packed {
  Packing codec = Packing::raw;
  std::string bytes;  // of codec zstd only
  std::string_view view(std::string_view original) const {
    return codec == Packing::raw ? original : std::string_view(bytes);
  }
};
Packed pack(std::string_view original);
// Nothing when the bytes are damaged or would grow beyond `limit`.
std::optional<std::string> unpack(Packing codec, std::string_view stored,
                                  std::size_t limit = std::size_t{1} << 30);

}  // namespace tern
