// How a file is opened, made or moved to a newer version, and what happens to a damaged one.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "agent/store/store.h"
#include "agent/store/store_db.h"
#include "agent/store/store_migrate.h"
#include "agent/store/store_versions.h"
#include "compression/text/figures.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
constexpr int kCorrupt = 11;     // SQLITE_CORRUPT
constexpr int kCannotOpen = 14;  // SQLITE_CANTOPEN

// A new file is made beside its place and linked there when it is whole: fewer syncs of the disk than making
// it in place, and no other process ever meets a half-made one. Where that does not work it is made in place.
void make_fresh(const fs::path& file) {
  const fs::path draft = file.string() + ".new-" + std::to_string(::getpid());
  create_private(draft);
  try {
    Sqlite db(draft, Sqlite::Mode::draft);
    migrate(db, draft, migrations());
  } catch (const SqliteError&) {
    for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((draft.string() + suffix).c_str());
    return;
  }
  const auto sync = [](const fs::path& what, int flags) {
    const int fd = ::open(what.c_str(), flags | O_CLOEXEC | O_NOFOLLOW);
    const bool done = fd >= 0 && ::fsync(fd) == 0;
    if (fd >= 0) ::close(fd);
    return done;
  };
  if (sync(draft, O_RDWR) && ::link(draft.c_str(), file.c_str()) == 0)
    sync(file.parent_path(), O_RDONLY | O_DIRECTORY);
  for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((draft.string() + suffix).c_str());
}

fs::path free_name(const fs::path& file) {
  for (int n = 1;; ++n) {
    fs::path name = file.string() + ".damaged-" + std::to_string(n);
    if (!is_there(name)) return name;
  }
}

// Made whole in one step, a history is never empty: this one was cut. It stays beside the new one.
void tell_of_empty(const fs::path& file, bool read_only, std::vector<std::string>& notices) {
  std::string text = "the history in " + file.string() + " is an empty file: whatever it held is gone";
  if (!read_only) {
    const fs::path aside = free_name(file);
    std::error_code ignored;
    fs::rename(file, aside, ignored);
    fs::rename(file.string() + "-wal", aside.string() + "-wal", ignored);
    text += "; the file is kept as " + aside.filename().string();
  }
  notices.push_back(text);
}

// Both names exist until the new one is the file's own; the log of the old one must not meet the new file.
void change_places(const fs::path& file, const fs::path& aside, const fs::path& fresh) {
  std::error_code ignored;
  const bool linked = ::link(file.c_str(), aside.c_str()) == 0;
  if (!linked) fs::rename(file, aside);
  for (const char* suffix : {"-wal", "-shm"})
    fs::rename(file.string() + suffix, aside.string() + suffix, ignored);
  fs::rename(fresh, file);
}

struct Leftovers {
  fs::path salvaged, fresh;
  ~Leftovers() {
    for (const auto& file : {salvaged, fresh})
      for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((file.string() + suffix).c_str());
  }
};

constexpr const char* kTables[] = {"sessions", "log",       "calls",   "partials", "blobs",
                                   "chunks",   "originals", "batches", "requests", "drafts",
                                   "grants",   "prompts",   "changes", "state",    "request_parts"};

// Rows that lost their table: the number and kinds of the columns say which it was.
constexpr const char* kLostRows[] = {
    "INSERT OR IGNORE INTO sessions SELECT id,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12 FROM old.lost_and_found"
    " WHERE nfield=13 AND id IS NOT NULL AND typeof(c1)='text' AND typeof(c9)='integer'",
    "INSERT OR IGNORE INTO log SELECT id,c1,c2,c3,c4,c5,c6,c7 FROM old.lost_and_found"
    " WHERE nfield=8 AND id IS NOT NULL AND typeof(c7)='blob' AND typeof(c6)='integer' AND c2 BETWEEN 0 AND "
    "6",
    "INSERT OR IGNORE INTO originals SELECT id,c1,c2,c3,c4,c5,c6,c7,c8 FROM old.lost_and_found"
    " WHERE nfield=9 AND id IS NOT NULL AND typeof(c2)='text' AND typeof(c8)='integer'",
    "INSERT OR IGNORE INTO blobs SELECT id,c1,c2 FROM old.lost_and_found"
    " WHERE nfield=3 AND id IS NOT NULL AND typeof(c1)='integer' AND typeof(c2)='integer'",
    "INSERT OR IGNORE INTO chunks SELECT id,c1,c2,c3,c4,c5 FROM old.lost_and_found"
    " WHERE nfield=6 AND id IS NOT NULL AND typeof(c5)='blob' AND typeof(c1)='integer'"};

