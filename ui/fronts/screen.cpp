#include "ui/fronts/screen.h"

#include <algorithm>
#include <ftxui/dom/elements.hpp>
#include <utility>

#include "ui/parts/rows.h"
#include "ui/parts/status_bar.h"
#include "ui/text/ansi_text.h"
#include "ui/text/format.h"
#include "ui/text/text_safe.h"
#include "ui/text/todo_rows.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};
constexpr int lines_with_frame = 9;  // on a lower screen the choices of a dialog need the rows
constexpr int lines_with_gap = 24;   // … and the transcript ends with a blank row
constexpr int lines_with_top = 16;   // on a lower screen the composer's frame says the mode

Row rule(int width) {
  std::string line;
  for (int i = 0; i < width; ++i) line += "─";
  return RowBuilder().add(line, muted).take();
}

std::string_view prompt_glyph(const Shell& shell) {
  if (shell.composer.sign() == '!') return "! ";
  if (shell.composer.sign() == '#') return "# ";
  return shell.composer.normal_mode() ? "◆ " : "❯ ";
}

// The glyph says already that this is a shell line or a note.
int hide_sign(const Shell& shell, Composer::Layout& layout) {
  const char letter = shell.composer.sign();
  if (layout.rows.empty() || (letter != '!' && letter != '#')) return 0;
  Row& first = layout.rows.front();
  if (first.text.empty() || first.text[0] != letter) return 0;  // scrolled away
  const std::uint32_t sign =
      first.text.starts_with(std::string{letter, ' '}) ? 2 : 1;  // the glyph brings a blank along
  first.text.erase(0, sign);
  for (Span& span : first.spans) {
    const std::uint32_t cut = span.begin < sign ? std::min(span.length, sign - span.begin) : 0;
    span.length -= cut;
    span.begin -= std::min(span.begin, sign);
  }
  if (layout.caret_y == 0) layout.caret_x -= std::min(layout.caret_x, static_cast<int>(sign));
  return static_cast<int>(sign);
}

void composer_rows(Shell& shell, Bottom& bottom, int width, int most) {
  const bool frame = width >= 24;
  const int inner = frame ? width - 6 : width - 3;  // a column is left for the caret behind a full row
  Composer::Layout layout = shell.composer.layout(inner, std::max(1, most));
  bottom.hidden_sign = hide_sign(shell, layout);
  const bool shell_line = shell.composer.sign() == '!';
  const Style glyph{.fg = shell_line ? Colour::warn : Colour::accent, .bold = true};
  Rows rows;
  if (shell.composer.empty() && !shell.reverse) {
    const bool narrow = inner < 50;
    const std::string_view ghost =
        shell.view.working    ? narrow ? "type to steer" : "type to steer · tab queue for later"
        : shell.view.rejected ? narrow ? "What instead?" : "Rejected. What should tern do instead?"
        : narrow              ? "/ commands · @ files · ? keys"
                              : "ask, or / for commands, @ for files, ? for keys";
    rows.push_back(RowBuilder().add(prompt_glyph(shell), glyph).add(shorten(ghost, inner), muted).take());
  } else {
    for (std::size_t i = 0; i < layout.rows.size(); ++i) {
      Row row = RowBuilder().add(i == 0 ? prompt_glyph(shell) : "  ", glyph).take();
      append(row, layout.rows[i]);
      rows.push_back(std::move(row));
    }
  }
  const int left = frame ? 4 : 2;
  bottom.composer_row = static_cast<int>(bottom.rows.size()) + (frame ? 1 : 0);
  bottom.composer_left = left;
  bottom.composer_rows = static_cast<int>(rows.size());
  bottom.caret = {layout.caret_x + left,
                  static_cast<int>(bottom.rows.size()) + layout.caret_y + (frame ? 1 : 0)};
  append(bottom.rows, frame ? framed(rows, width, bottom.frame) : std::move(rows));
}

// The first says how many there are.
std::string queue_hint(std::size_t queued) {
  return queued < 2 ? " · queued · ↑ take back" : " · " + std::to_string(queued) + " queued · ↑ take back";
}

void queue_rows(const ViewState& view, Rows& rows, int width) {
  constexpr std::size_t shown = 3;
  for (std::size_t i = 0; i < std::min(view.queue.size(), shown); ++i)
    rows.push_back(RowBuilder()
                       .add(" ⏵ ", Style{.fg = Colour::accent})
                       .add(shorten(safe_text(view.queue[i], Lines::one), width - 30), muted)
                       .add(i == 0 ? queue_hint(view.queue.size()) : "", muted)
                       .take());
}

