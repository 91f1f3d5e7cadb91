#include "ui/shell/shell.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "ui/parts/rows.h"
#include "ui/shell/slash_command.h"
#include "ui/shell/words.h"
#include "ui/terminal/picture.h"
#include "ui/text/format.h"
#include "ui/text/text_safe.h"
#include "ui/text/todo_rows.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

std::string history_file(const UiDeps& deps) {
  return deps.state_dir.empty() ? "" : deps.state_dir + "/prompts";
}

// Where the second column of a line begins, so that what is wrapped stays in it; none: under the first word.
std::size_t hanging(std::string_view line, int width) {
  const std::size_t word = line.find_first_not_of(' ');
  if (word == line.npos) return 0;
  std::size_t column = line.find("  ", word);
  column = column == line.npos ? word : line.find_first_not_of(' ', column);
  if (column == line.npos) column = word;
  const auto columns = static_cast<std::size_t>(tern::width(line.substr(0, column)));
  return columns * 2 <= static_cast<std::size_t>(std::max(0, width)) ? columns : word;
}

Rows plain_rows(std::string_view text, int width, bool linear) {
  Rows rows;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t note =
        line.find("  // ");  // a remark that has no room beside what it is about stands below
    const bool below = !linear && note != line.npos && tern::width(line) > width;
    const std::string_view said = below ? line.substr(0, line.find_last_not_of(' ', note) + 1) : line;
    wrap_into(rows, RowBuilder().add(said).take(), width, "", std::string(hanging(said, width), ' '));
    if (below) wrap_into(rows, RowBuilder().add(line.substr(note + 5), muted).take(), width, "    ", "    ");
    at = end + 1;
  }
  return rows;
}

// "--- path  +2 −1", then the hunks of that file.
Rows file_diffs(std::string_view text, int width) {
  Rows rows;
  while (!text.empty()) {
    const std::size_t next = std::min(text.find("\n--- ", 1), text.size());
    const std::string_view file = text.substr(0, next);
    const std::size_t end = std::min(file.find('\n'), file.size());
    const std::string_view head =
        file.substr(file.starts_with("--- ") ? 4 : 0, file.starts_with("--- ") ? end - 4 : end);
    if (!rows.empty()) rows.emplace_back();
    rows.push_back(RowBuilder().add(shorten(head, width), Style{.bold = true}).take());
    std::string_view lines = file.substr(std::min(end + 1, file.size()));
    while (lines.ends_with('\n')) lines.remove_suffix(1);
    Rows hunks = lines.empty() ? Rows() : diff_rows(lines, head.substr(0, head.find("  ")), width);
    std::move(hunks.begin(), hunks.end(), std::back_inserter(rows));
    text.remove_prefix(std::min(next + 1, text.size()));
  }
  return rows;
}

}  // namespace

Shell::Shell(UiDeps& dependencies, CommandSet commands, std::function<void()> waker)
    : deps(dependencies),
      slash(std::move(commands)),
      history(history_file(dependencies)),
      files(
          dependencies.list_files ? dependencies.list_files
                                  : [](std::stop_token) { return std::vector<std::string>(); },
          waker),
      wake(std::move(waker)),
      clipboard(dependencies.state_dir) {
  composer.set_vi(deps.vi);
  composer.name_chips([this](std::string_view text) { return picture_label(text, deps.cwd); });
}

void Shell::notice(std::string text, Level level) { fold(view, Notice{level, std::move(text)}, now_ms); }

void Shell::page(Page page) {
  Overlay opened;
  opened.title = std::move(page.title);
  const bool linear = deps.screen == ScreenKind::plain;  // a log is searched by line
  std::string text = safe_text(page.text);
  text.erase(text.find_last_not_of('\n') + 1);  // no empty row above the frame
  opened.content = [linear, form = page.form, text = std::move(text)](int width) {
    if (form == Page::Form::markdown) return markdown_rows(text, width);
    return form == Page::Form::diffs ? file_diffs(text, width) : plain_rows(text, width, linear);
  };
  if (overlay && !overlay->opens.empty()) opened.below = std::make_shared<Overlay>(std::move(*overlay));
  overlay = std::move(opened);
}

