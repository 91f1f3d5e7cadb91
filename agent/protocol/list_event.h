// A list whose rows can be opened, changed and deleted; what that means is told by the kind of list. Part of
// event.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tern {

struct ListRow {
  std::string id;           // what its actions name: "bash_1", "Bash(npm test)", "r17", "theme"
  std::string text;         // may be shortened
  std::string note;         // secondary
  std::int64_t tokens = 0;  // what it takes in the context
};
struct ListShown {
  enum class What { tasks, rules, originals, settings, summaries, context } what = What::tasks;
  std::string title, empty;  // empty: said where there are no rows
  std::vector<ListRow> rows;
  std::int64_t used = 0, limit = 0;  // tokens of the context the rows are of; 0 = of none
};

}  // namespace tern