// Sessions whose own row is gone get a new one: their messages must be reachable.
void adopt_orphans(Sqlite& db) {
  db.exec(R"sql(
INSERT OR IGNORE INTO sessions SELECT l.session, 'recovered-' || l.session,
  'recovered session ' || l.session, 0, '', '', NULL, NULL,
  min(l.at), max(l.at), '', sum(l.kind=0 AND (l.flags & 4)=4), max(CASE l.kind WHEN 0 THEN l.ref ELSE 0 END)
  FROM log l WHERE l.session NOT IN (SELECT id FROM sessions) GROUP BY l.session;
UPDATE counters SET next=max(next, (SELECT coalesce(max(id), 0) + 1 FROM originals)) WHERE name='recall';
UPDATE counters SET next=0 WHERE name='indexed';
)sql");
}

// The slow check: what a session holds is read from an index, and that the index is right only this one looks
// at.
std::string whole_check(Sqlite& db) {
  Cursor cursor = db.query("PRAGMA integrity_check(1)");
  return cursor.step() ? cursor.text(0) : "no answer";
}

// A list of sessions that cannot be read must not look like an empty one, nor a log whose table has lost a
// name.
void read_essentials(Sqlite& db) {
  db.integer("SELECT sum(length(name) + turns) FROM sessions");
  db.integer("SELECT count(*) FROM log");
  for (const char* statement : {
           "SELECT id, uid, name, named, cwd, model, parent, parent_seq, created, updated, first_prompt, "
           "turns, last_item"
           " FROM sessions LIMIT 0",
           "SELECT seq, session, kind, ref, flags, at, codec, body FROM log INDEXED BY log_ref WHERE "
           "session=0 LIMIT 0",
           "SELECT id, session, tool, subject, blob, item, block, bytes, at FROM originals LIMIT 0",
           "SELECT blob, n, lines, codec, data FROM chunks LIMIT 0",
       })
    db.integer(statement);
}

bool has_table(Sqlite& db, std::string_view name) {
  return db.integer("SELECT count(*) FROM old.sqlite_schema WHERE type='table' AND name=?1", {name}) > 0;
}

// The columns both files know, so that an older damaged file can be read as well.
std::string common_columns(Sqlite& db, std::string_view table) {
  Cursor cursor = db.query(
      "SELECT n.name FROM pragma_table_info(?1, 'main') n JOIN pragma_table_info(?1, 'old') o ON n.name = "
      "o.name",
      {table});
  std::string columns;
  while (cursor.step()) columns += (columns.empty() ? "\"" : ",\"") + cursor.text(0) + "\"";
  return columns;
}

bool same_width(Sqlite& db, std::string_view table) {
  return db.integer(
             "SELECT (SELECT count(*) FROM pragma_table_info(?1, 'main')) = (SELECT count(*) FROM "
             "pragma_table_info(?1, 'old'))",
             {table}) == 1;
}

void try_exec(Sqlite& db, const std::string& statement) {
  try {
    db.exec(statement);
  } catch (const SqliteError&) {
    // A table that cannot be read adds nothing; the others still do.
  }
}

// Returns how many log rows were ever written, as far as the old file can tell.
std::int64_t copy_rows(Sqlite& db, const fs::path& salvaged) {
  db.run("ATTACH ?1 AS old", {std::string_view(salvaged.native())});
  db.exec("BEGIN IMMEDIATE; PRAGMA defer_foreign_keys=ON");
  std::int64_t written = 0;
  for (const char* name : kTables) {
    const std::string table(name);
    if (!has_table(db, table)) continue;
    if (same_width(db, table)) {  // by place: a damaged schema may have lost a name
      try_exec(db, "INSERT OR IGNORE INTO main." + table + " SELECT * FROM old." + table);
    } else if (const std::string columns = common_columns(db, table); !columns.empty()) {
      try_exec(db, "INSERT OR IGNORE INTO main." + table + "(" + columns + ") SELECT " + columns +
                       " FROM old." + table);
    }
  }
  if (has_table(db, "lost_and_found")) {
    for (const char* statement : kLostRows) try_exec(db, statement);
  }
  try_exec(db,
           "INSERT OR IGNORE INTO blobs SELECT DISTINCT blob, 0, 0 FROM chunks WHERE blob NOT IN (SELECT id "
           "FROM blobs)");
  if (has_table(db, "sqlite_sequence"))
    written = db.integer("SELECT max(seq) FROM old.sqlite_sequence WHERE name='log'");
  adopt_orphans(db);
  db.exec("COMMIT");
  db.exec("DETACH old");
  return std::max(written, db.integer("SELECT max(seq) FROM log"));
}

// SQLite says "disk I/O error" for most of what a disk may refuse; a person needs to know which disk, and
// what to do.
std::string outside_reason(const fs::path& file, const std::string& said) {
  constexpr std::uint64_t little = 256 * 1024;
  struct statvfs disk {};
  if (::statvfs(file.parent_path().c_str(), &disk) != 0) return said;
  if ((disk.f_flag & ST_RDONLY) != 0)
    return "its disk is mounted read-only; --state-dir FOLDER keeps it elsewhere";
  const std::uint64_t free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  if (free >= little && (disk.f_favail > 0 || disk.f_files == 0)) return said;
  return "its disk is full, " + std::to_string(free / 1024) +
         " KB are free; make room there, or --state-dir FOLDER keeps it elsewhere";
}

}  // namespace

