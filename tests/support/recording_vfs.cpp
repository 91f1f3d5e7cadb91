#include "tests/support/recording_vfs.h"

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <new>
#include <vector>

namespace tern::test {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t sector = 512;

struct Step {
  enum class Kind { write, truncate, sync } kind;
  std::size_t file;  // 0 the database, 1 its write-ahead log
  std::size_t at = 0;
  std::string bytes = {};
};

std::string bytes_in(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(std::string& image, std::size_t at, std::string_view bytes) {
  if (image.size() < at + bytes.size()) image.resize(at + bytes.size(), '\0');
  image.replace(at, bytes.size(), bytes);
}

}  // namespace

struct RecordingVfs::Record {
  sqlite3_vfs vfs{};
  sqlite3_vfs* real = nullptr;
  std::array<std::string, 2> names, images;  // images: the files when the record began
  std::vector<Step> steps;
};

namespace {

struct Watched {
  sqlite3_file base;
  RecordingVfs::Record* record;
  int file;  // of Step; −1: not one of the two
};

Watched& watched(sqlite3_file* file) { return *reinterpret_cast<Watched*>(file); }
sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<sqlite3_file*>(&watched(file) + 1); }

void note(sqlite3_file* file, Step::Kind kind, std::size_t at = 0, std::string bytes = {}) {
  const Watched& about = watched(file);
  if (about.file >= 0)
    about.record->steps.push_back({kind, static_cast<std::size_t>(about.file), at, std::move(bytes)});
}

int close_file(sqlite3_file* f) { return real(f)->pMethods ? real(f)->pMethods->xClose(real(f)) : SQLITE_OK; }
int write_file(sqlite3_file* f, const void* data, int size, sqlite3_int64 at) {
  const int code = real(f)->pMethods->xWrite(real(f), data, size, at);
  if (code == SQLITE_OK)
    note(f, Step::Kind::write, static_cast<std::size_t>(at),
         {static_cast<const char*>(data), static_cast<std::size_t>(size)});
  return code;
}
int truncate_file(sqlite3_file* f, sqlite3_int64 size) {
  note(f, Step::Kind::truncate, static_cast<std::size_t>(size));
  return real(f)->pMethods->xTruncate(real(f), size);
}
int sync_file(sqlite3_file* f, int flags) {
  note(f, Step::Kind::sync);
  return real(f)->pMethods->xSync(real(f), flags);
}

// Everything else goes on as it is.
template <auto Member, class... Arguments>
int pass(sqlite3_file* f, Arguments... arguments) {
  return (real(f)->pMethods->*Member)(real(f), arguments...);
}
void barrier(sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); }

using M = sqlite3_io_methods;
constexpr M methods{.iVersion = 2,
                    .xClose = close_file,
                    .xRead = pass<&M::xRead, void*, int, sqlite3_int64>,
                    .xWrite = write_file,
                    .xTruncate = truncate_file,
                    .xSync = sync_file,
                    .xFileSize = pass<&M::xFileSize, sqlite3_int64*>,
                    .xLock = pass<&M::xLock, int>,
                    .xUnlock = pass<&M::xUnlock, int>,
                    .xCheckReservedLock = pass<&M::xCheckReservedLock, int*>,
                    .xFileControl = pass<&M::xFileControl, int, void*>,
                    .xSectorSize = pass<&M::xSectorSize>,
                    .xDeviceCharacteristics = pass<&M::xDeviceCharacteristics>,
                    .xShmMap = pass<&M::xShmMap, int, int, int, void volatile**>,
                    .xShmLock = pass<&M::xShmLock, int, int, int>,
                    .xShmBarrier = barrier,
                    .xShmUnmap = pass<&M::xShmUnmap, int>,
                    .xFetch = nullptr,
                    .xUnfetch = nullptr};

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
  auto* record = static_cast<RecordingVfs::Record*>(vfs->pAppData);
  Watched& opened = *new (file) Watched{{&methods}, record, -1};
  for (std::size_t i = 0; name && i < record->names.size(); ++i)
    if (record->names[i] == name) opened.file = static_cast<int>(i);
  const int code = record->real->xOpen(record->real, name, real(file), flags, out);
  if (code != SQLITE_OK) file->pMethods = nullptr;
  return code;
}

// One file as a power cut behind `step` may leave it.
std::string left_of(const RecordingVfs::Record& record, std::size_t file, std::size_t step,
                    std::mt19937& random) {
  std::size_t synced = 0;
  for (std::size_t i = 0; i < step; ++i)
    if (record.steps[i].file == file && record.steps[i].kind == Step::Kind::sync) synced = i;
  std::string image = record.images[file];
  for (std::size_t i = 0; i < step; ++i) {
    const Step& done = record.steps[i];
    if (done.file != file || done.kind == Step::Kind::sync) continue;
    const unsigned fate = i < synced ? 0 : random() % 3;  // kept, lost, torn
    if (fate == 1) continue;
    if (done.kind == Step::Kind::truncate) {
      image.resize(done.at, '\0');
    } else if (fate == 0) {
      put(image, done.at, done.bytes);
    } else {
      for (std::size_t piece = 0; piece < done.bytes.size(); piece += sector)
        if (random() % 2 == 0)
          put(image, done.at + piece, std::string_view(done.bytes).substr(piece, sector));
    }
  }
  return image;
}

}  // namespace

RecordingVfs::RecordingVfs(const fs::path& db) : record_(std::make_unique<Record>()) {
  record_->names = {db.string(), db.string() + "-wal"};
  record_->images = {bytes_in(record_->names[0]), bytes_in(record_->names[1])};
  record_->real = sqlite3_vfs_find(nullptr);
  record_->vfs = *record_->real;
  record_->vfs.pNext = nullptr;
  record_->vfs.zName = "recording";
  record_->vfs.szOsFile = static_cast<int>(sizeof(Watched)) + record_->real->szOsFile;
  record_->vfs.pAppData = record_.get();
  record_->vfs.xOpen = open_file;
  sqlite3_vfs_register(&record_->vfs, 1);
}

RecordingVfs::~RecordingVfs() {
  sqlite3_vfs_unregister(&record_->vfs);
  sqlite3_vfs_register(record_->real, 1);
}

std::size_t RecordingVfs::steps() const { return record_->steps.size(); }

void RecordingVfs::cut(std::size_t step, std::mt19937& random, const fs::path& db) const {
  for (std::size_t file = 0; file < 2; ++file)
    std::ofstream(file == 0 ? db : fs::path(db.string() + "-wal"), std::ios::binary)
        << left_of(*record_, file, step, random);
}

}  // namespace tern::test
