#include "ui/fronts/inline_region.h"

#include <algorithm>
#include <utility>

#include "ui/fronts/screen.h"
#include "ui/parts/view_runs.h"
#include "ui/terminal/painter.h"
#include "ui/text/width.h"

namespace tern {
namespace {

bool run_ended(const ViewState& view, std::size_t index) {
  while (index < view.cells.size() && may_explore(view.cells[index])) ++index;
  return index < view.cells.size();
}

bool finished(const ViewState& view, std::size_t index) {
  const Cell& cell = view.cells[index];
  if (const auto* answer = std::get_if<AssistantCell>(&cell.body))
    return !answer->streaming && (cell.item.value != 0 || !view.working);
  if (const auto* thinking = std::get_if<ThinkingCell>(&cell.body))
    return !thinking->streaming && (cell.item.value != 0 || !view.working);
  const auto* tool = std::get_if<ToolCell>(&cell.body);
  if (!tool) return true;
  if (tool->running || tool->run.running) return false;
  // A run of reads that may still grow is not told yet.
  return !may_explore(cell) || !view.working || run_ended(view, index);
}

// A line that once was full counts as long for tmux even when its end is cleared, and breaks in two when made
// narrower: only a whole one that is cleared is short again.
std::string on_cleared_lines(const std::string& lines) {
  std::string out;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size() - 1) + 1;
    out.append("\x1b[2K").append(lines, at, end - at);
    at = end;
  }
  return out;
}

bool blank_above(const ViewState& view, std::size_t index) {
  const auto work = [&](std::size_t i) {
    return !std::holds_alternative<UserCell>(view.cells[i].body) &&
           !std::holds_alternative<AssistantCell>(view.cells[i].body);
  };
  return index == 0 || !work(index) || std::holds_alternative<UserCell>(view.cells[index - 1].body);
}

}  // namespace

bool reflows_by_name(const std::function<std::string_view(const char*)>& variable) {
  const auto any = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return !variable(name).empty(); });
  };
  const std::string_view term = variable("TERM"), program = variable("TERM_PROGRAM");
  // What stands between, or was started from another terminal, hands the names of that one down.
  if (any({"STY", "XTERM_VERSION"}) || term == "linux") return false;
  if (any({"TMUX", "VTE_VERSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID", "ALACRITTY_WINDOW_ID",
           "ALACRITTY_LOG", "WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR", "WT_SESSION"}))
    return true;
  for (const std::string_view known : {"Apple_Terminal", "iTerm.app", "vscode", "WezTerm", "ghostty"})
    if (program == known) return true;
  return term.starts_with("alacritty") || term.starts_with("foot") || term == "xterm-kitty" ||
         term == "xterm-ghostty";
}

Rows InlineRegion::finished_rows(const ViewState& view, int width) {
  Rows rows;
  for (; printed_ < view.cells.size() && finished(view, printed_); ++printed_) {
    if (blank_above(view, printed_)) rows.emplace_back();
    append(rows, rows_of(view.cells[printed_], RowOptions{.width = width - 1}));
  }
  return rows;
}

Rows InlineRegion::live_rows(Shell& shell, TerminalSize size, Caret& caret) {
  if (shell.overlay) {
    caret = {};
    return overlay_rows(*shell.overlay, size.columns, std::max(4, size.lines - 2));
  }
  Bottom bottom = bottom_part(shell, size);
  Rows rows;
  for (std::size_t i = printed_; i < shell.view.cells.size(); ++i)
    append(rows, rows_of(shell.view.cells[i], RowOptions{.width = size.columns - 1}));
  // The region is bounded: only the end of what still grows is shown.
  const auto room = static_cast<std::size_t>(
      std::max(0, std::min(size.lines / 2, size.lines - 1 - static_cast<int>(bottom.rows.size()))));
  if (rows.size() > room) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(room));
  caret = bottom.caret;
  if (caret.x >= 0) caret.y += static_cast<int>(rows.size());
  append(rows, std::move(bottom.rows));
  if (rows.size() > static_cast<std::size_t>(size.lines - 1)) {
    const auto cut = rows.size() - static_cast<std::size_t>(size.lines - 1);
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(cut));
    caret.y -= static_cast<int>(cut);
  }
  return rows;
}

std::string InlineRegion::frame(Shell& shell, TerminalSize size) {
  const ViewState& view = shell.view;
  std::string out = "\x1b[?2026h\x1b[?25l\r";
  const bool resized = size_.columns != 0 && !(size == size_);
  const bool restarted = !view.cells.empty() && view.cells.front().id != first_cell_;
  if (restarted) {
    first_cell_ = view.cells.front().id;
    printed_ = 0;
  }
  const int up_before = resized ? lines_above(size.columns) : cursor_y_;
  if (up_before > 0) out += "\x1b[" + std::to_string(up_before) + "A";
  if (resized) {
    // Whole lines are cleared, which also ends that they count as broken ones, and never from the screen's
    // first line on: tmux would keep in its history what that takes away.
    out += "\x1b[2K\x1b[B\x1b[J\x1b[A";
    last_.clear();
  }
  size_ = size;
  Rows finished;
  // It names the model, so it waits until that is known, or until something else is to be said.
  const bool due = !view.meters.model.empty() || !view.cells.empty() || view.trust || view.goodbye;
  if (due && !std::exchange(welcomed_, true)) finished = welcome_rows(shell, size.columns, size.lines);
  if (printed_ == 0 && view.more_above && !view.cells.empty())
    finished.push_back(
        RowBuilder()
            .add("  ⋮ earlier messages are kept: /export writes everything", Style{.fg = Colour::muted})
            .take());
  append(finished, finished_rows(view, size.columns));
  Caret caret;
  const Rows live = live_rows(shell, size, caret);
  std::string region = ansi_lines(live, shell.theme, size.columns);
  if (region.size() >= 2) region.resize(region.size() - 2);  // no line end after the last row
  const int y = caret.x >= 0 ? std::max(0, caret.y) : static_cast<int>(live.size()) - 1;
  if (finished.empty() && region == last_ && y == cursor_y_ && caret.x < 0) return {};
  last_ = region;
  out += on_cleared_lines(ansi_lines(finished, shell.theme, size.columns)) + region + "\x1b[J\r";
  const int up = static_cast<int>(live.size()) - 1 - y;
  if (up > 0) out += "\x1b[" + std::to_string(up) + "A";
  if (caret.x > 0) out += "\x1b[" + std::to_string(caret.x) + "C";
  if (caret.x >= 0) out += "\x1b[?25h";
  cursor_y_ = y;
  cursor_x_ = std::max(0, caret.x);
  widths_.clear();
  for (const Row& row : live) widths_.push_back(tern::width(row.text));
  return out + "\x1b[?2026l";
}

// From the region's first line down to the cursor, at a new width.
int InlineRegion::lines_above(int columns) const {
  if (!reflows_ || columns <= 0) return cursor_y_;
  int lines = cursor_x_ / columns;
  for (std::size_t i = 0; i < widths_.size() && static_cast<int>(i) < cursor_y_; ++i)
    lines += std::max(1, (widths_[i] + columns - 1) / columns);
  return lines;
}

std::string InlineRegion::leave() {
  std::string out = "\r";
  if (cursor_y_ > 0) out += "\x1b[" + std::to_string(cursor_y_) + "A";
  cursor_y_ = 0;
  last_.clear();
  return out + "\x1b[J";
}

}  // namespace tern
