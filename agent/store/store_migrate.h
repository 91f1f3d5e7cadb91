// How an older file becomes a newer one: a copy beside it first, then all missing steps in one transaction.
// Forward only; what fails leaves the file as it was. Private to the store and its tests.
#pragma once

#include <filesystem>
#include <vector>

#include "agent/store/sqlite.h"

namespace tern {

// steps[n] takes a file of version n to n + 1. A file of version 0 is new and gets no copy. Throws
// SqliteError.
void migrate(Sqlite& db, const std::filesystem::path& file, const std::vector<const char*>& steps);

// SQLite gives -wal and -shm the mode of the file, so the file is made by us first.
void create_private(const std::filesystem::path& file);

bool is_there(const std::filesystem::path& file);

}  // namespace tern
