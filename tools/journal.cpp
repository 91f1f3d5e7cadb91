#include "tools/journal.h"

#include <algorithm>

#include "tools/atomic_write.h"
#include "tools/file_memory.h"
#include "tools/walk.h"

namespace tern {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_files = 300;  // a tree up to this size is scanned whole around each command
constexpr std::size_t keep_file = 4u << 20, keep_total = 64u << 20;

Place place_of(const Workspace& workspace, const fs::path& real) { return workspace.locate(real.native()); }

bool protects(std::string_view path) { return path.find(".compression/") != std::string_view::npos; }

// Words of a command line that could be paths: quotes, operators and assignments split them. Too many words do no harm.
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

// Regular files below the roots, ignored ones and git's own left out; nullopt when there are more than `most`.
std::optional<std::vector<fs::path>> small_tree(const Workspace& workspace, std::size_t most) {
  std::vector<fs::path> paths;
  for (const auto& root : workspace.roots()) {
    WalkOptions options{.use_ignore = true,
                        .report_ignored = false,
                        .directories = false,
                        .workers = 1,
                        .most = most - std::min(most, paths.size()),
                        .stop = {}};
    auto result = walk(root, options, [&](const WalkFile& file) {
      if (!protects(file.path)) paths.push_back(root / file.path);
      return true;
    });
    if (result.gave_up) return std::nullopt;
  }
  return paths;
}

}  // namespace

Journal::Journal(JournalStore store, fs::path leftovers)
    : store_(std::move(store)), leftovers_(leftovers.empty() ? default_leftovers() : std::move(leftovers)) {
  clean_leftovers(leftovers_);
}

void Journal::record(FileChange change) {
  change.turn = turn_;
  if (store_.save) {
    store_.save(change);
  } else {
    memory_.push_back(std::move(change));
  }
}

std::vector<FileChange> Journal::changes(std::uint64_t first, std::uint64_t last) const {
  if (store_.load) return store_.load(first, last);
  std::vector<FileChange> found;
  for (const auto& change : memory_) {
    if (change.turn >= first && change.turn <= last) found.push_back(change);
  }
  return found;
}

UndoReport Journal::undo(const Workspace& workspace, std::uint64_t first, std::uint64_t last, bool preview) {
  auto all = changes(first, last);
  std::map<fs::path, std::pair<const FileChange*, const FileChange*>> ends;
  for (const auto& change : all) {
    auto [it, fresh] = ends.try_emplace(change.path, &change, &change);
    if (!fresh) it->second.second = &change;
  }
  UndoReport report;
  for (const auto& [path, pair] : ends) undo_one(workspace, *pair.first, *pair.second, preview, report);
  return report;
}

void Journal::undo_one(const Workspace& workspace, const FileChange& oldest, const FileChange& newest, bool preview,
                       UndoReport& report) {
  const fs::path& path = oldest.path;
  auto refuse = [&](std::string why) { report.refused.emplace_back(path, std::move(why)); };
  Place place = place_of(workspace, path);
  if (place.real != path) return refuse("a symbolic link stands there now");
  Loaded now = load_file(workspace, place);
  if (!now.error.empty() && !now.missing) return refuse(now.error);
  std::string hash = now.missing ? "" : content_hash(now.bytes);
  if (hash == oldest.hash_before) return report.already.push_back(path);
  if (hash != newest.hash_after) return refuse("it changed since");
  if (!oldest.before && !oldest.hash_before.empty()) return refuse("it was too large to keep a copy");
  if (!preview) {
    FileChange back{.turn = turn_,
                    .call_id = "undo",
                    .path = path,
                    .before = std::nullopt,
                    .mode_before = now.stamp.mode,
                    .hash_before = hash,
                    .hash_after = oldest.hash_before,
                    .by_command = false};
    if (!now.missing) back.before = now.bytes;
    record(std::move(back));
    WriteOptions options{.expected = std::nullopt, .leftovers = leftovers_, .mode = oldest.mode_before};
    if (!now.missing) options.expected = now.stamp;
    Written done =
        oldest.before ? atomic_write(workspace, place, *oldest.before, options) : remove_file(workspace, place, now.stamp);
    if (!done.error.empty()) return refuse(done.error);
  }
  (oldest.before ? report.restored : report.removed).push_back(path);
}

void Journal::add(const Workspace& workspace, const fs::path& real, Scan& scan) {
  if (scan.files.count(real)) return;
  auto stamp = stamp_of(real);
  if (!stamp || !S_ISREG(stamp->mode)) return;
  auto known = shadow_.find(real);
  if (known != shadow_.end() && known->second.stamp.same_content(*stamp) && known->second.stamp.ctime_ns == stamp->ctime_ns) {
    scan.files[real] = known->second;
    return;
  }
  Scan::File file{*stamp, nullptr};
  if (stamp->size <= keep_file) {
    if (shadow_bytes_ + stamp->size > keep_total) {
      shadow_.clear();
      shadow_bytes_ = 0;
    }
    Place place;
    place.real = real;
    Loaded loaded = load_file(workspace, place, keep_file);
    if (loaded.error.empty()) {
      file.stamp = loaded.stamp;
      file.bytes = std::make_shared<const std::string>(std::move(loaded.bytes));
      shadow_bytes_ += file.bytes->size();
    }
  }
  shadow_[real] = file;
  scan.files[real] = std::move(file);
}

Scan Journal::before_command(const Workspace& workspace, const FileMemory& files, std::string_view command) {
  Scan scan;
  if (!tree_too_large_) {
    if (auto tree = small_tree(workspace, most_files)) {
      for (const auto& path : *tree) add(workspace, path, scan);
      scan.whole_tree = true;
    } else {
      tree_too_large_ = true;
    }
  }
  for (const auto& path : files.known()) {
    if (workspace.inside(path)) add(workspace, path, scan);
  }
  for (const auto& word : likely_paths(command)) {
    Place place = workspace.locate(word);
    if (place.exists && place.inside && place.protect.empty()) add(workspace, place.real, scan);
  }
  return scan;
}

std::vector<fs::path> Journal::after_command(const Workspace& workspace, const Scan& scan, const std::string& call_id) {
  std::vector<fs::path> changed;
  auto note = [&](const fs::path& path, const Scan::File* before) {
    Place place;
    place.real = path;
    Loaded now = load_file(workspace, place);
    if (!now.error.empty() && !now.missing) return;
    FileChange change{.turn = turn_,
                      .call_id = call_id,
                      .path = path,
                      .before = std::nullopt,
                      .mode_before = before ? before->stamp.mode : 0,
                      .hash_before = {},
                      .hash_after = {},
                      .by_command = true};
    if (!now.missing) change.hash_after = content_hash(now.bytes);
    if (before) change.hash_before = before->bytes ? content_hash(*before->bytes) : "not kept";
    if (before && before->bytes) change.before = *before->bytes;
    if (change.hash_before == change.hash_after) return;
    record(std::move(change));
    changed.push_back(path);
  };
  for (const auto& [path, file] : scan.files) {
    auto stamp = stamp_of(path);
    if (!stamp || !stamp->same_content(file.stamp)) note(path, &file);
  }
  if (!scan.whole_tree) return changed;
  if (auto tree = small_tree(workspace, 2 * most_files)) {
    for (const auto& path : *tree) {
      if (!scan.files.count(path)) note(path, nullptr);
    }
  }
  return changed;
}

}  // namespace tern
