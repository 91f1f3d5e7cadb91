#include "agent/store/sqlite.h"

#include <sqlite3.h>
#if __has_include(<sqlite3recover.h>)  // one road to SQLite brings the amalgamation alone
#include <sqlite3recover.h>
#define TERN_SQLITE_RECOVER 1
#endif
#include <fcntl.h>
#include <poll.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

static_assert(SQLITE_VERSION_NUMBER >= 3051003 && SQLITE_VERSION_NUMBER != 3052000,
              "SQLite before 3.51.3 can corrupt a WAL database, and 3.52.0 was withdrawn");

namespace tern {
namespace {

[[noreturn]] void fail(sqlite3* handle, int code) {
  throw SqliteError(code & 0xff, handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code));
}

void require(sqlite3* handle, int code) {
  if (code != SQLITE_OK) fail(handle, code);
}

void bind(sqlite3_stmt* statement, int index, const SqlValue& value, sqlite3_destructor_type lifetime) {
  struct Binder {
    sqlite3_stmt* statement;
    int index;
    sqlite3_destructor_type lifetime;
    int operator()(std::nullptr_t) const { return sqlite3_bind_null(statement, index); }
    int operator()(std::int64_t number) const { return sqlite3_bind_int64(statement, index, number); }
    int operator()(double number) const { return sqlite3_bind_double(statement, index, number); }
    int operator()(std::string_view text) const {
      return sqlite3_bind_text64(statement, index, text.data() ? text.data() : "", text.size(), lifetime,
                                 SQLITE_UTF8);
    }
    int operator()(Blob blob) const {
      if (blob.bytes.empty()) return sqlite3_bind_zeroblob(statement, index, 0);
      return sqlite3_bind_blob64(statement, index, blob.bytes.data(), blob.bytes.size(), lifetime);
    }
  };
  require(sqlite3_db_handle(statement), std::visit(Binder{statement, index, lifetime}, value));
}

// WAL needs shared memory, which these file systems do not give between hosts.
bool on_network(const std::filesystem::path& file) {
  struct statfs info {};
  if (statfs(file.parent_path().c_str(), &info) != 0) return false;
  switch (static_cast<unsigned long>(info.f_type)) {
    case 0x6969:      // nfs
    case 0x01021997:  // 9p
    case 0x65735546:  // fuse
    case 0xff534d42:  // cifs
    case 0xfe534d42:  // smb2
    case 0x517b: return true;
    default: return false;
  }
}

// SQLite's own patience sleeps ever longer: beside a process that always writes it never meets the moment
// between two transactions. Looking each millisecond does.
int wait_for_turn(void*, int tries) {
  constexpr int most_tries = 20'000;
  ::poll(nullptr, 0, 1);
  return tries < most_tries;
}

int open_flags(Sqlite::Mode mode) {
  const int base = SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_PRIVATECACHE;
  if (mode == Sqlite::Mode::read) return base | SQLITE_OPEN_READONLY;
  return base | SQLITE_OPEN_READWRITE |
         (mode == Sqlite::Mode::create || mode == Sqlite::Mode::draft ? SQLITE_OPEN_CREATE : 0);
}

}  // namespace

bool SqliteError::damaged() const { return code == SQLITE_CORRUPT || code == SQLITE_NOTADB; }

bool SqliteError::outside() const {
  switch (code) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_NOLFS:
    case SQLITE_PROTOCOL: return true;
    default: return damaged();
  }
}

Cursor::~Cursor() {
  if (!statement_) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

bool Cursor::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail(sqlite3_db_handle(statement_), code);
  return false;
}

std::int64_t Cursor::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Cursor::real(int column) const { return sqlite3_column_double(statement_, column); }
bool Cursor::null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::string_view Cursor::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return data ? std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size))
              : std::string_view();
}

Sqlite::Sqlite(const std::filesystem::path& file, Mode mode) {
  const int code = sqlite3_open_v2(file.c_str(), &handle_, open_flags(mode), nullptr);
  if (code != SQLITE_OK) {
    SqliteError error(code & 0xff, handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code));
    sqlite3_close_v2(std::exchange(handle_, nullptr));
    throw error;
  }
  try {
    sqlite3_busy_handler(handle_, wait_for_turn, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    exec(
        "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA foreign_keys=ON;"
        "PRAGMA cache_size=-2000;");
    if (mode == Mode::read || file.empty()) return;
    if (mode == Mode::draft) {
      exec("PRAGMA synchronous=OFF;");
      exec(on_network(file) ? "PRAGMA journal_mode=MEMORY;" : "PRAGMA journal_mode=WAL;");
      return;
    }
    wal_ = !on_network(file);
    exec(wal_ ? "PRAGMA journal_mode=WAL;" : "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=TRUNCATE;");
    exec("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=1000; PRAGMA journal_size_limit=16777216;");
  } catch (...) {
    sqlite3_close_v2(std::exchange(handle_, nullptr));
    throw;
  }
}

Sqlite::~Sqlite() {
  for (auto& [key, statement] : cache_) sqlite3_finalize(statement);
  sqlite3_close_v2(handle_);
}

