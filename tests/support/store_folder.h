// A history of its own on disk, gone at the end.
#pragma once

#include "agent/store/store.h"
#include "compression/values/tokens.h"
#include "tests/support/temp_dir.h"

namespace tern::test {

struct StoreFolder {
  TempDir dir;
  const std::filesystem::path& path = dir.path();
  std::filesystem::path db() const { return path / "tern.db"; }
  std::filesystem::path wal() const { return path / "tern.db-wal"; }
  std::unique_ptr<Store> store(bool read_only = false) const {
    return Store::open({.folder = path, .read_only = read_only});
  }
};

// A message of so many characters that differ from its neighbours', with the id given.
inline ItemPtr message(std::uint64_t id, std::size_t characters) {
  Item item;
  item.id = {id};
  item.blocks.push_back(Text{"message " + std::to_string(id) + " " +
                             std::string(characters, static_cast<char>('a' + id % 26))});
  return make_item(std::move(item));
}

}  // namespace tern::test
