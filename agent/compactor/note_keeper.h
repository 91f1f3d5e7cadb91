// The model's notes, and when it was last told to keep them.
#pragma once

#include <cstdint>
#include <string>

#include "agent/store/note_book.h"

namespace tern {

class RowStore;

// Kept with the session: a day of work is many runs of tern.
struct NoteTimes {
  bool reminded = false;            // since the last compaction
  bool unasked = false;             // when it was reminded, it had already kept enough for a window
  std::uint64_t compacted_in = 0;   // the turn of the last compaction
  std::uint64_t reminded_turn = 0;  // … that no note was kept for long

  void save(RowStore& store) const;
  void load(const RowStore& store);
};

struct NoteKeeper : NoteTimes {
  NoteBook book;
};

}  // namespace tern
