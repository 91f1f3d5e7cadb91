// The end of a session whose disk refuses what waits in memory: the history goes on in a copy that can be
// opened again.
#include <unistd.h>

#include "agent/store/project_dir.h"
#include "agent/store/store.h"
#include "agent/store/store_db.h"
#include "agent/store/store_migrate.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

fs::path free_folder(const fs::path& folder, const std::string& name) {
  for (int n = 1;; ++n) {
    fs::path place = folder / (n == 1 ? name : name + "-" + std::to_string(n));
    if (!is_there(place)) return place;
  }
}

// The whole history as it stands on disk, and then what waits.
std::unique_ptr<Sqlite> copy_with(Sqlite& from, const fs::path& file, const std::vector<Write>& queue) {
  create_private(file);
  from.run("VACUUM INTO ?1", {std::string_view(file.native())});
  auto copy = std::make_unique<Sqlite>(file, Sqlite::Mode::create);
  copy->exec("BEGIN IMMEDIATE");
  for (const Write& write : queue) write(*copy);
  copy->exec("COMMIT");
  return copy;
}

void remove_all_of(const fs::path& file) {
  for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((file.string() + suffix).c_str());
  std::error_code ignored;
  fs::remove(file.parent_path(), ignored);
}

}  // namespace

bool Store::astray() const {
  std::lock_guard lock(state_->mutex);
  return state_->file.empty() && !state_->refused.empty() && state_->turns > 0;
}

StoreEnd Store::settle(const fs::path& folder) {
  std::lock_guard lock(state_->mutex);
  StoreState& impl = *state_;
  const bool from_start = astray();
  if (!from_start && (impl.file.empty() || impl.flush())) return {};
  const std::string what =
      from_start
          ? "The history in " + impl.refused.string() + " could not be used: the messages of this session "
          : "The history in " + impl.file.string() + " can't be written any more (" + impl.failure +
                "): " + std::to_string(impl.queue.size()) +
                (impl.queue.size() == 1 ? " event of this session " : " events of this session ");
  std::string why = "there is no folder of your own";
  const fs::path place = folder.empty() ? fs::path() : free_folder(folder, impl.uid);
  if (!place.empty() && make_private_dir(place, why)) {
    try {
      impl.database = copy_with(*impl.database, place / "tern.db", impl.queue);
      impl.file = place / "tern.db", impl.read_only = false;
      impl.queue.clear(), impl.fresh_originals.clear(), impl.fresh_items.clear(), impl.fresh_batches.clear();
      return {what + (from_start ? "are kept in " : "and all before are kept in ") + place.string() +
                  "; tern --state-dir '" + place.string() + "' --resume " + impl.uid + " goes on there",
              false};
    } catch (const SqliteError& error) {
      why = error.what();
      remove_all_of(place / "tern.db");
    }
  }
  return {what + "are lost, " +
              (folder.empty() ? why : "and " + folder.string() + " can't hold a copy either (" + why + ")"),
          !from_start};
}

}  // namespace tern
