#include "tools/files/git_index.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace tern {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kBeforePath = 62;  // stat data, a 20-byte hash, flags

std::string read_all(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::uint32_t big_endian(std::string_view bytes, std::size_t at, int width) {
  std::uint32_t value = 0;
  for (int n = 0; n < width; ++n)
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(n)]);
  return value;
}

// A worktree's or submodule's .git is a file that names the real directory.
fs::path git_dir(const fs::path& dot_git) {
  std::error_code ignored;
  if (fs::is_directory(dot_git, ignored)) return dot_git;
  std::string text = read_all(dot_git);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  constexpr std::string_view kKey = "gitdir: ";
  return text.starts_with(kKey) ? dot_git.parent_path() / text.substr(kKey.size()) : fs::path();
}

// The names of an index, versions 2 to 4, in order. Stops at the first thing that does not fit.
class IndexNames {
 public:
  explicit IndexNames(std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() < 12 || bytes.substr(0, 4) != "DIRC") return;
    version_ = big_endian(bytes, 4, 4);
    left_ = version_ >= 2 && version_ <= 4 ? big_endian(bytes, 8, 4) : 0;
  }
  bool next(std::string& name, TrackedFile& file) {
    if (left_ == 0 || at_ + kBeforePath > bytes_.size()) return false;
    --left_;
    const std::size_t start = at_;
    const bool extended = big_endian(bytes_, at_ + 60, 2) & 0x4000;
    at_ += kBeforePath + (version_ >= 3 && extended ? 2 : 0);
    if (version_ == 4 && !strip(name)) return false;
    if (version_ != 4) name.clear();
    const std::size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) return false;
    name.append(bytes_.substr(at_, end - at_));
    file = {{},
            big_endian(bytes_, start + 8, 4),
            big_endian(bytes_, start + 12, 4),
            big_endian(bytes_, start + 36, 4)};
    at_ = version_ == 4 ? end + 1 : start + (end - start + 8) / 8 * 8;
    return true;
  }

 private:
  // Version 4 says how many bytes of the name before to take off.
  bool strip(std::string& name) {
    std::size_t count = 0;
    for (bool more = true, first = true; more; first = false) {
      if (at_ >= bytes_.size()) return false;
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      more = byte & 0x80;
      count = ((first ? 0 : count + 1) << 7) | (byte & 0x7f);
    }
    if (count > name.size()) return false;
    name.resize(name.size() - count);
    return true;
  }
  std::string_view bytes_;
  std::uint32_t version_ = 0, left_ = 0;
  std::size_t at_ = 12;
};

}  // namespace

namespace {

// The first folder at `top` or above it that has a .git; empty when there is none.
fs::path repository_of(fs::path top) {
  for (std::error_code error; !error; top = top.parent_path()) {
    if (fs::exists(fs::symlink_status(top / ".git", error))) return top;
    error.clear();
    if (top == top.parent_path()) break;
  }
  return {};
}

// Asks about every tracked path below `real` of the repository at `top`.
bool any_of_index(const fs::path& real, const fs::path& top, const TrackedWanted& wanted) {
  if (top.empty()) return false;
  const std::string bytes = read_all(git_dir(top / ".git") / "index");
  const std::string name = real == top ? std::string() : real.lexically_relative(top).generic_string();
  IndexNames names(bytes);
  TrackedFile file;
  for (std::string one; names.next(one, file);) {
    if (!name.empty() && one != name && !one.starts_with(name + "/")) continue;
    file.path = top / one;
    if (wanted(file)) return true;
  }
  return false;
}

}  // namespace

bool tracked_by_git(const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(folder, error);
  return !error &&
         any_of_index(real, repository_of(real.parent_path()), [](const TrackedFile&) { return true; });
}

bool any_tracked(const fs::path& path, const TrackedWanted& wanted) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return !error && any_of_index(real, repository_of(real), wanted);
}

bool any_tracked_above(const fs::path& path, const TrackedWanted& wanted) {
  std::error_code error;
  const fs::path top = repository_of(fs::weakly_canonical(path, error));
  return !error && any_of_index(top, top, wanted);
}

}  // namespace tern
