// Ends a turn in which the model goes round in circles.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

struct CallRun;

// The same call with the same result: told at the fifth time, the turn is ended at the eighth. The same error
// of one tool, whatever it is called with: told at the sixth message in a row that has it, the turn is ended
// at the twelfth.
class LoopGuard {
 public:
  // How often this call has just given the same result in a row.
  int repeats(const ToolCall& call) const;
  std::string said(const ToolCall& call) const;  // the first line of that result
  void saw(const ToolCall& call, const std::string& result);
  void changed_files();  // a test that is run again after an edit is no repeat
  // The calls of one message have ended. What the turn is stopped for; empty: it goes on.
  std::string stuck(const std::vector<CallRun>& runs);
  int same_errors(const std::string& tool, const std::string& text) const;  // messages in a row that had it
  static constexpr int teach_at = 5, end_at = 8, teach_error_at = 6, end_error_at = 12;

 private:
  struct Seen {
    std::size_t call = 0, result = 0;
    int times = 0;
    bool writes = false;
    std::string said;
  };
  const Seen* find(const ToolCall& call) const;

  struct Failing {
    std::size_t error = 0;
    int messages = 0;
  };
  std::deque<Seen> recent_;
  std::map<std::string, Failing> failing_;  // by tool
};

}  // namespace tern
