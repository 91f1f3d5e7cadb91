#include "tools/sandbox/protected_watch.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <system_error>

#include "tools/workspace/protected_names.h"
#include "tools/workspace/workspace.h"

namespace tern {

namespace fs = std::filesystem;

namespace {

std::int64_t ns_of(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// A change within the tick of the file system's clock that a look fell into does not show later.
constexpr std::int64_t unsettled = 20'000'000;

// Settings by a name that often, but not always, comes with a key.
bool mentions_key(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(64 * 1024, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view signs[] = {"token", "auth", "passw", "secret", "key"};
  return std::any_of(std::begin(signs), std::end(signs),
                     [&](std::string_view sign) { return text.find(sign) != text.npos; });
}

// Keys that tests come with are no secrets, and the tests need them.
bool kept_for_tests(const fs::path& path) {
  constexpr std::string_view folders[] = {"test",     "tests",     "testing", "testdata", "test-data",
                                          "fixtures", "__tests__", "spec",    "examples"};
  return std::any_of(path.begin(), path.end(), [&](const fs::path& part) {
    return std::find(std::begin(folders), std::end(folders), part.native()) != std::end(folders);
  });
}

bool keeps_secret(const fs::path& path, const fs::path& root) {
  const std::string name = path.filename().native();
  if (!secret_name(name) || kept_for_tests(path.lexically_relative(root))) return false;
  return (name != ".npmrc" && name != ".envrc") || mentions_key(path);
}

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
  for (fs::directory_iterator entry(directory, fs::directory_options::skip_permission_denied, error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    if (keeps_secret(entry->path(), roots_.front())) secrets_.insert(entry->path());
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
  std::erase_if(secrets_, gone);
  std::erase_if(times_, [&](const auto& one) { return one.second != 0 && gone(one.first); });
  Paths queue, fresh;
  for (const auto& [directory, time] : times_) {
    struct ::stat info {};
    if (time == 0 || (::lstat(directory.c_str(), &info) == 0 && ns_of(info.st_mtim) != time))
      queue.push_back(directory);
  }
  for (std::size_t at = 0; at < queue.size(); ++at) look(fs::path(queue[at]), queue, fresh);
  return fresh;
}

}  // namespace tern
