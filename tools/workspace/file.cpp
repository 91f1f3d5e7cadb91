#include "tools/workspace/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tools/set/tool.h"

namespace tern {

namespace {

std::string kind_of_node(unsigned mode) {
  if (S_ISFIFO(mode)) return "a FIFO (named pipe)";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISBLK(mode)) return "a block device";
  return "not a regular file";
}

std::string read_all(int fd, std::uint64_t expected, std::uint64_t limit, std::string& error) {
  std::string bytes;
  bytes.resize(std::min(expected, limit) + 1);
  std::size_t have = 0;
  while (true) {
    if (have == bytes.size()) bytes.resize(bytes.size() + std::max<std::size_t>(bytes.size() / 2, 65536));
    ssize_t n = ::read(fd, bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) error = std::strerror(errno);
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
    if (have > limit) {
      error = "it is larger than " + human_size(limit);
      break;
    }
  }
  bytes.resize(have);
  return bytes;
}

std::uint64_t rotate(std::uint64_t value, int by) { return (value << by) | (value >> (64 - by)); }

std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33);
}

struct Magic {
  std::string_view bytes, kind;
};
constexpr Magic magics[] = {
    {"\x7f"
     "ELF",
     "ELF executable or library"},
    {"\x89PNG\r\n", "PNG image"},
    {"\xff\xd8\xff", "JPEG image"},
    {"GIF8", "GIF image"},
    {"%PDF-", "PDF document"},
    {"PK\x03\x04", "zip archive (or a document or package built on one)"},
    {"PK\x05\x06", "empty zip archive"},
    {"\x1f\x8b", "gzip archive"},
    {"BZh", "bzip2 archive"},
    {"\xfd"
     "7zXZ",
     "xz archive"},
    {"\x28\xb5\x2f\xfd", "zstd archive"},
    {"7z\xbc\xaf", "7-zip archive"},
    {"SQLite format 3", "SQLite database"},
    {"!<arch>\n", "static library (ar archive)"},
    {"\xca\xfe\xba\xbe", "Java class or Mach-O file"},
    {"\xcf\xfa\xed\xfe", "Mach-O file"},
    {"MZ", "Windows executable"},
    {std::string_view("\0asm", 4), "WebAssembly module"},
    {"OggS", "Ogg media"},
    {"ID3", "MP3 audio"},
    {"fLaC", "FLAC audio"},
    {"BM", "BMP image"},
    {"II*", "TIFF image"},
    {"wOF2", "font"},
    {"wOFF", "font"},
    {std::string_view("\0\1\0\0", 4), "font"},
};

bool is_webp(std::string_view head) {
  return head.substr(0, 4) == "RIFF" && head.size() >= 12 && head.substr(8, 4) == "WEBP";
}

}  // namespace

Stamp stamp_of(const struct stat& st) {
  auto ns = [](const timespec& t) { return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec; };
  return {.device = st.st_dev,
          .inode = st.st_ino,
          .size = static_cast<std::uint64_t>(st.st_size),
          .mtime_ns = ns(st.st_mtim),
          .ctime_ns = ns(st.st_ctim),
          .mode = st.st_mode,
          .owner = st.st_uid,
          .group = st.st_gid,
          .links = static_cast<unsigned>(st.st_nlink)};
}

std::optional<Stamp> stamp_of(const std::filesystem::path& real) {
  struct stat st {};
  if (::lstat(real.c_str(), &st) != 0) return std::nullopt;
  return stamp_of(st);
}

Loaded load_file(const Workspace& workspace, const Place& place, std::uint64_t limit) {
  Loaded out;
  Fd fd = workspace.open(place, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) {
    out.missing = errno == ENOENT || errno == ENOTDIR;
    out.error = errno == ELOOP || errno == EXDEV ? "a symbolic link on the way changed while it was opened"
                : errno == ENXIO                 ? "it is a socket, or a FIFO without a reader"
                                                 : std::strerror(errno);
    return out;
  }
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) {
    out.error = std::strerror(errno);
    return out;
  }
  out.stamp = stamp_of(st);
  out.directory = S_ISDIR(st.st_mode);
  if (out.directory) {
    out.error = "it is a directory";
  } else if (!S_ISREG(st.st_mode)) {
    out.error = "it is " + kind_of_node(st.st_mode);
  } else if (out.stamp.size > limit) {
    out.error = "it is larger than " + human_size(limit) + " (" + human_size(out.stamp.size) + ")";
  } else {
    out.bytes = read_all(fd.get(), out.stamp.size, limit, out.error);
  }
  return out;
}

std::string content_hash(std::string_view bytes) {
  std::uint64_t a = 0x9e3779b97f4a7c15ULL, b = 0xc2b2ae3d27d4eb4fULL ^ bytes.size();
  std::size_t at = 0;
  for (; at + 16 <= bytes.size(); at += 16) {
    std::uint64_t x, y;
    std::memcpy(&x, bytes.data() + at, 8);
    std::memcpy(&y, bytes.data() + at + 8, 8);
    a = rotate(a ^ (x * 0x87c37b91114253d5ULL), 31) * 0x4cf5ad432745937fULL + b;
    b = rotate(b ^ (y * 0x52dce729da3ed7f1ULL), 29) * 0x38495ab5c1b2a6d3ULL + a;
  }
  std::uint64_t tail[2] = {};
  std::memcpy(tail, bytes.data() + at, bytes.size() - at);
  a = mix(a ^ tail[0] ^ rotate(b, 17));
  b = mix(b ^ tail[1] ^ a);
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(a),
                static_cast<unsigned long long>(b));
  return text.data();
}

std::string human_size(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  constexpr const char* units[] = {"KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(),
                value < 10 && value != static_cast<int>(value) ? "%.1f %s" : "%.0f %s", value, units[unit]);
  return text.data();
}

std::string_view file_kind(std::string_view head) {
  if (is_webp(head)) return "WebP image";
  for (const auto& magic : magics) {
    if (head.substr(0, magic.bytes.size()) == magic.bytes) return magic.kind;
  }
  return {};
}

std::string_view image_media_type(std::string_view head) {
  if (head.substr(0, 6) == "\x89PNG\r\n") return "image/png";
  if (head.substr(0, 3) == "\xff\xd8\xff") return "image/jpeg";
  if (head.substr(0, 4) == "GIF8") return "image/gif";
  return is_webp(head) ? "image/webp" : "";
}

std::string barred(const Place& place, Access access, const ToolContext& ctx) {
  if (!place.error.empty()) return "Cannot use this path: " + place.error + ".";
  if (access == Access::write) {
    for (const char* system : {"/proc", "/sys", "/dev"}) {
      if (is_under(system, place.real) && !is_under("/dev/shm", place.real))
        return "Refused: " + place.real.native() + " is not a place for files.";
    }
    if (!ctx.granted && !place.protect.empty()) {
      return "Refused: " + ctx.workspace.display(place.path) + " is protected because " + place.protect +
             ". Nothing was written. Ask the user to change it, or to allow it.";
    }
  }
  if (!ctx.granted && !place.inside) {
    return "Refused: " + place.real.native() + " is outside the workspace (" + ctx.workspace.root().native() +
           (place.through_link ? ", reached through a symbolic link" : "") +
           "). Ask the user to allow it, or to start with --add-dir.";
  }
  return {};
}

}  // namespace tern