void StoreState::open_file() {
  if (options.read_only) {
    database = std::make_unique<Sqlite>(file, Sqlite::Mode::read);
    read_only = true;
  } else {
    if (!file.empty() && !is_there(file)) make_fresh(file);
    if (!file.empty()) create_private(file);
    database = std::make_unique<Sqlite>(file, Sqlite::Mode::create);
  }
  const auto version = static_cast<std::size_t>(database->integer("PRAGMA user_version"));
  if (version > migrations().size()) {
    notices.push_back(
        "this history was written by a newer tern: it is opened read-only, new messages are not saved");
    read_only = true;
    database = std::make_unique<Sqlite>(file, Sqlite::Mode::read);
    return;
  }
  if (!read_only) migrate(*database, file, migrations());
}

// Never start empty: what can be read of the damaged file fills a new one, and only when that is whole do
// they change places.
void StoreState::recover(const std::string& why) {
  database.reset();
  const fs::path aside = free_name(file), salvaged = file.string() + ".salvaged",
                 fresh = file.string() + ".recovered";
  const Leftovers leftovers{salvaged, fresh};
  create_private(salvaged);
  const std::string trouble = sqlite_recover(file, salvaged);
  create_private(fresh);
  std::int64_t found = 0, all = 0;
  std::string gaps;
  {
    Sqlite db(fresh, Sqlite::Mode::create);
    migrate(db, fresh, migrations());
    try {
      all = copy_rows(db, salvaged);
    } catch (const SqliteError& error) {
      if (error.outside() && !error.damaged()) throw;  // the disk: the file waits for a better moment
      gaps = std::string("recovery: ") + error.what();
    }
    found = db.integer("SELECT count(*) FROM log WHERE kind=0");
    all = std::max(found, found + all - db.integer("SELECT count(*) FROM log"));
  }
  change_places(file, aside, fresh);
  open_file();
  if (!gaps.empty()) notices.push_back(gaps);
  notices.push_back("the history was damaged (" + why + "): recovered " + std::to_string(found) + " of " +
                    counted(all, "message") + "; the damaged file is kept as " + aside.filename().string() +
                    (trouble.empty() ? "" : " (" + trouble + ")"));
}

// A damaged file is recovered, unless another tern has it open: that one would write on into a file that was
// moved away.
bool StoreState::recovered(const std::string& why) {
  if (locks && !locks->alone()) return false;
  try {
    recover(why);
  } catch (const std::exception& error) {
    forget_file(why + "; it could not be recovered: " + error.what());
  }
  return true;
}

void StoreState::forget_file(const std::string& why) {
  notices.push_back("the history in " + file.string() + " cannot be used (" + outside_reason(file, why) +
                    "): this session is kept in memory only");
  database.reset();
  struct stat info {};
  const bool nothing = ::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0;
  if (nothing && (!locks || locks->alone()))
    ::unlink(file.c_str());  // ours, of a moment ago: no history that was cut
  refused = std::exchange(file, {});
  locks.reset();
  read_only = options.read_only = false;
  open_file();
}

void StoreState::open_database() {
  if (options.folder.empty()) {
    open_file();
    return;
  }
  std::error_code ignored;
  const fs::path folder = fs::weakly_canonical(options.folder, ignored);
  file = (folder.empty() ? options.folder : folder) / "tern.db";
  if (!options.read_only) locks = std::make_unique<SessionLock>(file.parent_path() / "tern.lock");
  try {
    struct stat info {};
    const bool there = ::lstat(file.c_str(), &info) == 0;
    if (there && !S_ISREG(info.st_mode)) throw SqliteError(kCannotOpen, "it is not a plain file");
    const bool empty = there && info.st_size == 0;
    const bool unclean = ::stat((file.string() + "-wal").c_str(), &info) == 0 && info.st_size > 0;
    const bool alone = !locks || locks->alone();
    if (empty && alone) tell_of_empty(file, options.read_only, notices);
    open_file();
    read_essentials(*database);
    // A header that says so makes a file read-only that anybody may write.
    if (!read_only && !database->writable() && ::access(file.c_str(), W_OK) == 0)
      throw SqliteError(kCorrupt, "its header is wrong");
    if (options.read_only || !alone || !unclean) return;
    const std::string state = whole_check(*database);
    if (state != "ok") throw SqliteError(kCorrupt, state);
  } catch (const SqliteError& error) {
    // What is neither the disk nor the moment is the file.
    const bool damaged = (error.damaged() || !error.outside()) && !options.read_only && !read_only;
    if (!damaged || !recovered(error.what())) forget_file(error.what());
  }
}

}  // namespace tern
