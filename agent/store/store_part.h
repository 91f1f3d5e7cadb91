// What the parts of a store share: its one connection. A part alone is what a reader of originals or a keeper
// of small rows asks for.
#pragma once

namespace tern {

struct StoreState;  // store_db.h

class StorePart {
 public:
  StorePart(const StorePart&) = delete;
  StorePart& operator=(const StorePart&) = delete;

 protected:
  explicit StorePart(StoreState& state) : impl_(&state) {}
  ~StorePart() = default;
  StoreState* impl_;
};

}  // namespace tern
