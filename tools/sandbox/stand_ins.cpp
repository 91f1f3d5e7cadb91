#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string_view>

#include "tools/sandbox/sandbox.h"
#include "tools/workspace/workspace.h"

namespace tern {

namespace {

namespace fs = std::filesystem;

constexpr mode_t mark = 01555;  // an empty directory with this mode is one of ours, also after a crash

constexpr mode_t file_mark = 0444;
constexpr std::string_view here = ".\n";  // of a "commondir": the folder it is in

bool is_file_stand_in(const fs::path& path, const struct stat& info) {
  if (path.filename() != common_dir || !S_ISREG(info.st_mode) || (info.st_mode & 07777) != file_mark)
    return false;
  if (info.st_size != static_cast<off_t>(here.size())) return false;
  std::string text(here.size(), '\0');
  std::ifstream(path, std::ios::binary).read(text.data(), static_cast<std::streamsize>(text.size()));
  return text == here;
}

bool is_stand_in(const fs::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0 && is_file_stand_in(path, info)) return true;
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && (info.st_mode & 07777) == mark;
}

bool present(const fs::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

bool moved_to(const fs::path& from, const fs::path& to) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
}

// Between commands they wait beside the private directory: some file systems take 2 ms to make or remove a
// directory, where one that is moved takes hundredths.
fs::path waiting_place(const Sandbox& sandbox, const fs::path& path) {
  if (sandbox.temp.empty()) return {};
  return sandbox.temp.parent_path() / stand_in_store / path.filename();
}

void put_up_file(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file_mark);
  if (fd < 0) return;
  if (::write(fd, here.data(), here.size()) != static_cast<ssize_t>(here.size())) ::unlink(path.c_str());
  ::fchmod(fd, file_mark);
  ::close(fd);
}

void put_up(const fs::path& path, const fs::path& waiting) {
  if (path.filename() == common_dir) return put_up_file(path);
  if (moved_to(waiting, path) || ::mkdir(path.c_str(), 0700) == 0) ::chmod(path.c_str(), mark);
}

// One that somebody outside has filled in the meantime is theirs, and stays.
void take_down(const fs::path& path, const fs::path& waiting) {
  if (path.filename() == common_dir) {
    ::unlink(path.c_str());
    return;
  }
  ::chmod(path.c_str(), 0755);  // else only root may move it
  std::error_code error;
  if (!moved_to(path, waiting))
    ::rmdir(path.c_str());
  else if (!fs::is_empty(waiting, error))
    moved_to(waiting, path);
}

}  // namespace

StandIns::StandIns(const Sandbox& sandbox) : sandbox_(&sandbox) {
  if (!sandbox.on || sandbox.rung == SandboxRung::none) return;
  for (const fs::path& root : sandbox.writable) {
    const int fd = ::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) continue;
    ::flock(fd, LOCK_SH);
    locks_.push_back(fd);
  }
  for (const fs::path& path : sandbox.read_only) {
    const auto writable = [&](const fs::path& root) { return is_under(root, path); };
    if (std::none_of(sandbox.writable.begin(), sandbox.writable.end(), writable) ||
        (present(path) && !is_stand_in(path)))
      continue;
    if (sandbox.rung == SandboxRung::namespaces && !present(path)) put_up(path, waiting_place(sandbox, path));
    missing_.push_back(path);
  }
}

std::string StandIns::remove() {
  std::string moved;
  bool last = true;
  for (int fd : locks_) last = ::flock(fd, LOCK_EX | LOCK_NB) == 0 && last;
  for (const fs::path& path : missing_) {
    if (is_stand_in(path)) {
      if (last) take_down(path, waiting_place(*sandbox_, path));
      continue;
    }
    if (!present(path)) continue;
    const fs::path away =
        sandbox_->temp / ("not-kept-" + path.filename().string() + "-" + std::to_string(::getpid()));
    if (::rename(path.c_str(), away.c_str()) == 0)
      moved +=
          (moved.empty() ? "" : ", ") + path.string() + " is protected and was moved to " + away.string();
    else
      moved += (moved.empty() ? "" : ", ") + path.string() +
               " is protected but was made, and could not be moved away";
  }
  for (int fd : locks_) ::close(fd);
  locks_.clear();
  missing_.clear();
  return moved;
}

}  // namespace tern
