#include "app/cli/welcome.h"

#include <ctime>
#include <iterator>
#include <string_view>

namespace tern {
namespace {

// One at a time: who starts tern often has seen them all after a week.
std::string_view tip_of_the_hour() {
  static constexpr std::string_view tips[] = {
      "esc esc goes back to an earlier prompt, with or without its files.",
      "shift-tab lets edits through without asking; again for plan mode.",
      "@ mentions a file, ! runs a command, # adds a note to AGENTS.md.",
      "ctrl-o unfolds the whole transcript; / searches in it.",
      "/context shows what fills the window and when it compacts.",
      "/recall brings back anything that left the context, word for word.",
      "/pin keeps a sentence verbatim through every compaction.",
      "Type while tern works: enter steers it, tab queues for later.",
      "ctrl-b moves a running command to the background; /tasks lists them.",
      "/compact --preview shows the summary before it is used.",
  };
  return tips[static_cast<std::size_t>(std::time(nullptr) / 3'600) % std::size(tips)];
}

}  // namespace

std::vector<std::string> welcome(bool kept, const UiDeps& deps, bool plain) {
  const bool at_home = !deps.home.empty() && deps.cwd.starts_with(deps.home + "/");
  std::vector<std::string> lines = {"tern " + deps.version,
                                    at_home ? "~" + deps.cwd.substr(deps.home.size()) : deps.cwd};
  if (!kept) lines.emplace_back("This session is not saved.");
  if (!plain) lines.emplace_back();
  lines.push_back(plain ? "/help commands · ! shell · # note" : "Tip: " + std::string(tip_of_the_hour()));
  return lines;
}

}  // namespace tern