void Shell::use_theme(std::string_view name) {
  bool known = false;
  for (const ThemeRow& row : theme_rows()) known |= row.name == name;
  if (!known) return say("no theme named " + std::string(name) + " · /theme lists them");
  deps.theme = name;
  theme = make_theme(name, depth, background);
  recolour = true;
}

void Shell::ask_earlier(bool all) {
  if (!view.more_above || asked_earlier == view.openings) return;
  asked_earlier = view.openings;
  send(AskEarlier{all});
}

void Shell::earlier_came() {
  if (seek == Seek::none || asked_earlier == view.openings) return;
  transcript.catch_up();
  std::exchange(seek, Seek::none) == Seek::begin ? to_begin() : find_again(true);
}

void Shell::to_begin() {
  transcript.to_begin();
  if (!view.more_above) return;
  seek = Seek::begin;
  ask_earlier(true);
}

void Shell::find_again(bool older) {
  if (last_find.empty() || transcript.search(last_find, older)) return;
  if (!older || !view.more_above) return say("not found: " + last_find);
  seek = Seek::find;
  say("looking further back for " + last_find);
  ask_earlier(true);
}

void Shell::attach(const std::string& path) {
  const bool inside = path.starts_with(deps.cwd + "/");
  composer.insert_chip(mention(inside ? path.substr(deps.cwd.size() + 1) : path));
  completion.update(*this);
  if (!view.meters.images) say(view.meters.model + " can't read pictures; only the name is sent", 5'000);
}

void Shell::clipboard_came() {
  const auto found = clipboard.answer();
  if (!found) return;
  found->path.empty() ? say(found->problem, 6'000) : attach(found->path);
  view.dirty = true;
}

void Shell::copy(std::string text) {
  const auto size = plural(static_cast<std::int64_t>(text.size()), "byte");
  say(desktop_clipboard ? "copied " + size : "copied " + size + " through the terminal, if it allows that");
  to_clipboard = std::move(text);
}

void Shell::toggle_todos() {
  show_todos = !show_todos;
  if (view.todos.empty()) say("no tasks yet");
}

void Shell::leave() {
  constexpr std::int64_t patience_ms = 5'000;
  const int jobs = view.meters.background_jobs;
  quitting = jobs == 0 || now_ms - last_leave_ms < patience_ms;
  last_leave_ms = now_ms;
  if (!quitting)
    say(plural(jobs, "command") + (jobs == 1 ? " still runs" : " still run") +
            " in the background · again to stop " + (jobs == 1 ? "it" : "them") + " and quit",
        patience_ms);
}

void Shell::interrupt() {
  deps.interrupt();
  send(TakeBack{});
}

void Shell::submit(When when) {
  if (composer.empty()) return;
  const char sign = composer.sign();
  std::vector<std::string> pastes = composer.pastes();
  const std::string text = composer.take();
  if (text.find_first_not_of(" \t\n") == text.npos) return;
  history.add(text);
  transcript.to_end();
  // A path is no command: "/etc/hosts has a wrong line". What follows a command's name may be one: "/pin
  // never touch src/api.h".
  if (sign == '/' && text.find('\n') == text.npos &&
      text.find('/', 1) >= std::min(text.find(' '), text.size()))
    return run_command(*this, std::string_view(text).substr(1));
  if (sign == '!') {
    const bool hidden = text.starts_with("!!");
    return send(ShellLine{text.substr(hidden ? 2 : 1), hidden});
  }
  if (sign == '#') return send(MemoryNote{text.substr(std::min(text.find_first_not_of("# "), text.size()))});
  if (all_done(view.todos)) show_todos = false;
  std::string too_large;
  auto pictures =
      view.meters.images ? attached_pictures(text, deps.cwd, too_large) : std::vector<Attachment>();
  if (!too_large.empty())
    notice(too_large + " is larger than 32 MB, so only its name was sent", Level::warning);
  constexpr std::size_t most_pastes = 50;  // of prompts that came to nothing
  std::move(pastes.begin(), pastes.end(), std::back_inserter(view.sent_pastes));
  if (view.sent_pastes.size() > most_pastes) view.sent_pastes.clear();
  send(Submit{text, std::move(pictures), when});
}

}  // namespace tern
