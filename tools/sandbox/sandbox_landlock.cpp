#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <vector>

#include "tools/sandbox/sandbox_parts.h"

namespace tern::walls {

namespace {

namespace fs = std::filesystem;

// Numbers of the kernel's interface, spelled out because the headers of older systems stop at the first
// version.
constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
constexpr std::uint32_t version_flag = 1, path_beneath = 1;
constexpr std::uint64_t fs_write_file = 1u << 1, fs_read_file = 1u << 2, fs_remove_dir = 1u << 4,
                        fs_remove_file = 1u << 5, fs_make = 0x7fu << 6, fs_refer = 1u << 13,
                        fs_truncate = 1u << 14, fs_ioctl_dev = 1u << 15;
constexpr std::uint64_t scope_abstract_socket = 1u << 0, scope_signal = 1u << 1;

struct RulesetAttributes {
  std::uint64_t files = 0, network = 0, scoped = 0;
};
struct [[gnu::packed]] PathAttributes {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};

// Alone, Landlock also has to keep terminals, disks and keys from being read; inside the namespaces they are
// not there.
std::uint64_t rights_of(int abi, SandboxRung rung) {
  std::uint64_t rights = fs_write_file | fs_remove_dir | fs_remove_file | fs_make;
  if (rung == SandboxRung::landlock) rights |= fs_read_file;
  if (abi >= 2) rights |= fs_refer;
  if (abi >= 3) rights |= fs_truncate;
  if (abi >= 5) rights |= fs_ioctl_dev;
  return rights;
}

class Ruleset {
 public:
  Ruleset(const Sandbox& sandbox, int abi) : sandbox_(sandbox), rights_(rights_of(abi, sandbox.rung)) {
    RulesetAttributes attributes{rights_, 0, abi >= 6 ? scope_abstract_socket | scope_signal : 0};
    const std::size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
    fd_ = static_cast<int>(::syscall(create_ruleset, &attributes, size, 0));
  }
  ~Ruleset() {
    if (fd_ >= 0) ::close(fd_);
  }
  Ruleset(const Ruleset&) = delete;
  Ruleset& operator=(const Ruleset&) = delete;

  int fd() const { return fd_; }

  bool allow(const fs::path& path) { return add(path, rights_, O_NOFOLLOW); }
  // A terminal the command was handed anyway: to be opened again as /dev/stdout.
  bool allow_terminal(int fd) {
    return ::isatty(fd) == 0 || add("/proc/self/fd/" + std::to_string(fd), rights_, 0);
  }

  // Everything below `directory` may be read but what is closed; a place that cannot be listed is followed
  // towards those only.
  bool allow_reading(const fs::path& directory, const std::vector<fs::path>& closed) {
    const auto around = [&](const fs::path& p) { return below(directory, p); };
    if (std::none_of(closed.begin(), closed.end(), around)) return add(directory, fs_read_file, O_NOFOLLOW);
    std::error_code error;
    std::vector<fs::path> inside;
    for (fs::directory_iterator entry(directory, error), end; entry != end && !error; entry.increment(error))
      inside.push_back(entry->path());
    if (error)
      for (const fs::path& path : closed)
        if (around(path))
          inside.push_back(directory /
                           *std::next(path.begin(), std::distance(directory.begin(), directory.end())));
    bool good = true;
    for (const fs::path& path : inside)
      if (std::find(closed.begin(), closed.end(), path) == closed.end())
        good = (fs::is_directory(fs::symlink_status(path, error)) ? allow_reading(path, closed)
                                                                  : add(path, fs_read_file, O_NOFOLLOW)) &&
               good;
    return good;
  }

  // Landlock only adds: to spare a protected path below `directory`, its neighbours are allowed one by one,
  // and nothing new can be made beside it.
  bool allow_around(const fs::path& directory) {
    const auto protects = [&](const auto& test) {
      return std::any_of(sandbox_.read_only.begin(), sandbox_.read_only.end(), test);
    };
    if (!protects([&](const fs::path& p) { return below(directory, p); })) return allow(directory);
    std::error_code error;
    bool good = true;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
      if (protects([&](const fs::path& p) { return p == entry.path(); })) continue;
      good = (entry.is_directory(error) && !entry.is_symlink(error) ? allow_around(entry.path())
                                                                    : allow(entry.path())) &&
             good;
    }
    return good;
  }

 private:
  bool add(const fs::path& path, std::uint64_t rights, int how) {
    PathAttributes rule;
    rule.parent = ::open(path.c_str(), O_PATH | O_CLOEXEC | how);
    if (rule.parent < 0)
      return errno == ENOENT || (errno == EACCES && rights == fs_read_file);  // nothing there to allow
    struct stat info {};
    ::fstat(rule.parent, &info);
    rule.allowed =
        S_ISDIR(info.st_mode) ? rights : rights & (fs_read_file | fs_write_file | fs_truncate | fs_ioctl_dev);
    const bool made = S_ISLNK(info.st_mode) || ::syscall(add_rule, fd_, path_beneath, &rule, 0) == 0;
    ::close(rule.parent);
    return made;
  }

  static bool below(const fs::path& directory, const fs::path& path) {
    return std::mismatch(directory.begin(), directory.end(), path.begin(), path.end()).first ==
               directory.end() &&
           path != directory;
  }

  const Sandbox& sandbox_;
  std::uint64_t rights_;
  int fd_ = -1;
};

// What is not to be read, as it is called without links. /dev holds terminals, consoles and disks.
std::vector<fs::path> closed_places(const Sandbox& sandbox) {
  std::vector<fs::path> closed{"/dev"};
  std::error_code error;
  for (const fs::path& path : sandbox.hidden) closed.push_back(fs::weakly_canonical(path, error));
  return closed;
}

}  // namespace

int landlock_abi() {
  const long abi = ::syscall(create_ruleset, nullptr, 0, version_flag);
  return abi < 0 ? 0 : static_cast<int>(abi);
}

std::string restrict_with_landlock(const Sandbox& sandbox) {
  Ruleset rules(sandbox, landlock_abi());
  if (rules.fd() < 0) return errno_text("landlock");
  bool good = true;
  for (const fs::path& path : sandbox.writable)
    good = (sandbox.rung == SandboxRung::namespaces ? rules.allow(path) : rules.allow_around(path)) && good;
  if (!sandbox.temp.empty()) good = rules.allow(sandbox.temp) && good;
  for (const char* device :
       {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"})
    good = rules.allow(device) && good;
  for (int fd = 0; fd < 3; ++fd) good = rules.allow_terminal(fd) && good;
  if (sandbox.rung == SandboxRung::namespaces) {
    for (const char* own : {"/dev/pts", "/dev/shm"}) good = rules.allow(own) && good;
  } else {
    good = rules.allow_reading("/", closed_places(sandbox)) && good;
  }
  if (!good) return errno_text("landlock rule");
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::syscall(restrict_self, rules.fd(), 0) != 0) return errno_text("landlock");
  return {};
}

}  // namespace tern::walls
