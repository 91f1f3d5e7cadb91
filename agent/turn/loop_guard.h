// Calls that lead nowhere: each result is remembered with its call for a while.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "compression/values/conversation.h"

namespace tern {

// The same call with the same result: told at the fifth time, the turn is ended at the eighth.
class LoopGuard {
 public:
  // How often this call has just given the same result in a row.
  int repeats(const ToolCall& call) const;
  void saw(const ToolCall& call, const std::string& result);
  void changed_files();  // a test that is run again after an edit is no repeat
  static constexpr int teach_at = 5, end_at = 8;

 private:
  struct Seen {
    std::size_t call = 0, result = 0;
    int times = 0;
    bool writes = false;
  };
  std::deque<Seen> recent_;
};

}  // namespace tern
