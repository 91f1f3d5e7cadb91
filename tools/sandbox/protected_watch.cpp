#include "tools/protected_watch.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <system_error>

#include "tools/protected_names.h"
#include "tools/workspace.h"

namespace tern {

namespace fs = std::filesystem;

namespace {

std::int64_t ns_of(const timespec& time) { return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec; }

// A change within the tick of the file system's clock that a look fell into does not show later.
constexpr std::int64_t unsettled = 20'000'000;

}  // namespace

ProtectedWatch::ProtectedWatch(std::vector<fs::path> roots, std::size_t most_directories)
    : roots_(std::move(roots)), most_(most_directories) {
  for (const fs::path& root : roots_) times_[root] = 0;
}

void ProtectedWatch::add(const fs::path& path, Paths& fresh) {
  if (found_.insert(path).second) fresh.push_back(path);
}

void ProtectedWatch::look(const fs::path& directory, Paths& queue, Paths& fresh) {
  struct ::stat info {};
  if (::lstat(directory.c_str(), &info) != 0) return;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t changed = ns_of(info.st_mtim);
  times_[directory] = ns_of(now) - changed < unsettled ? 0 : changed;
  int parts_of_git = 0;
  const std::size_t first_below = queue.size();
  std::error_code error, unknown;
  for (fs::directory_iterator entry(directory, fs::directory_options::skip_permission_denied, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    if (!protected_name(fold_name(name)).empty()) {
      add(entry->path(), fresh);
      continue;
    }
    parts_of_git += name == "HEAD" || name == "objects" || name == "refs";
    if (name == "node_modules" || entry->is_symlink(unknown) || !entry->is_directory(unknown)) continue;
    if (times_.size() < most_ && times_.try_emplace(entry->path(), 0).second) queue.push_back(entry->path());
  }
  if (parts_of_git != 3 || std::find(roots_.begin(), roots_.end(), directory) != roots_.end()) return;
  add(directory, fresh);
  for (std::size_t i = first_below; i < queue.size(); ++i) times_.erase(queue[i]);
  queue.resize(first_below);
}

std::vector<fs::path> ProtectedWatch::update() {
  const auto gone = [](const fs::path& path) {
    struct ::stat info {};
    return ::lstat(path.c_str(), &info) != 0;
  };
  std::erase_if(found_, gone);
  std::erase_if(times_, [&](const auto& one) { return one.second != 0 && gone(one.first); });
  Paths queue, fresh;
  for (const auto& [directory, time] : times_) {
    struct ::stat info {};
    if (time == 0 || (::lstat(directory.c_str(), &info) == 0 && ns_of(info.st_mtim) != time)) queue.push_back(directory);
  }
  for (std::size_t at = 0; at < queue.size(); ++at) look(fs::path(queue[at]), queue, fresh);
  return fresh;
}

}  // namespace tern
