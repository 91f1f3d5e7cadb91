// A history of its own on disk, gone at the end.
#pragma once

#include "agent/store.h"
#include "tests/support/temp_dir.h"

namespace tern::test {

struct StoreFolder {
  TempDir dir;
  const std::filesystem::path& path = dir.path();
  std::filesystem::path db() const { return path / "tern.db"; }
  std::filesystem::path wal() const { return path / "tern.db-wal"; }
  std::unique_ptr<Store> store(bool read_only = false) const { return Store::open({.folder = path, .read_only = read_only}); }
};

}  // namespace tern::test
