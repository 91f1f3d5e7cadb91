// RAII over SQLite's C API; sqlite.cpp alone sees sqlite3.h. One connection, used by one thread at a time.
// Calls throw SqliteError: the store catches it once per event and keeps what could not be written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace tern {

struct SqliteError : std::runtime_error {
  SqliteError(int primary, const std::string& what) : std::runtime_error(what), code(primary) {}
  int code;              // primary result code
  bool damaged() const;  // CORRUPT, NOTADB
  bool outside() const;  // the disk, a lock, memory: the same write may succeed later
};

struct Blob {
  std::string_view bytes;
};
using SqlValue = std::variant<std::nullptr_t, std::int64_t, double, std::string_view, Blob>;
inline SqlValue sql(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// A running statement; goes back to the cache of its connection when it leaves scope.
class Cursor {
 public:
  explicit Cursor(sqlite3_stmt* statement) : statement_(statement) {}
  Cursor(Cursor&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  ~Cursor();
  bool step();  // true = a row is there
  std::int64_t integer(int column) const;
  std::uint64_t natural(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  double real(int column) const;
  bool null(int column) const;
  std::string_view bytes(int column) const;  // text or blob; good until the next step
  std::string text(int column) const { return std::string(bytes(column)); }

 private:
  sqlite3_stmt* statement_;
};

class Sqlite {
 public:
  enum class Mode {
    create,
    write,
    read,
    draft
  };  // draft: a new file nobody else sees yet, written without syncs
  Sqlite(const std::filesystem::path& file, Mode mode);  // an empty path is a private temporary database
  ~Sqlite();
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;

  void exec(const std::string& statements);
  // `statement` must be a literal: it is the key of the cache.
  Cursor query(const char* statement, std::initializer_list<SqlValue> values = {});
  void run(const char* statement, std::initializer_list<SqlValue> values = {});  // until done
  std::int64_t integer(const char* statement,
                       std::initializer_list<SqlValue> values = {});  // first column or 0
  // For what nobody has been promised yet: it is safe on disk with the next ordinary commit, which syncs all
  // before it.
  void relaxed(const std::function<void()>& writes);
  std::int64_t last_row() const;
  std::int64_t changes() const;
  bool in_transaction() const;
  bool writable() const;
  void checkpoint() noexcept;  // WAL back into the file, if nobody is in the way

 private:
  sqlite3* handle_ = nullptr;
  bool wal_ = false;
  std::unordered_map<const void*, sqlite3_stmt*> cache_;
};

// SQLite 3.7.0 … 3.51.2 can damage a WAL database, 3.52.0 was withdrawn. Empty when the linked library is
// sound.
std::string sqlite_unsound();
std::string sqlite_version();
// Copies what is readable in `damaged` into the new file `fresh`. Empty, or why it gave up.
std::string sqlite_recover(const std::filesystem::path& damaged, const std::filesystem::path& fresh);

}  // namespace tern
