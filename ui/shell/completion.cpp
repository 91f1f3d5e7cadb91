#include "ui/shell/completion.h"

#include <algorithm>

#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"
#include "ui/terminal/frame.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {
constexpr std::size_t most_files = 50;
constexpr Style muted{.fg = Colour::muted};
}  // namespace

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

void Completion::names(const Shell& shell, std::string_view line) {
  const std::string word = " " + std::string(line);
  const auto rank =
      [&](const SlashCommand& command) {  // what is typed in full goes first, then what begins so
        const std::string aliases = " " + command.aliases + " ";
        if (!line.empty() && (command.name == line || aliases.find(word + " ") != aliases.npos)) return 0;
        if (command.name.starts_with(line)) return 1;
        return command.name.find(line) != line.npos || aliases.find(word) != aliases.npos ? 2 : 3;
      };
  for (const int wanted : {0, 1, 2})
    for (const SlashCommand& command : shell.slash)
      if (rank(command) == wanted && !command.name.starts_with('@'))
        candidates_.push_back({.text = "/" + command.name + (command.usage.empty() ? "" : " "),
                               .help = command.help,
                               .usage = command.usage,
                               .run = command.usage.empty() || command.usage.starts_with("[")});
}

void Completion::commands(Shell& shell, std::string_view line) {
  const std::size_t blank = line.find(' ');
  begin_ = 0;
  if (blank == line.npos) return names(shell, line);
  std::vector<std::string> meant;
  const SlashCommand* command = shell.slash.find(line.substr(0, blank), meant);
  if (!command || !command->complete) return;
  const std::string_view typed = line.substr(blank + 1);
  begin_ = blank + 2;
  for (std::string& value : command->complete(shell)) {
    if (value == typed) return candidates_.clear();  // complete as it stands: enter runs it
    const bool runs = !value.ends_with(" ");
    if (value.starts_with(typed))
      candidates_.push_back({.text = std::move(value), .help = {}, .usage = {}, .run = runs});
  }
}

void Completion::files(Shell& shell, std::string_view word) {
  if (word.empty() || !shell.files.listed())
    shell.files.refresh();  // files come and go: each mention lists them anew
  for (std::string& name : shell.files.search(word, most_files))
    candidates_.push_back({.text = "@" + name + " ", .help = {}, .usage = {}, .run = false});
  const std::string typed = "@" + std::string(word);
  for (const SlashCommand& each :
       shell.slash) {  // what servers have to mention; the gaps of a template are the person's to fill
    const std::size_t gap = each.name.find('{');
    if (each.name.starts_with('@') && each.name.find(typed.substr(1)) != each.name.npos &&
        candidates_.size() < most_files)
      candidates_.push_back({.text = gap == each.name.npos ? each.name + " " : each.name.substr(0, gap),
                             .help = each.help,
                             .usage = {},
                             .run = false});
  }
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

// The list, and in its frame what may follow the selected one.
Rows Completion::rows(int width, int height) const {
  const int inside = std::max(4, width - 4);
  const auto most = static_cast<std::size_t>(std::max(1, height - 2));
  const std::size_t shown = std::min(candidates_.size(), most);
  const std::size_t first = selected_ >= shown ? selected_ + 1 - shown : 0;
  int column = 12;
  for (std::size_t i = first; i < first + shown; ++i)
    column = std::max(column, tern::width(candidates_[i].text) + 4);
  column = std::min(column, std::max(12, inside / 2));
  Rows rows;
  for (std::size_t i = first; i < first + shown; ++i) {
    const Candidate& candidate = candidates_[i];
    const bool here = i == selected_;
    const bool path = candidate.help.empty();
    const std::string text = safe_text(candidate.text, Lines::one);
    RowBuilder row;
    row.add(here ? "❯ " : "  ", Style{.fg = Colour::accent, .bold = true});
    row.add(path ? shorten_middle(text, inside - 2) : shorten(text, column - 2),
            here ? Style{.fg = Colour::accent, .bold = true} : Style{});
    if (!path) row.fill_to(column).add(shorten(candidate.help, std::max(0, inside - column)), muted);
    rows.push_back(row.take());
  }
  Frame frame;
  const Candidate* chosen = current();
  const std::string place = shown < candidates_.size()
                                ? std::to_string(selected_ + 1) + "/" + std::to_string(candidates_.size())
                                : "";
  frame.rest = RowBuilder().add(place, muted).take();
  const int room = inside - 4 - tern::width(place);
  if (chosen && !chosen->usage.empty())
    frame.footer = RowBuilder()
                       .add(chosen->text, Style{.fg = Colour::accent})
                       .add(shorten(chosen->usage, room - tern::width(chosen->text)))
                       .take();
  else
    frame.footer = key_hints(
        {{"enter", chosen && chosen->run ? "run" : "take"}, {"tab", "complete"}, {"esc", "close"}}, room);
  return framed(rows, width, frame);
}

}  // namespace tern
