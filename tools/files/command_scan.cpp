#include "tools/files/command_scan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tools/files/file_memory.h"
#include "tools/workspace/walk.h"

namespace tern {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds copying_time{30};  // of one scan, beyond what was seen or named
constexpr std::size_t least_copied = 64;
constexpr std::size_t most_beside_seen = 1500;  // files of a large tree that are watched for lying near
constexpr std::size_t most_lost = 200;          // changes without a copy that are recorded by name

bool own_state(std::string_view path) { return path.find(".compression/") != std::string_view::npos; }

// Words of a command line that could be paths: quotes, operators and assignments split them. Too many words
// do no harm.
std::vector<std::string> likely_paths(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  for (char c : command) {
    if (std::string_view(" \t\n'\"`;|&<>()=,").find(c) == std::string_view::npos) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

// "src/*.c" may be any file of src.
std::string without_pattern(const std::string& word) {
  const std::size_t pattern = word.find_first_of("*?[{");
  if (pattern == std::string::npos) return word;
  const std::size_t slash = word.rfind('/', pattern);
  return slash == std::string::npos ? std::string() : word.substr(0, slash);
}

// File systems stamp in ticks: what comes after this has at least this time.
std::int64_t file_time_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Regular files below `root`, ignored ones and git's own left out. False when there are more than `most`.
bool each_file(const fs::path& root, std::size_t most, const std::function<void(const WalkFile&)>& visit) {
  const WalkOptions options{.use_ignore = true,
                            .report_ignored = false,
                            .directories = false,
                            .workers = 1,
                            .most = most,
                            .stop = {}};
  const auto result = walk(root, options, [&](const WalkFile& file) {
    if (!own_state(file.path)) visit(file);
    return true;
  });
  return !result.gave_up;
}

bool all_files(const Workspace& workspace, std::size_t most, std::vector<fs::path>& paths) {
  return std::all_of(workspace.roots().begin(), workspace.roots().end(), [&](const fs::path& root) {
    return each_file(root, most - std::min(most, paths.size()),
                     [&](const WalkFile& file) { paths.push_back(root / file.path); });
  });
}

std::int64_t ns_of(const statx_timestamp& t) {
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

bool born_before(const fs::path& path, std::int64_t ns) {
  struct statx info {};
  return ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &info) == 0 &&
         (info.stx_mask & STATX_BTIME) != 0 && ns_of(info.stx_btime) < ns;
}

const Scan::File lost{};  // it was there, and nobody knows what it held

bool first_word_looks(std::string_view piece) {
  constexpr std::array programs = {"ls",   "cat",   "head",   "tail",  "wc",   "pwd",  "echo",
                                   "grep", "egrep", "fgrep",  "rg",    "stat", "file", "which",
                                   "du",   "df",    "whoami", "uname", "true", "sleep"};
  constexpr std::array git = {"git status", "git log",       "git diff",    "git show",
                              "git blame",  "git rev-parse", "git ls-files"};
  piece.remove_prefix(std::min(piece.find_first_not_of(" \t"), piece.size()));
  const auto begins = [&](std::string_view words) {
    return piece.substr(0, words.size()) == words &&
           (piece.size() == words.size() || piece[words.size()] == ' ');
  };
  return std::any_of(programs.begin(), programs.end(), begins) || std::any_of(git.begin(), git.end(), begins);
}

}  // namespace

bool only_looks(std::string_view command) {
  if (command.find_first_of(">`$(){}\\\n&") != command.npos || command.find("--output") != command.npos)
    return false;
  while (true) {
    const std::size_t end = command.find_first_of("|;");
    if (!first_word_looks(command.substr(0, end))) return false;
    if (end == command.npos) return true;
    command.remove_prefix(end + 1);
  }
}

// Takes a copy unless there is one already; after the deadline only the stamp.
void CommandScanner::add(const Workspace& workspace, const fs::path& real, Scan& scan,
                         Clock::time_point deadline) {
  if (scan.files.count(real)) return;
  auto stamp = stamp_of(real);
  if (!stamp || !S_ISREG(stamp->mode)) return;
  auto& known = known_[real];
  const bool same = known.stamp.same_content(*stamp) && known.stamp.ctime_ns == stamp->ctime_ns;
  if (!same) known = {*stamp, std::nullopt};
  if (!known.copy && stamp->size <= Shadow::keep_file &&
      (scan.copied < least_copied || Clock::now() < deadline)) {
    ++scan.copied;
    Place place;
    place.real = real;
    Loaded loaded = load_file(workspace, place, Shadow::keep_file);
    if (loaded.error.empty()) known = {loaded.stamp, shadow_.keep(loaded.bytes)};
  }
  scan.files[real] = known;
}

bool CommandScanner::make_room() {
  if (!shadow_.full()) return false;
  shadow_.clear();
  known_.clear();
  return true;
}

Scan CommandScanner::before(const Workspace& workspace, const FileMemory& files, std::string_view command) {
  Scan scan;
  scan.only_looks = only_looks(command);
  scan.began_ns = file_time_now();
  if (scan.only_looks) return scan;
  std::vector<fs::path> tree;
  tree_too_large_ = tree_too_large_ || !all_files(workspace, most_watched, tree);
  for (const auto& path : files.known())
    if (workspace.inside(path)) add(workspace, path, scan, Clock::time_point::max());
  const auto deadline = Clock::now() + copying_time;
  const auto add_below = [&](const fs::path& directory, std::size_t most) {
    if (!tree_too_large_ || directory == workspace.root()) return;
    each_file(directory, most,
              [&](const WalkFile& file) { add(workspace, directory / file.path, scan, deadline); });
  };
  for (const auto& word : likely_paths(command)) {
    const std::string name = without_pattern(word);
    const Place place = name.empty() ? Place{} : workspace.locate(name);
    if (!place.exists || !place.inside || !place.protect.empty()) continue;
    if (fs::is_directory(place.real))
      add_below(place.real, most_watched);
    else if (name == word)
      add(workspace, place.real, scan, Clock::time_point::max());
  }
  std::set<fs::path> near;
  for (const auto& path : files.known())
    if (tree_too_large_ && workspace.inside(path)) near.insert(path.parent_path());
  for (const auto& directory : near)
    if (scan.files.size() < most_beside_seen) add_below(directory, most_beside_seen - scan.files.size());
  if (tree_too_large_) return scan;
  for (const auto& path : tree) add(workspace, path, scan, deadline);
  scan.whole_tree = true;
  return scan;
}

namespace {

class Finder {
 public:
  Finder(const Workspace& workspace, const Scan& scan, const std::string& call_id)
      : workspace_(workspace), scan_(scan), call_id_(call_id) {}

  // Adds what differs from `before`; null: the file was not there.
  void look(const fs::path& path, const Scan::File* before);
  void unwatched();
  std::vector<FoundChange> found;

 private:
  const Workspace& workspace_;
  const Scan& scan_;
  const std::string& call_id_;
};

void Finder::look(const fs::path& path, const Scan::File* before) {
  if (scan_.recorded.count(path)) return;
  Place place;
  place.real = path;
  const Loaded now = load_file(workspace_, place);
  if (!now.error.empty() && !now.missing && !now.directory) return;
  if (!now.missing && now.stamp.ctime_ns > scan_.end_ns) return;
  FileChange change{.call_id = call_id_,
                    .path = path,
                    .before = std::nullopt,
                    .mode_before = before ? before->stamp.mode : 0,
                    .hash_before = {},
                    .hash_after = now.missing     ? ""
                                  : now.directory ? "directory"
                                                  : content_hash(now.bytes),
                    .by_command = true};
  if (before) change.hash_before = before->copy ? before->copy->hash : std::string(not_kept);
  const bool mode_changed = before && !now.missing && before->stamp.mode != now.stamp.mode;
  if (change.hash_before == change.hash_after && !mode_changed) return;
  found.push_back({std::move(change), before ? before->copy : std::nullopt});
}

// In a tree too large to be watched: what the command touched, by the time the file system gave it.
void Finder::unwatched() {
  std::size_t seen = 0;
  for (const auto& root : workspace_.roots()) {
    each_file(root, CommandScanner::most_looked_at, [&](const WalkFile& file) {
      struct statx info {};
      if (::statx(file.directory, file.name, AT_SYMLINK_NOFOLLOW, STATX_CTIME, &info) != 0) return;
      if (ns_of(info.stx_ctime) < scan_.began_ns) return;
      const fs::path path = root / file.path;
      if (scan_.files.count(path) || ++seen > most_lost) return;
      // Even one born since may have been there before under its name: "sed -i" and git put a new file in the
      // old one's place.
      look(path, &lost);
    });
  }
}

}  // namespace

std::vector<FoundChange> CommandScanner::after(const Workspace& workspace, const Scan& scan,
                                               const std::string& call_id) const {
  Finder finder(workspace, scan, call_id);
  if (scan.only_looks) return {};
  for (const auto& [path, file] : scan.files) {
    const auto stamp = stamp_of(path);
    if (stamp && stamp->same_content(file.stamp) && stamp->ctime_ns == file.stamp.ctime_ns) continue;
    finder.look(path, &file);
  }
  if (!scan.whole_tree) {
    finder.unwatched();
    return std::move(finder.found);
  }
  std::vector<fs::path> tree;
  all_files(workspace, 2 * most_watched, tree);
  for (const auto& path : tree) {
    if (scan.files.count(path)) continue;
    finder.look(path, born_before(path, scan.began_ns) ? &lost : nullptr);  // ignored until the command, say
  }
  return std::move(finder.found);
}

FileChange CommandScanner::with_image(FoundChange found) const {
  if (found.copy) found.change.before = shadow_.read(*found.copy);
  return std::move(found.change);
}

}  // namespace tern
