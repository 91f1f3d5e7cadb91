#include "tools/workspace/workspace.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "tools/workspace/protected_names.h"

namespace tern {

namespace fs = std::filesystem;

namespace {

constexpr int most_links = 40;

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < path.size();) {
    std::size_t end = path.find('/', at);
    if (end == std::string_view::npos) end = path.size();
    if (end > at) parts.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Components still to be walked, the next one last.
void push_parts(std::vector<std::string>& todo, std::string_view path) {
  auto parts = split(path);
  todo.insert(todo.end(), std::make_move_iterator(parts.rbegin()), std::make_move_iterator(parts.rend()));
}

void go_up(std::string& current) { current.resize(current.empty() ? 0 : current.rfind('/')); }

std::string read_link(const std::string& path) {
  std::array<char, 4096> buffer{};
  ssize_t n = ::readlink(path.c_str(), buffer.data(), buffer.size());
  return n > 0 ? std::string(buffer.data(), static_cast<std::size_t>(n)) : std::string();
}

fs::path clean(const fs::path& path) {
  std::string text;
  for (const auto& part : split(path.native())) {
    if (part == ".") continue;
    if (part == "..") {
      go_up(text);
      continue;
    }
    text += '/';
    text += part;
  }
  return text.empty() ? fs::path("/") : fs::path(text);
}

fs::path canonical_or_clean(const fs::path& path) {
  std::string error;
  fs::path real = resolve_links(fs::absolute(path), error);
  return error.empty() ? real : clean(fs::absolute(path));
}

int openat2_beneath(int base, const char* path, int flags, unsigned mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(__NR_openat2, base, path, &how, sizeof how));
}

// The same promise without openat2: each component opened from the one before, no link followed, no way up.
int walk_beneath(int base, const std::string& path, int flags, unsigned mode) {
  auto parts = split(path);
  if (std::find(parts.begin(), parts.end(), "..") != parts.end()) return errno = EXDEV, -1;
  Fd at(::dup(base));
  for (std::size_t i = 0; at && i + 1 < parts.size(); ++i) {
    at = Fd(::openat(at.get(), parts[i].c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!at) return -1;
  return ::openat(at.get(), parts.empty() ? "." : parts.back().c_str(), flags | O_NOFOLLOW, mode);
}

Fd open_beneath(const fs::path& base, const fs::path& real, int flags, unsigned mode) {
  Fd root(::open(base.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return Fd();
  std::string below = base == real ? "." : real.native().substr(base == "/" ? 1 : base.native().size() + 1);
  int fd = openat2_beneath(root.get(), below.c_str(), flags | O_CLOEXEC, mode);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM))
    fd = walk_beneath(root.get(), below, flags | O_CLOEXEC, mode);
  return Fd(fd);
}

std::string home_directory() {
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? home : "";
}

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}

Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

int Fd::release() { return std::exchange(fd_, -1); }

bool is_under(const fs::path& directory, const fs::path& path) {
  const std::string &d = directory.native(), &p = path.native();
  if (d == "/") return !p.empty() && p[0] == '/';
  return p.size() >= d.size() && p.compare(0, d.size(), d) == 0 &&
         (p.size() == d.size() || p[d.size()] == '/');
}

fs::path resolve_links(const fs::path& absolute, std::string& error) {
  std::vector<std::string> todo;
  push_parts(todo, absolute.native());
  std::string current;
  int links = 0;
  while (!todo.empty()) {
    std::string part = std::move(todo.back());
    todo.pop_back();
    if (part == ".") continue;
    if (part == "..") {
      go_up(current);
      continue;
    }
    std::string next = current + '/' + part;
    struct stat st {};
    if (::lstat(next.c_str(), &st) == 0 && S_ISLNK(st.st_mode)) {
      if (++links > most_links) {
        error = "too many symbolic links (a loop?)";
        return {};
      }
      std::string target = read_link(next);
      if (!target.empty() && target[0] == '/') current.clear();
      push_parts(todo, target);
    } else {
      current = std::move(next);
    }
  }
  return current.empty() ? fs::path("/") : fs::path(current);
}

Workspace::Workspace(const fs::path& root, const std::vector<fs::path>& extra) : home_(home_directory()) {
  roots_.push_back(canonical_or_clean(root));
  cwd_ = roots_.front();
  if (!home_.empty()) home_ = canonical_or_clean(home_);
  for (const auto& directory : extra) add_dir(directory);
  for (const auto& [path, why] : protected_in_home(home_)) {
    guards_.push_back({path, std::string(why)});
    protect(path, std::string(why));  // and what it links to
  }
}

void Workspace::add_dir(const fs::path& directory) {
  owner_.check();
  fs::path real = canonical_or_clean(directory);
  if (!inside(real)) roots_.push_back(std::move(real));
}

void Workspace::protect(const fs::path& path, std::string why) {
  owner_.check();
  fs::path real = canonical_or_clean(path);
  for (const auto& guard : guards_) {
    if (guard.path == real) return;
  }
  guards_.push_back({std::move(real), std::move(why)});
}

bool Workspace::takes_cwd(const fs::path& directory) const { return inside(canonical_or_clean(directory)); }

bool Workspace::set_cwd(const fs::path& directory) {
  owner_.check();
  fs::path real = canonical_or_clean(directory);
  if (!inside(real)) return false;
  cwd_ = std::move(real);
  return true;
}

bool Workspace::inside(const fs::path& real) const {
  for (const auto& root : roots_) {
    if (is_under(root, real)) return true;
  }
  return false;
}

Place Workspace::locate(std::string_view given) const {
  Place place;
  place.given = given;
  if (given.find('\0') != std::string_view::npos) {
    place.error = "the path contains a NUL byte";
    return place;
  }
  if (given.size() >= 4096) {
    place.error = "the path is longer than 4,095 bytes";
    return place;
  }
  std::string text(given.substr(0, 7) == "file://" ? given.substr(7) : given);
  if ((text == "~" || text.rfind("~/", 0) == 0) && !home_.empty()) text = home_.native() + text.substr(1);
  fs::path absolute = !text.empty() && text[0] == '/' ? fs::path(text) : cwd_ / text;
  struct stat st {};
  if (text.empty() || text[0] != '/') {
    fs::path from_root = root() / text;
    if (cwd_ != root() && ::lstat(absolute.c_str(), &st) != 0 && ::lstat(from_root.c_str(), &st) == 0)
      absolute = from_root;
  }
  place.real = resolve_links(absolute, place.error);
  if (!place.error.empty()) return place;
  place.path = clean(absolute);
  place.exists = ::lstat(place.real.c_str(), &st) == 0;
  place.through_link = place.real != place.path;
  place.inside = inside(place.real);
  place.protect = protection(place.real);
  if (place.protect.empty() && place.through_link) place.protect = protection(place.path);
  if (place.protect.empty() && place.exists && S_ISREG(st.st_mode) && st.st_nlink > 1) {
    place.protect = hard_link_of(place.real);
  }
  return place;
}

std::string Workspace::protection(const fs::path& real) const {
  std::string folded;
  for (const auto& part : split(real.native())) folded += '/' + fold_name(part);
  for (const auto& guard : guards_) {
    std::string wanted;
    for (const auto& part : split(guard.path.native())) wanted += '/' + fold_name(part);
    if (is_under(wanted, folded)) return guard.why;
  }
  fs::path base = "/";
  for (const auto& root : roots_) {
    if (is_under(root, real) && root.native().size() > base.native().size()) base = root;
  }
  std::string at = base == "/" ? "" : base.native();
  if (is_git_directory(at)) return "it is inside a git repository's own files";
  for (const auto& part : split(real.native().substr(at.size()))) {
    if (auto why = protected_name(fold_name(part)); !why.empty()) return std::string(why);
    at += '/' + part;
    if (is_git_directory(at)) return "it is inside a git repository's own files";
  }
  return {};
}

// A hard link is a second name: writing it would change the protected file.
std::string Workspace::hard_link_of(const fs::path& real) const {
  struct stat mine {};
  if (::lstat(real.c_str(), &mine) != 0) return {};
  auto same = [&](const fs::path& other) {
    struct stat st {};
    return ::lstat(other.c_str(), &st) == 0 && st.st_ino == mine.st_ino && st.st_dev == mine.st_dev;
  };
  std::vector<fs::path> candidates;
  for (const auto& root : roots_) list_protected_files(root, candidates);
  if (!home_.empty()) list_protected_files(home_, candidates);
  for (const auto& guard : guards_) list_protected_files_at(guard.path, candidates);
  for (const auto& candidate : candidates) {
    if (same(candidate)) return "it is a hard link of " + display(candidate) + ", which is protected";
  }
  return {};
}

std::string Workspace::display(const fs::path& path) const {
  if (path == root()) return ".";
  if (root() != "/" && is_under(root(), path)) return path.native().substr(root().native().size() + 1);
  if (!home_.empty() && home_ != "/" && is_under(home_, path))
    return "~" + path.native().substr(home_.native().size());
  return path.native();
}

Fd Workspace::open(const Place& place, int flags, unsigned mode) const {
  for (const auto& root : roots_) {
    if (is_under(root, place.real)) return open_beneath(root, place.real, flags, mode);
  }
  return open_beneath("/", place.real, flags, mode);
}

Fd Workspace::open_parent(const Place& place) const {
  Place parent;
  parent.real = place.real.parent_path();
  return open(parent, O_RDONLY | O_DIRECTORY);
}

}  // namespace tern
