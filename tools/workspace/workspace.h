// The one place that decides what is inside the workspace, what is protected, and how a path is opened.
// Paths are compared by component on their canonical form, never by string prefix. A Place is a decision
// about one instant; open() follows no link at all, so what was swapped since is refused instead of followed.
// A value: a tool on another thread works with a copy. add_dir, protect and set_cwd belong to the session's
// owner.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compression/text/owner_thread.h"

namespace tern {

struct Place {
  std::string given;           // as it was written
  std::filesystem::path path;  // absolute and clean; its last component may be a link
  std::filesystem::path real;  // every link resolved, also when the end does not exist yet
  bool inside = false;         // of the root or of an extra directory
  bool exists = false;
  bool through_link = false;  // real is not where path says
  std::string protect;        // why writing here needs an explicit yes; empty = ordinary
  std::string error;          // not usable as a path at all; nothing else is set then
};

// Owns a descriptor.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();
  int get() const { return fd_; }
  int release();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

class Workspace {
 public:
  explicit Workspace(const std::filesystem::path& root, const std::vector<std::filesystem::path>& extra = {});

  const std::filesystem::path& root() const { return roots_.front(); }
  const std::vector<std::filesystem::path>& roots() const { return roots_; }
  void add_dir(const std::filesystem::path& directory);

  // Names of the project's own that may never be written silently, beside the built-in ones (state directory,
  // config file).
  void protect(const std::filesystem::path& path, std::string why);

  // Where Bash stands; relative paths start here. A directory outside is not taken (false).
  const std::filesystem::path& cwd() const { return cwd_; }
  bool set_cwd(const std::filesystem::path& directory);
  bool takes_cwd(const std::filesystem::path& directory) const;  // what set_cwd() would say

  // Understands absolute, relative, "~/" and "file://"; relative ones are tried in cwd, then in the root.
  Place locate(std::string_view path) const;
  bool inside(const std::filesystem::path& real) const;

  // For people and for the model: relative to the root when inside it, "~/…" below home, else absolute.
  std::string display(const std::filesystem::path& path) const;

  // openat2 with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS, or a component walk where the kernel has none. errno
  // tells.
  Fd open(const Place& place, int flags, unsigned mode = 0) const;
  Fd open_parent(const Place& place) const;

 private:
  struct Guard {
    std::filesystem::path path;
    std::string why;
  };
  std::string protection(const std::filesystem::path& real) const;
  std::string hard_link_of(const std::filesystem::path& real) const;

  std::vector<std::filesystem::path> roots_;  // canonical; the first is the root
  std::filesystem::path cwd_, home_;
  std::vector<Guard> guards_;
  OwnerThread owner_;
};

// True when `path` is `directory` or below it, component by component. Both clean.
bool is_under(const std::filesystem::path& directory, const std::filesystem::path& path);

// Every link resolved, also below components which do not exist. Empty and `error` set when it cannot be.
std::filesystem::path resolve_links(const std::filesystem::path& absolute, std::string& error);

}  // namespace tern
