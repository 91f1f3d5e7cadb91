#include "agent/store/store.h"

#include <sys/stat.h>

#include "agent/store/export_summaries.h"
#include "agent/store/store_db.h"

namespace tern {
namespace {

constexpr std::uint32_t kRecallBlock = 64;  // one write for some twenty tool rounds

std::string count_of(std::size_t count) {
  return count == 1 ? "1 event is" : std::to_string(count) + " events are";
}

}  // namespace

TimePoint time_of(std::int64_t milliseconds) { return TimePoint(std::chrono::milliseconds(milliseconds)); }

TimePoint StoreState::now() const {
  if (options.now) return options.now();
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

bool StoreState::write(Write what) {
  queue.push_back(std::move(what));
  return depth > 0 || flush();
}

// One try at the whole queue in one transaction. A write that can never succeed is dropped and named, the
// others stay.
bool StoreState::run_queue(bool& dropped) {
  std::size_t running = 0;
  try {
    database->exec("BEGIN IMMEDIATE");
    for (running = 0; running < queue.size(); ++running) queue[running](*database);
    database->exec("COMMIT");
    return true;
  } catch (const SqliteError& error) {
    failure = error.what();
    if (!error.outside() && running < queue.size()) {
      notices.push_back("one event could not be stored: " + failure);
      queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(running));
      dropped = true;
    }
  }
  try {
    if (database->in_transaction()) database->exec("ROLLBACK");
  } catch (const SqliteError&) {
    // The rollback of a failed disk write may itself fail; the next BEGIN starts afresh.
  }
  return false;
}

bool StoreState::flush() {
  if (queue.empty()) return true;
  if (read_only) {
    failure = "the history is read-only";
    return false;
  }
  bool saved = false;
  for (bool dropped = true; dropped && !saved && !queue.empty();) saved = run_queue(dropped = false);
  if (!saved && !queue.empty()) return false;
  queue.clear();
  failure.clear();
  fresh_originals.clear();
  fresh_items.clear();
  fresh_batches.clear();
  return true;
}

Store::Store(std::unique_ptr<StoreState> state)
    : SessionStore(*state), AccountStore(*state), RowStore(*state), state_(std::move(state)) {}

std::unique_ptr<Store> Store::open(StoreOptions options) {
  auto impl = std::make_unique<StoreState>();
  impl->options = std::move(options);
  impl->open_database();
  return std::unique_ptr<Store>(new Store(std::move(impl)));
}

Store::~Store() {
  std::lock_guard lock(state_->mutex);
  state_->close_session();
  if (std::exchange(state_->summaries_changed, false))
    export_summaries(summaries(), state_->options.folder, state_->options.summary_max_chars);
  if (!state_->read_only && state_->recall_end > state_->recall_next) {
    try {
      state_->database->relaxed([&] {
        state_->database->run("UPDATE counters SET next=?1 WHERE name='recall' AND next=?2",
                              {sql(state_->recall_next), sql(state_->recall_end)});
      });
    } catch (const SqliteError&) {
      // The ids of this block are not given again, and that is all.
    }
  }
}

const std::vector<std::string>& Store::notices() const { return state_->notices; }
bool Store::read_only() const { return state_->read_only; }
std::string SessionStore::session() const { return impl_->uid; }

std::string Store::unsaved() const {
  std::lock_guard lock(state_->mutex);
  if (state_->queue.empty() || state_->depth > 0) return {};
  const std::string kept =
      "not saved: " + state_->failure + "; " + count_of(state_->queue.size()) + " kept in memory ";
  return kept +
         (state_->read_only ? "and copied elsewhere at the end" : "and written when it is possible again");
}

bool Store::retry() {
  std::lock_guard lock(state_->mutex);
  return state_->flush();
}

bool LogStore::transact(const std::function<void()>& writes) {
  std::vector<std::function<void()>> then;
  bool saved = false;
  {
    std::lock_guard lock(impl_->mutex);
    const std::size_t before = impl_->queue.size();
    ++impl_->depth;
    try {
      writes();
    } catch (...) {
      if (--impl_->depth == 0) impl_->queue.resize(before), impl_->afterwards.clear();
      throw;
    }
    if (--impl_->depth > 0) return true;
    saved = impl_->flush();
    then = std::exchange(impl_->afterwards, {});
  }
  for (const auto& what : then) what();
  return saved;
}

void LogStore::afterwards(std::function<void()> what) {
  {
    std::lock_guard lock(impl_->mutex);
    if (impl_->depth > 0) return impl_->afterwards.push_back(std::move(what));
  }
  what();
}

ItemId LogStore::next_item() {
  std::lock_guard lock(impl_->mutex);
  return {++impl_->last_item};
}

std::uint64_t LogStore::next_batch() {
  std::lock_guard lock(impl_->mutex);
  return ++impl_->last_batch;
}

// Ids come in blocks, so that two processes on one project never give the same one. When the disk refuses the
// next block, a far one is taken: an unsaved id must not meet another process's either.
RecallId OriginalStore::next_recall() {
  std::lock_guard lock(impl_->mutex);
  StoreState& impl = *impl_;
  if (impl.recall_next == impl.recall_end) {
    std::uint32_t next = 0;
    try {
      if (impl.read_only) throw SqliteError(0, "read-only");
      impl.database->relaxed([&] {
        Cursor query = impl.database->query(
            "UPDATE counters SET next=next+?1 WHERE name='recall' RETURNING next", {sql(kRecallBlock)});
        if (query.step()) next = static_cast<std::uint32_t>(query.natural(0)) - kRecallBlock;
        while (query.step()) {}
      });
    } catch (const SqliteError&) {
      next = 0;
    }
    impl.recall_next = next ? next : impl.recall_end + 1'000'000;
    impl.recall_end = impl.recall_next + kRecallBlock;
  }
  return {impl.recall_next++};
}

std::int64_t Store::size_on_disk() const {
  std::int64_t size = 0;
  for (const char* suffix : {"", "-wal"}) {
    struct stat info {};
    if (!state_->file.empty() && ::stat((state_->file.string() + suffix).c_str(), &info) == 0)
      size += info.st_size;
  }
  return size;
}

std::string Store::integrity() const {
  return state_->read([](Sqlite& db) {
    Cursor query = db.query("PRAGMA integrity_check(5)");
    std::string text;
    while (query.step()) text += (text.empty() ? "" : "; ") + query.text(0);
    return text;
  });
}

}  // namespace tern
