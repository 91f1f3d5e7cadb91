// Which lines of a file that a recorded agent read it edited next: what a cut of that read would have cost
// it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compression/values/conversation.h"

namespace tern::test {

struct EditedRead {
  std::vector<std::string>
      lines;  // those of the read that the edits name, up to the next read of the same file

  std::size_t shown_in(
      std::string_view text) const;  // how many of them; line numbers before them do not count
};

// By the id of the reading call; reads that were not edited, and those that failed, are left out.
std::map<std::string, EditedRead> edited_reads(const Conversation& conversation);

// Did the call ask for some lines of the file only?
bool asks_for_lines(const ToolCall& call);

}  // namespace tern::test
