// /export: the conversation as a Markdown file, written where the person says; nothing that is there is
// replaced.
#include <algorithm>
#include <fstream>

#include "app/session/session_answers.h"
#include "app/session/session_parts.h"

namespace tern {
namespace {

// A fence longer than any run of backticks within.
std::string fenced(const std::string& text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  return fence + '\n' + text + (text.ends_with('\n') ? "" : "\n") + fence + "\n\n";
}

struct Markdown {
  std::string text;

  void operator()(const ItemAdded& added) {
    if (added.item->synthetic) return;
    for (const Block& block : added.item->blocks)
      if (const auto* said = std::get_if<Text>(&block))
        text += (added.item->role == Role::user ? "## " : "") + said->text + "\n\n";
  }
  void operator()(const ToolFinished& done) {
    text += "**" + done.label + "** `" + done.subject + "`" + (done.note.empty() ? "" : " · " + done.note) +
            "\n\n";
    if (const auto& shown = done.diff.empty() ? done.text : done.diff; !shown.empty()) text += fenced(shown);
  }
  template <class Other>
  void operator()(const Other&) {}
};

}  // namespace

void SessionQueries::tell(const ExportConversation& asked) {
  const auto warn = [&](std::string text) { s.emit(Notice{Level::warning, std::move(text)}); };
  std::filesystem::path path = asked.file.empty() ? "tern-" + s.opened_.id + ".md" : asked.file;
  if (path.is_relative()) path = s.setup_.cwd / path;
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, error)))
    return warn(path.string() + " is there already; /export FILE takes another name.");
  Markdown page{"# " + (s.opened_.name.empty() ? "tern " + s.opened_.id : s.opened_.name) + "\n\n"};
  for (const Event& event : s.store_->screen({.tool_text = SIZE_MAX, .full_cells = SIZE_MAX}))
    std::visit(page, event);
  std::ofstream file(path, std::ios::binary);
  file << page.text;
  if (!file.flush())
    return warn("Cannot write " + path.string() + ": see that the folder exists and may be written.");
  s.emit(Notice{Level::info, "Exported " + counted(static_cast<std::int64_t>(page.text.size()), "byte") +
                                 " to " + path.string()});
}

}  // namespace tern
