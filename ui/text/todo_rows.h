// The model's task list above the composer. A line of it begins with its state: "☒ done", "◐ doing", "☐ to
// do".
#pragma once

#include <string>
#include <vector>

#include "ui/text/style.h"

namespace tern {

bool all_done(const std::vector<std::string>& todos);
// A title with the progress and the tasks around the current one, in at most `most` rows; in few rows the
// current one alone.
Rows todo_rows(const std::vector<std::string>& todos, int width, int most);

}  // namespace tern