Row history_row(const Shell& shell, int width) {
  const bool wide = width >= 60;
  Row row = RowBuilder().add(" history: ", muted).take();
  const Row keys = shell.reverse_missed ? RowBuilder().add("no prompt matches", muted).take()
                   : wide ? key_hints({{"ctrl-r", "older"}, {"enter", "take"}, {"esc", "close"}}, width - 24)
                          : Row();
  const int room = std::max(8, width - 13 - tern::width(keys.text));
  append(row, RowBuilder()
                  .add(shorten(safe_text(*shell.reverse, Lines::one), room), Style{.fg = Colour::accent})
                  .take());
  append(row, RowBuilder().add("▏ ", muted).take());
  append(row, keys);
  return row;
}

// The prompts that hold what is typed, the newest lowest; the one that the composer shows is marked and
// always among them.
void history_rows(const Shell& shell, Rows& rows, int width, std::size_t most) {
  std::vector<std::size_t> found;
  std::size_t at = shell.history.entries().size(), older = 0;
  while (found.size() < most || older < most / 2) {
    const auto hit = shell.history.find(*shell.reverse, at);
    if (!hit) break;
    found.push_back(at = *hit);
    older += at < shell.reverse_at;
  }
  if (found.size() > most) found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(most));
  for (auto one = found.rbegin(); one != found.rend(); ++one) {
    const bool here = *one == shell.reverse_at;
    const std::string text = shorten(safe_text(shell.history.entries()[*one], Lines::one), width - 4);
    rows.push_back(RowBuilder()
                       .add(here ? " ❯ " : "   ", Style{.fg = Colour::accent})
                       .add(text, here ? Style{} : muted)
                       .take());
  }
}

void notices(Shell& shell, Bottom& bottom, TerminalSize size) {
  const int width = size.columns;
  if (shell.show_todos) append(bottom.rows, todo_rows(shell.view.todos, width, std::max(3, size.lines / 4)));
  const Row working = working_line(shell.view, width, shell.now_ms, shell.overlay.has_value());
  if (!working.text.empty()) bottom.rows.push_back(working);
  queue_rows(shell.view, bottom.rows, width);
  if (shell.reverse) {
    if (size.lines >= lines_with_top)
      history_rows(shell, bottom.rows, width, static_cast<std::size_t>(size.lines / 5));
    bottom.rows.push_back(history_row(shell, width));
  } else if (!shell.hint.text.empty())
    wrap_into(bottom.rows,
              RowBuilder().add(safe_text(shell.hint.text, Lines::one), Style{.fg = Colour::accent}).take(),
              width, " ", " ");
}

// How much came below what is being read.
Row below_mark(const Shell& shell) {
  if (shell.overlay || shell.transcript.following() || shell.view.cells.empty()) return {};
  const std::size_t n = shell.transcript.new_rows();
  if (n == 0) return RowBuilder().add("↓ end", Style{.fg = Colour::accent}).take();
  const std::string text = plural(static_cast<std::int64_t>(n), "new line") + " ↓";
  return RowBuilder().add(text, Style{.fg = Colour::accent, .bold = true}).take();
}

void reading_rows(Shell& shell, Bottom& bottom, int width) {
  Row keys = key_hints({{"/", "search"},
                        {"n N", "next"},
                        {"v", "select"},
                        {"e", "edit context"},
                        {"g G", "start, end"},
                        {"q", "back"}},
                       width - 2);
  if (width < 70)
    keys = key_hints({{"q", "back"}, {"/", "search"}, {"n N", "next"}, {"v", "select"}}, width - 2);
  if (shell.transcript.marking())
    keys = key_hints({{"↑↓ space b", "select"}, {"y", "copy"}, {"esc", "stop"}}, width - 2);
  if (shell.picked)
    keys = key_hints({{"d", "drop"},
                      {"f", "fold"},
                      {"p", "pin"},
                      {"r", "bring back"},
                      {"s", "summarize from here"},
                      {"u", "undo"},
                      {"space", "mark"},
                      {"esc", "done"}},
                     width - 2);
  const auto said = [&](std::string text) {
    return RowBuilder().add(shorten(text, width - 2), Style{.fg = Colour::accent}).take();
  };
  if (!shell.hint.text.empty()) keys = said(safe_text(shell.hint.text, Lines::one));
  if (shell.find) keys = said("/" + safe_text(*shell.find, Lines::one) + "▏");
  const std::string picked = about_picked(shell);
  const std::string title = picked.empty() ? "transcript, unfolded " : shorten(picked, width - 8) + " ";
  Row line = RowBuilder().add("── ", muted).add(title, Style{.fg = Colour::accent}).take();
  const Row mark = below_mark(shell);
  const int room = width - tern::width(line.text) - (mark.text.empty() ? 0 : tern::width(mark.text) + 4);
  append(line, rule(std::max(0, room)));
  if (!mark.text.empty()) {
    append(line, RowBuilder().add(" ").take());
    append(line, mark);
    append(line, RowBuilder().add(" ──", muted).take());
  }
  bottom.rows.push_back(std::move(line));
  bottom.rows.push_back(indented(keys, " "));
}

