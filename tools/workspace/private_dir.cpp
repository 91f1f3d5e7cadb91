#include "tools/workspace/private_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <utility>

namespace tern {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "tern-run-";
constexpr int most_removed = 50;  // at one start

Fd locked(const fs::path& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return Fd();
  return fd;
}

void remove_dead(const fs::path& base, std::chrono::seconds young) {
  int removed = 0;
  std::error_code error;
  for (auto it = fs::directory_iterator(base, error);
       it != fs::directory_iterator() && removed < most_removed; it.increment(error)) {
    if (!it->path().filename().native().starts_with(prefix)) continue;
    const Fd lock = locked(it->path());
    struct stat st {};
    if (!lock || ::fstat(lock.get(), &st) != 0 || st.st_uid != ::geteuid() ||
        st.st_ctime > std::time(nullptr) - young.count())
      continue;
    std::error_code ignored;
    fs::remove_all(it->path(), ignored);
    ++removed;
  }
}

}  // namespace

PrivateDir PrivateDir::make(fs::path base, std::chrono::seconds young) {
  std::error_code error;
  if (base.empty()) base = fs::temp_directory_path(error);
  if (error) base = "/tmp";
  remove_dead(base, young);
  PrivateDir made;
  std::string name = (base / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) return made;
  made.path_ = name;
  made.lock_ = locked(made.path_);
  return made;
}

PrivateDir::PrivateDir(PrivateDir&& other) noexcept { *this = std::move(other); }

PrivateDir& PrivateDir::operator=(PrivateDir&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

PrivateDir::~PrivateDir() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace tern
