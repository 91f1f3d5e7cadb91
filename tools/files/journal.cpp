#include "tools/files/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include "tools/exec/jobs.h"
#include "tools/files/atomic_write.h"
#include "tools/files/file_memory.h"
#include "tools/workspace/walk.h"

namespace tern {

namespace fs = std::filesystem;

namespace {

Place place_of(const Workspace& workspace, const fs::path& real) { return workspace.locate(real.native()); }

// Nobody else's work stands between the first and the last of these changes: each begins with a state some
// earlier one left or found (one that was recorded and then not made, or taken back by hand, loses nothing).
// What undo put back it had checked.
bool whole(const std::vector<const FileChange*>& chain) {
  std::set<std::string_view> states;
  const auto state = [](const std::string& hash) {
    return hash == "directory" ? std::string_view() : std::string_view(hash);
  };
  for (const FileChange* change : chain) {
    const bool known = states.empty() || states.count(state(change->hash_before)) != 0;
    if (!known && change->hash_before != not_kept && !change->call_id.starts_with("undo")) return false;
    states.insert({state(change->hash_before), state(change->hash_after)});
  }
  return true;
}

// Without hunks where they would say nothing to a person.
Diff diff_of(const std::string& from, const std::string& to) {
  constexpr std::size_t most = std::size_t{4} << 20U;
  const bool text = from.find('\0') == from.npos && to.find('\0') == to.npos;
  return text && from.size() + to.size() <= most ? unified_diff(from, to) : Diff{};
}

}  // namespace

Journal::Journal(JournalStore store, fs::path leftovers)
    : store_(std::move(store)),
      leftovers_(leftovers.empty() ? default_leftovers() : std::move(leftovers)),
      scanner_(leftovers_) {
  clean_leftovers(leftovers_);
}

void Journal::record(FileChange change) {
  owner_.check();
  change.turn = turn_;
  for (auto& [id, watched] : watched_) watched.scan.recorded.insert(change.path);
  if (store_.save) {
    store_.save(change);
  } else {
    memory_.push_back(std::move(change));
  }
}

void Journal::record(FoundChange found) {
  assert(!lent_);
  record(scanner_.with_image(std::move(found)));
}

Journal::Loan::Loan(Journal& journal) : journal_(journal) {
  journal.owner_.check();
  assert(!journal.lent_);
  if (journal.scanner_.make_room()) journal.watched_.clear();  // their copies are gone
  journal.lent_ = true;
}

Scan Journal::before_command(const Workspace& workspace, const FileMemory& files, std::string_view command) {
  return Loan(*this).scanner().before(workspace, files, command);
}

std::vector<fs::path> Journal::after_command(const Workspace& workspace, const Scan& scan,
                                             const std::string& call_id) {
  owner_.check();
  assert(!lent_);
  std::vector<fs::path> changed;
  for (auto& found : scanner_.after(workspace, scan, call_id)) {
    changed.push_back(found.change.path);
    record(std::move(found));
  }
  return changed;
}

void Journal::watch(std::string id, Scan scan, std::string call_id) {
  owner_.check();
  if (!scan.only_looks) watched_[std::move(id)] = {std::move(scan), std::move(call_id), turn_};
}

void Journal::settle(const Workspace& workspace, const Jobs& jobs) {
  owner_.check();
  if (lent_) return;
  for (auto it = watched_.begin(); it != watched_.end();) {
    const auto job = jobs.find(it->first);
    if (job && job->running) {
      ++it;
      continue;
    }
    Watched done = std::move(it->second);
    it = watched_.erase(it);
    if (!job || job->age > most_beside) continue;
    done.scan.end_ns = job->ended_ns;
    const std::uint64_t turn = std::exchange(turn_, done.turn);
    after_command(workspace, done.scan, done.call_id);
    turn_ = turn;
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

UndoReport Journal::undo(const Workspace& workspace, std::uint64_t first, std::uint64_t last, bool preview,
                         const std::string& name) {
  return undo_all(changes(first, last), {workspace, name, preview});
}

UndoReport Journal::redo(const Workspace& workspace, const std::string& name, bool preview) {
  auto those = changes(0, UINT64_MAX);
  std::erase_if(those, [&](const FileChange& change) { return change.call_id != name; });
  return undo_all(those, {workspace, "undo", preview});
}

UndoReport Journal::undo_all(const std::vector<FileChange>& changes, Undo undo) {
  std::map<fs::path, Chain> chains;
  for (const auto& change : changes) chains[change.path].push_back(&change);
  // What is new goes first, from the leaves: a file may have taken the place of a directory, or the other way
  // round.
  const auto is_new = [](const auto& entry) { return entry.second.front()->hash_before.empty(); };
  for (auto it = chains.rbegin(); it != chains.rend(); ++it)
    if (is_new(*it)) undo_one(it->second, undo);
  for (const auto& entry : chains)
    if (!is_new(entry)) undo_one(entry.second, undo);
  return std::move(undo.report);
}

void Journal::undo_one(const Chain& chain, Undo& undo) {
  const FileChange &oldest = *chain.front(), &newest = *chain.back();
  const fs::path& path = oldest.path;
  auto& report = undo.report;
  auto refuse = [&](std::string why) { report.refused.emplace_back(path, std::move(why)); };
  Place place = place_of(undo.workspace, path);
  if (place.real != path) return refuse("it is a symbolic link now");
  Loaded now = load_file(undo.workspace, place);
  if (!now.error.empty() && !now.missing && !now.directory) return refuse(now.error);
  const std::string hash = now.missing ? "" : now.directory ? "directory" : content_hash(now.bytes);
  if (hash == oldest.hash_before) {
    const bool mode_changed = newest.by_command && newest.hash_after == hash &&
                              ((now.stamp.mode ^ oldest.mode_before) & 07777) != 0;
    if (now.missing || !mode_changed) return report.already.push_back(path);
    const Fd fd = undo.workspace.open(place, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!undo.preview) record_undo(undo, now, oldest, hash);
    if (!undo.preview && (!fd || ::fchmod(fd.get(), oldest.mode_before & 07777) != 0))
      return refuse("its mode cannot be set");
    return report.restored.push_back(path);
  }
  if (hash != newest.hash_after && hash != newest.hash_before) return refuse("it changed since");
  if (!whole(chain)) return refuse("something other than tern changed it in between");
  if (!oldest.before && !oldest.hash_before.empty())
    return refuse("no copy of it was kept before the command");
  report.diffs[path] = diff_of(now.bytes, oldest.before.value_or(""));
  if (!undo.preview)
    if (std::string why = put_back(undo, place, now, oldest); !why.empty()) return refuse(std::move(why));
  (oldest.before ? report.restored : report.removed).push_back(path);
}

void Journal::record_undo(const Undo& undo, const Loaded& now, const FileChange& oldest,
                          const std::string& hash_after) {
  const bool gone = now.missing || now.directory;
  FileChange back{.turn = turn_,
                  .call_id = undo.name,
                  .path = oldest.path,
                  .before = std::nullopt,
                  .mode_before = now.stamp.mode,
                  .hash_before = gone ? "" : content_hash(now.bytes),
                  .hash_after = hash_after,
                  .by_command = false};
  if (!gone) back.before = now.bytes;
  back.by_command = back.hash_before == hash_after;  // only the mode: as when a command sets it
  record(std::move(back));
}

std::string Journal::put_back(const Undo& undo, const Place& place, const Loaded& now,
                              const FileChange& oldest) {
  if (now.directory && ::rmdir(place.real.c_str()) != 0) return "it is a directory with files now";
  record_undo(undo, now, oldest, oldest.hash_before);
  WriteOptions options{.expected = std::nullopt, .leftovers = leftovers_, .mode = oldest.mode_before};
  if (!now.missing && !now.directory) options.expected = now.stamp;
  return (oldest.before ? atomic_write(undo.workspace, place, *oldest.before, options)
                        : remove_file(undo.workspace, place, now.stamp))
      .error;
}

}  // namespace tern
