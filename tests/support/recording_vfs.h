// SQLite's way to the disk, with a record of every write, truncation and sync of a store's two files. From
// the record it makes what a power cut may leave: everything synced, and of the rest any pieces of 512 bytes.
#pragma once

#include <filesystem>
#include <memory>
#include <random>
#include <string>

namespace tern::test {

class RecordingVfs {
 public:
  explicit RecordingVfs(const std::filesystem::path& db);  // the files as they are now are the beginning
  ~RecordingVfs();                                         // SQLite writes as before again
  RecordingVfs(const RecordingVfs&) = delete;
  RecordingVfs& operator=(const RecordingVfs&) = delete;

  std::size_t steps() const;  // recorded so far
  // Writes to `db` and `db`-wal what a power cut behind so many steps may leave.
  void cut(std::size_t step, std::mt19937& random, const std::filesystem::path& db) const;

  struct Record;

 private:
  std::unique_ptr<Record> record_;
};

}  // namespace tern::test
