#include "ui/completion.h"

#include <algorithm>

#include "ui/command.h"
#include "ui/shell.h"
#include "ui/text_safe.h"
#include "ui/width.h"

namespace tern {
namespace {
constexpr std::size_t most = 50;
}

void Completion::update(Shell& shell) {
  const std::string_view text = shell.composer.raw();
  const std::string_view before = text.substr(0, shell.composer.caret());
  if (shell.reverse) return candidates_.clear();
  if (closed_for_ && before == *closed_for_) return;
  closed_for_.reset();
  if (before == seen_ && !candidates_.empty() && !before.empty() && before.find('@') == before.npos) return;
  if (before != seen_) selected_ = 0;
  seen_ = before;
  candidates_.clear();
  if (shell.composer.sign() == '/' && before.starts_with("/") && before.find('\n') == before.npos)
    return commands(shell, before.substr(1));
  const std::size_t blank = before.find_last_of(" \n\t");
  const std::size_t word = blank == before.npos ? 0 : blank + 1;
  if (word < before.size() && before[word] == '@') {
    begin_ = word;
    files(shell, before.substr(word + 1));
  }
}

void Completion::names(std::string_view line) {
  const std::string word = " " + std::string(line);
  const auto rank = [&](const SlashCommand& command) {  // what is typed in full goes first, then what begins so
    const std::string aliases = " " + std::string(command.aliases) + " ";
    if (!line.empty() && (command.name == line || aliases.find(word + " ") != aliases.npos)) return 0;
    if (command.name.starts_with(line)) return 1;
    return command.name.find(line) != line.npos || aliases.find(word) != aliases.npos ? 2 : 3;
  };
  for (const int wanted : {0, 1, 2})
    for (const SlashCommand* command : slash_commands())
      if (rank(*command) == wanted)
        candidates_.push_back({"/" + std::string(command->name) + (command->usage.empty() ? "" : " "),
                               std::string(command->usage) + (command->usage.empty() ? "" : "  ") + std::string(command->help),
                               command->usage.empty() || command->usage.starts_with("[")});
}

void Completion::commands(Shell& shell, std::string_view line) {
  const std::size_t blank = line.find(' ');
  begin_ = 0;
  if (blank == line.npos) return names(line);
  std::vector<std::string_view> meant;
  const SlashCommand* command = find_command(line.substr(0, blank), meant);
  if (!command || !command->complete) return;
  const std::string_view typed = line.substr(blank + 1);
  begin_ = blank + 2;
  for (std::string& value : command->complete(shell)) {
    if (value == typed) return candidates_.clear();  // complete as it stands: enter runs it
    const bool runs = !value.ends_with(" ");
    if (value.starts_with(typed)) candidates_.push_back({std::move(value), "", runs});
  }
}

void Completion::files(Shell& shell, std::string_view word) {
  if (word.empty() || !shell.files.listed()) shell.files.refresh();  // files come and go: each mention lists them anew
  for (std::string& name : shell.files.search(word, most)) candidates_.push_back({"@" + name + " ", "", false});
}

void Completion::close(const Shell& shell) {
  candidates_.clear();
  seen_ = shell.composer.raw().substr(0, shell.composer.caret());
  closed_for_ = seen_;
}

void Completion::move(int by) {
  if (candidates_.empty()) return;
  const auto n = static_cast<int>(candidates_.size());
  selected_ = static_cast<std::size_t>((static_cast<int>(selected_) + by + n) % n);
}

const Candidate* Completion::current() const {
  return candidates_.empty() ? nullptr : &candidates_[std::min(selected_, candidates_.size() - 1)];
}

Rows Completion::rows(int width, int height) const {
  Rows rows;
  const auto shown = std::min<std::size_t>(candidates_.size(), static_cast<std::size_t>(std::max(1, height)));
  const std::size_t first = selected_ >= shown ? selected_ + 1 - shown : 0;
  int column = 12;
  for (std::size_t i = first; i < first + shown; ++i) column = std::max(column, tern::width(candidates_[i].text) + 4);
  column = std::min(column, std::max(12, width / 2));
  for (std::size_t i = first; i < first + shown; ++i) {
    const bool here = i == selected_;
    RowBuilder row;
    row.add(here ? " ❯ " : "   ", Style{.fg = Colour::accent, .bold = true});
    const bool path = candidates_[i].help.empty();
    row.add(path ? shorten_middle(safe_text(candidates_[i].text, Lines::one), width - 4)
                 : shorten(safe_text(candidates_[i].text, Lines::one), column - 3),
            here ? Style{.fg = Colour::accent, .bold = true} : Style{});
    const std::size_t below = i + 1 == first + shown ? candidates_.size() - first - shown : 0;  // said in the last row
    const std::string more = below > 0 ? " ↓ " + std::to_string(below) + " more " : "";
    const int room = std::max(0, width - column - 1 - tern::width(more));
    if (!path) row.fill_to(column).add(shorten(candidates_[i].help, room), Style{.fg = Colour::muted});
    if (!path && below > 0) row.fill_to(width - tern::width(more)).add(more, Style{.fg = Colour::accent});
    rows.push_back(row.take());
  }
  return rows;
}

}  // namespace tern
