#include "tools/files/atomic_write.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tern {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view temp_prefix = ".tern-tmp-";

std::string random_name() {
  std::array<unsigned char, 8> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) < 0) bytes[0] = static_cast<unsigned char>(::getpid());
  std::string name(temp_prefix);
  for (unsigned char byte : bytes) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

// "<pid>-<random>" with the temp file's path, written before that exists and locked while its writer lives.
class Note {
 public:
  Note(const fs::path& directory, const fs::path& temp) {
    std::error_code ec;
    fs::create_directories(directory, ec);
    path_ =
        directory / (std::to_string(::getpid()) + "-" + temp.filename().native().substr(temp_prefix.size()));
    fd_ = Fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd_) return;
    ::flock(fd_.get(), LOCK_EX | LOCK_NB);
    const std::string& text = temp.native();
    if (::write(fd_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      ::unlink(path_.c_str());
  }
  Note(const Note&) = delete;
  Note& operator=(const Note&) = delete;
  ~Note() { ::unlink(path_.c_str()); }

 private:
  fs::path path_;
  Fd fd_;
};

std::string say(const char* what, int error) { return std::string(what) + ": " + std::strerror(error); }

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// ACLs (system.posix_acl_access), SELinux labels and user attributes. False when one that matters cannot be
// kept.
bool copy_xattrs(int from, int to) {
  std::array<char, 16384> names{};
  ssize_t size = ::flistxattr(from, names.data(), names.size());
  if (size < 0) return errno == ENOTSUP || errno == ENOSYS;
  for (const char* name = names.data(); name < names.data() + size; name += std::strlen(name) + 1) {
    std::vector<char> value(65536);
    ssize_t length = ::fgetxattr(from, name, value.data(), value.size());
    if (length < 0) return false;
    if (::fsetxattr(to, name, value.data(), static_cast<std::size_t>(length), 0) != 0) {
      std::array<char, 1> probe{};  // the kernel may have set it already (security labels by policy)
      if (::fgetxattr(to, name, probe.data(), 0) < 0) return false;
    }
  }
  return true;
}

bool keep_identity(int from, int to, const Stamp& old) {
  struct stat now {};
  if (::fstat(to, &now) != 0) return false;
  bool owned = now.st_uid == old.owner && now.st_gid == old.group;
  if (!owned && ::fchown(to, old.owner, old.group) != 0) return false;
  return copy_xattrs(from, to) && ::fchmod(to, old.mode & 07777) == 0;
}

bool unchanged(int parent, const std::string& name, const std::optional<Stamp>& expected) {
  struct stat st {};
  if (::fstatat(parent, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) return !expected && errno == ENOENT;
  return expected && stamp_of(st).same_content(*expected);
}

Written changed() {
  return {.error = "the file changed on disk while it was being written",
          .changed_meanwhile = true,
          .in_place = false,
          .stamp = {}};
}
Written failed(std::string why) {
  return {.error = std::move(why), .changed_meanwhile = false, .in_place = false, .stamp = {}};
}

Written finish(int fd, bool in_place) {
  struct stat st {};
  ::fstat(fd, &st);
  return {.error = {}, .changed_meanwhile = false, .in_place = in_place, .stamp = stamp_of(st)};
}

// Old bytes are in the caller's store. Longer content is written before the file is cut, so no moment shows
// it empty.
Written write_in_place(const Workspace& workspace, const Place& place, std::string_view bytes,
                       const Stamp& expected) {
  Fd fd = workspace.open(place, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return failed(say("cannot open it for writing", errno));
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0 || !S_ISREG(st.st_mode)) return failed("it is not a regular file any more");
  if (!stamp_of(st).same_content(expected)) return changed();
  if (!write_all(fd.get(), bytes) || ::ftruncate(fd.get(), static_cast<off_t>(bytes.size())) != 0) {
    Written half = failed(say(
        "writing in place failed half-way; the old content is in tern's store (undo restores it)", errno));
    half.in_place = true;
    return half;
  }
  ::fsync(fd.get());
  return finish(fd.get(), true);
}

// Bytes are in `temp`, which is closed and safe on disk: give it the name.
bool give_name(int parent, const std::string& temp, const std::string& name, bool must_be_new) {
  if (!must_be_new) return ::renameat(parent, temp.c_str(), parent, name.c_str()) == 0;
  if (::syscall(SYS_renameat2, parent, temp.c_str(), parent, name.c_str(), 1u /* RENAME_NOREPLACE */) == 0)
    return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  if (::linkat(parent, temp.c_str(), parent, name.c_str(), 0) != 0) return false;
  return ::unlinkat(parent, temp.c_str(), 0) == 0;
}

Written make_directories(const Workspace& workspace, const Place& place) {
  std::vector<fs::path> missing;
  fs::path at = place.real.parent_path();
  struct stat st {};
  while (::lstat(at.c_str(), &st) != 0 && errno == ENOENT) {
    missing.push_back(at);
    at = at.parent_path();
  }
  for (auto it = missing.rbegin(); it != missing.rend(); ++it) {
    Place one;
    one.real = *it;
    Fd parent = workspace.open_parent(one);
    if (!parent || (::mkdirat(parent.get(), it->filename().c_str(), 0777) != 0 && errno != EEXIST)) {
      return failed(say(("cannot make the directory " + it->native()).c_str(), errno));
    }
  }
  return {};
}

}  // namespace

Written atomic_write(const Workspace& workspace, const Place& place, std::string_view bytes,
                     const WriteOptions& options) {
  if (!options.expected) {
    if (auto made = make_directories(workspace, place); !made.error.empty()) return made;
  }
  Fd parent = workspace.open_parent(place);
  if (!parent) return failed(say("cannot open its directory", errno));
  const std::string name = place.real.filename().native();
  if (!unchanged(parent.get(), name, options.expected)) return changed();
  if (options.expected && options.expected->links > 1)
    return write_in_place(workspace, place, bytes, *options.expected);
  if (options.expected && ::faccessat(parent.get(), name.c_str(), W_OK, AT_EACCESS) != 0) {
    return failed(say("the file is read-only", errno));
  }

  const std::string temp = random_name();
  Note note(options.leftovers.empty() ? default_leftovers() : options.leftovers,
            place.real.parent_path() / temp);
  unsigned mode = options.expected ? 0600 : options.mode.value_or(0666);
  Fd fd(::openat(parent.get(), temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd) {
    if (options.expected) return write_in_place(workspace, place, bytes, *options.expected);
    return failed(say("cannot create a file there", errno));
  }
  auto give_up = [&](Written result) {
    ::unlinkat(parent.get(), temp.c_str(), 0);
    return result;
  };
  if (!write_all(fd.get(), bytes) || ::fsync(fd.get()) != 0)
    return give_up(failed(say("cannot write", errno)));
  if (options.expected) {
    Fd old = workspace.open(place, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!old || !keep_identity(old.get(), fd.get(), *options.expected)) {
      return give_up(write_in_place(workspace, place, bytes, *options.expected));
    }
  } else if (options.mode) {
    ::fchmod(fd.get(), *options.mode & 07777);
  }
  if (!unchanged(parent.get(), name, options.expected)) return give_up(changed());
  if (!give_name(parent.get(), temp, name, !options.expected)) {
    return give_up(errno == EEXIST ? changed() : failed(say("cannot rename into place", errno)));
  }
  ::fsync(parent.get());
  return finish(fd.get(), false);
}

Written remove_file(const Workspace& workspace, const Place& place, const Stamp& expected) {
  Fd parent = workspace.open_parent(place);
  const std::string name = place.real.filename().native();
  if (!parent || !unchanged(parent.get(), name, expected)) return changed();
  if (::unlinkat(parent.get(), name.c_str(), 0) != 0) return failed(say("cannot remove it", errno));
  ::fsync(parent.get());
  return {};
}

fs::path default_leftovers() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state && *state == '/') return fs::path(state) / "tern" / "writes";
  const char* home = std::getenv("HOME");
  if (home && *home == '/') return fs::path(home) / ".local/state/tern/writes";
  std::error_code ec;
  return fs::temp_directory_path(ec) / ("tern-writes-" + std::to_string(::getuid()));
}

std::size_t clean_leftovers(const fs::path& directory) {
  std::size_t removed = 0;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(directory, ec)) {
    auto pid = static_cast<pid_t>(std::atol(entry.path().filename().c_str()));
    Fd note(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (pid <= 0 || !note || ::flock(note.get(), LOCK_EX | LOCK_NB) != 0) continue;  // its writer still lives
    std::array<char, 4097> text{};
    ssize_t size = ::read(note.get(), text.data(), text.size() - 1);
    if (size == 0 && ::kill(pid, 0) == 0) continue;  // just made, not written yet
    fs::path temp(text.data());
    if (temp.filename().native().rfind(temp_prefix, 0) == 0 && ::unlink(temp.c_str()) == 0) ++removed;
    ::unlink(entry.path().c_str());
  }
  return removed;
}

}  // namespace tern
