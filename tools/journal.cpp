#include "tools/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tools/atomic_write.h"
#include "tools/file_memory.h"
#include "tools/walk.h"

namespace tern {

namespace fs = std::filesystem;

namespace {

Place place_of(const Workspace& workspace, const fs::path& real) { return workspace.locate(real.native()); }

// Nobody else's work stands between the first and the last of these changes: each begins with a state some earlier one left or
// found (one that was recorded and then not made, or taken back by hand, loses nothing). What undo put back it had checked.
bool whole(const std::vector<const FileChange*>& chain) {
  std::set<std::string_view> states;
  const auto state = [](const std::string& hash) { return hash == "directory" ? std::string_view() : std::string_view(hash); };
  for (const FileChange* change : chain) {
    const bool known = states.empty() || states.count(state(change->hash_before)) != 0;
    if (!known && change->hash_before != not_kept && change->call_id != "undo") return false;
    states.insert({state(change->hash_before), state(change->hash_after)});
  }
  return true;
}

}  // namespace

Journal::Journal(JournalStore store, fs::path leftovers)
    : store_(std::move(store)), leftovers_(leftovers.empty() ? default_leftovers() : std::move(leftovers)), shadow_(leftovers_) {
  clean_leftovers(leftovers_);
}

void Journal::record(FileChange change) {
  change.turn = turn_;
  for (auto& [id, watched] : watched_) watched.scan.recorded.insert(change.path);
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
  std::map<fs::path, Chain> chains;
  for (const auto& change : all) chains[change.path].push_back(&change);
  UndoReport report;
  // What is new goes first, from the leaves: a file may have taken the place of a directory, or the other way round.
  const auto is_new = [](const auto& entry) { return entry.second.front()->hash_before.empty(); };
  for (auto it = chains.rbegin(); it != chains.rend(); ++it)
    if (is_new(*it)) undo_one(workspace, it->second, preview, report);
  for (const auto& entry : chains)
    if (!is_new(entry)) undo_one(workspace, entry.second, preview, report);
  return report;
}

void Journal::undo_one(const Workspace& workspace, const Chain& chain, bool preview, UndoReport& report) {
  const FileChange &oldest = *chain.front(), &newest = *chain.back();
  const fs::path& path = oldest.path;
  auto refuse = [&](std::string why) { report.refused.emplace_back(path, std::move(why)); };
  Place place = place_of(workspace, path);
  if (place.real != path) return refuse("a symbolic link stands there now");
  Loaded now = load_file(workspace, place);
  if (!now.error.empty() && !now.missing && !now.directory) return refuse(now.error);
  const std::string hash = now.missing ? "" : now.directory ? "directory" : content_hash(now.bytes);
  if (hash == oldest.hash_before) {
    const bool mode_changed =
        newest.by_command && newest.hash_after == hash && ((now.stamp.mode ^ oldest.mode_before) & 07777) != 0;
    if (now.missing || !mode_changed) return report.already.push_back(path);
    const Fd fd = workspace.open(place, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!preview && (!fd || ::fchmod(fd.get(), oldest.mode_before & 07777) != 0)) return refuse("its mode cannot be set");
    return report.restored.push_back(path);
  }
  if (hash != newest.hash_after && hash != newest.hash_before) return refuse("it changed since");
  if (!whole(chain)) return refuse("it was changed in between, by something else than tern");
  if (!oldest.before && !oldest.hash_before.empty()) return refuse("no copy of it was kept before the command");
  if (!preview)
    if (std::string why = put_back(workspace, place, now, oldest); !why.empty()) return refuse(std::move(why));
  (oldest.before ? report.restored : report.removed).push_back(path);
}

std::string Journal::put_back(const Workspace& workspace, const Place& place, const Loaded& now, const FileChange& oldest) {
  if (now.directory && ::rmdir(place.real.c_str()) != 0) return "a directory that is not empty stands there now";
  const bool gone = now.missing || now.directory;
  FileChange back{.turn = turn_,
                  .call_id = "undo",
                  .path = place.real,
                  .before = std::nullopt,
                  .mode_before = now.stamp.mode,
                  .hash_before = gone ? "" : content_hash(now.bytes),
                  .hash_after = oldest.hash_before,
                  .by_command = false};
  if (!gone) back.before = now.bytes;
  record(std::move(back));
  WriteOptions options{.expected = std::nullopt, .leftovers = leftovers_, .mode = oldest.mode_before};
  if (!gone) options.expected = now.stamp;
  return (oldest.before ? atomic_write(workspace, place, *oldest.before, options) : remove_file(workspace, place, now.stamp))
      .error;
}

}  // namespace tern