void approval_rows(Shell& shell, Bottom& bottom, TerminalSize size) {
  const int width = size.columns;
  const bool listening = shell.approval.listens(shell.now_ms, shell.last_key_ms);
  const bool frame = size.lines >= lines_with_frame;
  const int others =
      2 + (frame ? 2 : 0) + static_cast<int>(bottom.rows.size());  // a row of the transcript, the status line
  const int most = size.lines - others;
  const bool typing = !listening && !shell.composer.empty();
  const int room = (shell.approval.full() ? most + 1
                    : size.lines <= 30    ? most
                                          : std::max(18, size.lines * 3 / 5)) -
                   (typing ? 3 : 0);
  const int title = !frame && room >= 6 ? 1 : 0, keys = !frame && room >= 7 ? 1 : 0;
  Approval::Look dialog =
      shell.approval.look(frame ? std::max(4, width - 4) : width - 1, room - title - keys, listening);
  if (frame) {
    const Frame around{.style = {.fg = dialog.colour},
                       .title = std::move(dialog.title),
                       .corner = std::move(dialog.size),
                       .footer = std::move(dialog.keys),
                       .rest = mode_mark(shell.view.meters, false)};
    append(bottom.rows, framed(dialog.rows, width, around));
  } else {
    if (title > 0) bottom.rows.push_back(std::move(dialog.title));
    append(bottom.rows, std::move(dialog.rows));
    if (keys > 0) bottom.rows.push_back(std::move(dialog.keys));
  }
  bottom.caret = {};
  if (typing) composer_rows(shell, bottom, width, 1);
}

void own_status_rows(const Shell& shell, Rows& rows) {
  for (const Row& row : ansi_rows(shell.view.status_text, muted)) rows.push_back(indented(row, " "));
}

}  // namespace

std::int64_t stale_at_ms(const Shell& shell, std::int64_t drawn_ms) {
  const ViewState& view = shell.view;
  std::int64_t at = -1;
  if (!view.working && view.cold_at_ms > drawn_ms) at = view.cold_at_ms;
  if (!shell.approval.is_open() || shell.approval.listens(drawn_ms, shell.last_key_ms)) return at;
  const std::int64_t listens_at = shell.approval.listens_at(shell.last_key_ms);
  return at < 0 ? listens_at : std::min(at, listens_at);
}

Bottom bottom_part(Shell& shell, TerminalSize size) {
  Bottom bottom;
  const int width = size.columns;
  const ViewState& view = shell.view;
  const bool cold = !view.working && view.cold_at_ms >= 0 && shell.now_ms >= view.cold_at_ms;
  Meters meters = view.meters;
  meters.cold_in_ms = cold ? 0 : -1;
  const bool no_top = size.lines < lines_with_top || shell.deps.screen == ScreenKind::inline_region;
  bottom.frame.style.fg = mode_colour(meters.mode);
  if (no_top) bottom.frame.title = model_mark(meters, width - 8);
  bottom.frame.footer = mode_mark(meters, width >= 60);
  bottom.frame.rest = status_rest(meters, width, width - tern::width(bottom.frame.footer.text) - 8);
  bottom.frame.corner = below_mark(shell);
  const bool gap = size.lines >= lines_with_gap && shell.deps.screen == ScreenKind::full;
  if (gap && !shell.overlay && !shell.transcript_view) bottom.rows.emplace_back();
  if (shell.approval.is_open()) {
    approval_rows(shell, bottom, size);
  } else if (shell.overlay) {
    bottom.caret = {};  // every key goes to the panel: no prompt below it
    const Row working = working_line(shell.view, width, shell.now_ms, true);
    if (!working.text.empty() && size.lines >= lines_with_top) bottom.rows.push_back(working);
  } else if (shell.transcript_view) {
    reading_rows(shell, bottom, width);
  } else {
    notices(shell, bottom, size);
    if (shell.completion.is_open())
      append(bottom.rows, shell.completion.rows(width, std::clamp(size.lines / 3, 4, 10)));
    composer_rows(shell, bottom, width, std::max(1, size.lines / 3));
  }
  bottom.rows.push_back(status_line(meters, width));
  if (!shell.view.status_text.empty() && size.lines >= lines_with_top) own_status_rows(shell, bottom.rows);
  return bottom;
}

