#include "compression/text/image_size.h"

#include <cstddef>

namespace tern {

namespace {

int byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }
int big_endian(std::string_view bytes, std::size_t at) {
  return byte_at(bytes, at) << 8 | byte_at(bytes, at + 1);
}
int little_endian(std::string_view bytes, std::size_t at) {
  return byte_at(bytes, at + 1) << 8 | byte_at(bytes, at);
}

// The frame header says it; the segments before it are skipped by their length.
ImageSize jpeg_size(std::string_view blob) {
  for (std::size_t at = 2; at + 9 < blob.size() && blob[at] == '\xFF';) {
    const int marker = byte_at(blob, at + 1);
    const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (frame) return {big_endian(blob, at + 7), big_endian(blob, at + 5)};
    at += 2 + static_cast<std::size_t>(big_endian(blob, at + 2));
  }
  return {};
}

// Three forms: lossy, lossless (two numbers of 14 bits), extended (two of 24 bits).
ImageSize webp_size(std::string_view blob) {
  const std::string_view form = blob.substr(12, 4);
  if (form == "VP8 ") return {little_endian(blob, 26) & 0x3FFF, little_endian(blob, 28) & 0x3FFF};
  if (form == "VP8L") {
    const int low = little_endian(blob, 21), high = little_endian(blob, 23);
    return {(low & 0x3FFF) + 1, (low >> 14 | (high & 0x0FFF) << 2) + 1};
  }
  if (form != "VP8X") return {};
  return {(byte_at(blob, 26) << 16 | little_endian(blob, 24)) + 1,
          (byte_at(blob, 29) << 16 | little_endian(blob, 27)) + 1};
}

}  // namespace

ImageSize image_size(std::string_view blob) {
  if (blob.starts_with("\x89PNG") && blob.size() >= 24) {
    const auto number = [&](std::size_t at) {
      return (big_endian(blob, at) & 0x7FFF) << 16 | big_endian(blob, at + 2);
    };
    return {number(16), number(20)};
  }
  if (blob.starts_with("\xFF\xD8")) return jpeg_size(blob);
  if (blob.starts_with("GIF8") && blob.size() >= 10) return {little_endian(blob, 6), little_endian(blob, 8)};
  if (blob.size() >= 30 && blob.starts_with("RIFF") && blob.substr(8, 4) == "WEBP") return webp_size(blob);
  return {};
}

}  // namespace tern