void Sqlite::exec(const std::string& statements) {
  require(handle_, sqlite3_exec(handle_, statements.c_str(), nullptr, nullptr, nullptr));
}

Cursor Sqlite::query(const char* statement, std::initializer_list<SqlValue> values) {
  sqlite3_stmt*& cached = cache_[statement];
  if (cached && sqlite3_stmt_busy(cached))
    throw SqliteError(SQLITE_MISUSE, std::string("statement in use: ") + statement);
  if (!cached)
    require(handle_, sqlite3_prepare_v3(handle_, statement, -1, SQLITE_PREPARE_PERSISTENT, &cached, nullptr));
  Cursor query(cached);
  int index = 0;
  for (const SqlValue& value : values) bind(cached, ++index, value, SQLITE_TRANSIENT);
  return query;
}

void Sqlite::run(const char* statement, std::initializer_list<SqlValue> values) {
  Cursor running = query(statement, {});
  sqlite3_stmt* prepared = cache_[statement];
  int index = 0;
  for (const SqlValue& value : values) bind(prepared, ++index, value, SQLITE_STATIC);
  while (running.step()) {}
}

std::int64_t Sqlite::integer(const char* statement, std::initializer_list<SqlValue> values) {
  Cursor running = query(statement, values);
  return running.step() ? running.integer(0) : 0;
}

void Sqlite::relaxed(const std::function<void()>& writes) {
  if (!wal_ || in_transaction()) return writes();
  exec("PRAGMA synchronous=NORMAL");
  try {
    writes();
  } catch (...) {
    exec("PRAGMA synchronous=FULL");
    throw;
  }
  exec("PRAGMA synchronous=FULL");
}

std::int64_t Sqlite::last_row() const { return sqlite3_last_insert_rowid(handle_); }
std::int64_t Sqlite::changes() const { return sqlite3_changes64(handle_); }
bool Sqlite::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }
bool Sqlite::writable() const { return sqlite3_db_readonly(handle_, "main") == 0; }
void Sqlite::checkpoint() noexcept {
  sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

std::string sqlite_version() { return sqlite3_libversion(); }

std::string sqlite_unsound() {
  const int number = sqlite3_libversion_number();
  if (number >= 3051003 && number != 3052000) return {};
  return "SQLite " + sqlite_version() + " can damage a database; 3.51.3 or newer (not 3.52.0) is needed";
}

#ifdef TERN_SQLITE_RECOVER
namespace {

// While it is read, a damaged file has the header every file of ours has; afterwards it is as it was found.
class SoundHeader {
 public:
  explicit SoundHeader(const std::filesystem::path& file)
      : fd_(::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)) {
    if (fd_ < 0 || ::pread(fd_, found_.data(), found_.size(), 0) != static_cast<ssize_t>(found_.size()))
      return;
    auto sound = found_;
    const auto put = [&](std::size_t at, std::string_view bytes) {
      std::copy(bytes.begin(), bytes.end(), sound.begin() + at);
    };
    put(0, {"SQLite format 3\0", 16});
    put(18, found_[18] == 1 ? "\1\1" : "\2\2");  // on a network, or with a log beside it
    put(20, {"\0\x40\x20\x20", 4});              // no reserved bytes, the three fractions
    put(44, {"\0\0\0\4", 4});                    // format of the schema
    put(56, {"\0\0\0\1", 4});                    // UTF-8
    changed_ =
        sound != found_ && ::pwrite(fd_, sound.data(), sound.size(), 0) == static_cast<ssize_t>(sound.size());
  }
  ~SoundHeader() {
    if (changed_ && ::pwrite(fd_, found_.data(), found_.size(), 0) < 0) changed_ = false;
    if (fd_ >= 0) ::close(fd_);
  }
  SoundHeader(const SoundHeader&) = delete;
  SoundHeader& operator=(const SoundHeader&) = delete;

 private:
  int fd_;
  std::array<char, 100> found_{};
  bool changed_ = false;
};

}  // namespace

std::string sqlite_recover(const std::filesystem::path& damaged, const std::filesystem::path& fresh) {
  const SoundHeader header(damaged);
  sqlite3* handle = nullptr;
  if (sqlite3_open_v2(damaged.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, nullptr) !=
      SQLITE_OK) {
    sqlite3_close_v2(handle);
    return "the damaged file cannot be opened";
  }
  sqlite3_recover* recover = sqlite3_recover_init(handle, "main", fresh.c_str());
  char lost_and_found[] = "lost_and_found";
  int freelist = 0;
  sqlite3_recover_config(recover, SQLITE_RECOVER_LOST_AND_FOUND, lost_and_found);
  sqlite3_recover_config(recover, SQLITE_RECOVER_FREELIST_CORRUPT, &freelist);
  sqlite3_recover_run(recover);
  std::string why = sqlite3_recover_errcode(recover) == SQLITE_OK ? "" : sqlite3_recover_errmsg(recover);
  sqlite3_recover_finish(recover);
  sqlite3_close_v2(handle);
  return why;
}
#else
std::string sqlite_recover(const std::filesystem::path&, const std::filesystem::path&) {
  return "this build's SQLite has no recovery; sqlite3's own command .recover can read the file set aside";
}
#endif

}  // namespace tern