namespace {

std::string earlier_line(const ViewState& view, int width) {
  constexpr int most = 20;
  const std::string count = view.earlier_talks > most ? std::to_string(most) + "+ earlier conversations"
                                                      : plural(view.earlier_talks, "earlier conversation");
  const std::string when = " · " + view.last_talk_when + " · /resume";
  const int room = width - 2 - tern::width(count) - tern::width(when) - 9;
  if (room < 8) return count + " · /resume";
  return count + " · last: " + shorten(safe_text(view.last_talk, Lines::one), std::min(room, 48)) + when;
}

}  // namespace

// Where they do not fit below each other, the first get one row each, with a sign where something is missing.
Rows welcome_rows(const Shell& shell, int width, int height) {
  std::vector<std::string> lines;
  const ViewState& view = shell.view;
  for (const std::string& line : shell.deps.welcome) {
    lines.push_back(safe_text(line, Lines::one));
    if (lines.size() == 1 && !view.meters.model.empty())
      lines.push_back(safe_text(model_line(view.meters), Lines::one));
    if (line.empty() && view.earlier_talks > 0) {  // below what this is and where
      lines.back() = earlier_line(view, width);
      lines.emplace_back();
    }
  }
  for (std::size_t cut = 0; cut <= lines.size(); ++cut) {
    Rows rows;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Style style = i == 0 ? Style{.fg = Colour::accent, .bold = true} : i == 1 ? Style{} : muted;
      const std::string text = i < cut ? shorten_middle(lines[i], width - 2) : lines[i];
      wrap_into(rows, RowBuilder().add(text, style).take(), width, "  ", "  ");
    }
    const auto needed = static_cast<int>(rows.size());
    if (needed > height && cut < lines.size()) continue;
    if (needed < height) rows.emplace(rows.begin());
    if (needed > height) {
      rows.resize(static_cast<std::size_t>(std::max(1, height)));
      rows.back() = RowBuilder().add("  …", muted).take();
    }
    return rows;
  }
  return {};
}

namespace {

// The transcript, and a panel over its lower end, which is where the eyes are.
Rows body_rows(Shell& shell, int width, int height) {
  Rows panel;
  if (shell.overlay) {
    if (!std::exchange(shell.overlay->drawn, true)) shell.hint = {};  // it was about what is now covered
    shell.overlay->said = shell.hint.text;
    panel = overlay_rows(*shell.overlay, width, height);
    if (static_cast<int>(panel.size()) < height) panel.emplace(panel.begin());
  }
  const int room = height - static_cast<int>(panel.size());
  shell.overlay_top = shell.transcript_top + room + (!panel.empty() && panel.front().text.empty() ? 1 : 0);
  if (room < 1) return panel;
  RowOptions options{.width = width - 1};
  options.unfold_all = shell.transcript_view;
  shell.transcript.sync(shell.view, options, room);
  Rows body = shell.transcript.visible();
  if (body.empty()) body = welcome_rows(shell, width, room);
  if (!panel.empty()) body.resize(static_cast<std::size_t>(room));
  append(body, std::move(panel));
  return body;
}

}  // namespace

Caret draw(Shell& shell, TerminalSize size, Canvas& canvas) {
  const int width = std::max(10, size.columns), height = std::max(4, size.lines);
  canvas.begin(size.columns, size.lines);
  Rows top;
  if (height >= lines_with_top) {
    top.push_back(top_line(shell.view, width, shell.deps.home));
    top.emplace_back();
  }
  if (!shell.transcript.following()) shell.transcript.catch_up();  // for how much came below
  Bottom bottom = bottom_part(shell, {width, height});
  const int lowest = std::min(static_cast<int>(bottom.rows.size()), height - 1);
  if (static_cast<int>(top.size()) + lowest > height - 1) top.clear();
  const int middle = std::max(1, height - static_cast<int>(top.size()) - lowest);
  shell.transcript_top = static_cast<int>(top.size());
  shell.transcript_height = middle;

  Rows body = body_rows(shell, width, middle);
  if (body.size() > static_cast<std::size_t>(middle)) body.resize(static_cast<std::size_t>(middle));

  using namespace ftxui;
  auto page = vbox({
      rows_element(std::move(top), shell.theme, canvas),
      rows_element(std::move(body), shell.theme, canvas) | ftxui::size(ftxui::HEIGHT, ftxui::EQUAL, middle),
      rows_element(std::move(bottom.rows), shell.theme, canvas),
  });
  Render(canvas.screen(), page);
  const int below = shell.transcript_top + middle;
  shell.composer_box = {bottom.composer_left, bottom.composer_row < 0 ? -1 : below + bottom.composer_row,
                        bottom.composer_rows, bottom.hidden_sign};
  if (bottom.caret.x < 0 || shell.overlay) return {};
  return {std::min(bottom.caret.x, size.columns - 1),
          std::min(shell.transcript_top + middle + bottom.caret.y, size.lines - 1)};
}

}  // namespace tern
