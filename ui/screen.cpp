#include "ui/screen.h"

#include <algorithm>
#include <ftxui/dom/elements.hpp>
#include <utility>

#include "ui/format.h"
#include "ui/rows.h"
#include "ui/status_bar.h"
#include "ui/text_safe.h"
#include "ui/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};
constexpr int lines_with_frame = 9;  // on a lower screen the choices of a dialog need the rows
constexpr int lines_with_top = 16;   // on a lower screen the composer's frame says the mode

void append(Rows& to, Rows from) { std::move(from.begin(), from.end(), std::back_inserter(to)); }

Row rule(int width) {
  std::string line;
  for (int i = 0; i < width; ++i) line += "─";
  return RowBuilder().add(line, muted).take();
}

// A rounded frame around rows, drawn by us so that its width is ours too.
Rows framed(Rows rows, int width, Style style, const Bottom& bottom) {
  const std::string_view title = bottom.title;
  Rows out;
  std::string edge;
  for (int i = tern::width(title); i < width - 2; ++i) edge += "─";
  out.push_back(RowBuilder().add("╭", style).add(title, style).add(edge, style).add("╮", style).take());
  for (Row& row : rows) {
    RowBuilder line;
    line.add("│ ", style);
    Row made = line.take();
    for (Span span : row.spans) {
      span.begin += static_cast<std::uint32_t>(made.text.size());
      made.spans.push_back(span);
    }
    made.text += row.text;
    const int space = width - 2 - tern::width(made.text);
    made.text.append(static_cast<std::size_t>(std::max(0, space)), ' ');
    const auto begin = static_cast<std::uint32_t>(made.text.size());
    made.text += " │";
    made.spans.push_back({begin, static_cast<std::uint32_t>(made.text.size()) - begin, style});
    out.push_back(std::move(made));
  }
  Row rest = bottom.rest;
  const int room = tern::width(rest.text) == 0 ? 0 : 1;
  std::string lower = "╰";
  for (int i = tern::width(rest.text) + room; i < width - 2; ++i) lower += "─";
  Row last = RowBuilder().add(lower, style).take();
  for (Span& span : rest.spans) {
    span.begin += static_cast<std::uint32_t>(last.text.size());
    last.spans.push_back(span);
  }
  last.text += rest.text;
  const auto begin = static_cast<std::uint32_t>(last.text.size());
  last.text += room > 0 ? "─╯" : "╯";
  last.spans.push_back({begin, static_cast<std::uint32_t>(last.text.size()) - begin, style});
  out.push_back(std::move(last));
  return out;
}

std::string_view prompt_glyph(const Shell& shell) {
  if (shell.composer.sign() == '!') return "! ";
  if (shell.composer.sign() == '#') return "# ";
  return shell.composer.normal_mode() ? "◆ " : "❯ ";
}

// The glyph says already that this is a shell line or a note.
void hide_sign(const Shell& shell, Composer::Layout& layout) {
  const char letter = shell.composer.sign();
  if (layout.rows.empty() || (letter != '!' && letter != '#')) return;
  Row& first = layout.rows.front();
  if (first.text.empty() || first.text[0] != letter) return;                            // scrolled away
  const std::uint32_t sign = first.text.starts_with(std::string{letter, ' '}) ? 2 : 1;  // the glyph brings a blank along
  first.text.erase(0, sign);
  for (Span& span : first.spans) {
    const std::uint32_t cut = span.begin < sign ? std::min(span.length, sign - span.begin) : 0;
    span.length -= cut;
    span.begin -= std::min(span.begin, sign);
  }
  if (layout.caret_y == 0) layout.caret_x -= std::min(layout.caret_x, static_cast<int>(sign));
}

void composer_rows(Shell& shell, Bottom& bottom, int width, int most) {
  const bool frame = width >= 24;
  const int inner = frame ? width - 6 : width - 3;  // a column is left for the caret behind a full row
  Composer::Layout layout = shell.composer.layout(inner, std::max(1, most));
  hide_sign(shell, layout);
  const bool shell_line = shell.composer.sign() == '!';
  const Style glyph{.fg = shell_line ? Colour::warn : Colour::accent, .bold = true};
  Rows rows;
  if (shell.composer.empty() && !shell.reverse) {
    const bool narrow = inner < 50;
    const std::string_view ghost = shell.view.working
                                       ? narrow ? "type to steer · tab queues" : "type to steer · tab queues for later"
                                   : narrow ? "/ commands · @ files · ? keys"
                                            : "ask, or / for commands, @ for files, ? for keys";
    rows.push_back(RowBuilder().add(prompt_glyph(shell), glyph).add(shorten(ghost, inner), muted).take());
  } else {
    for (std::size_t i = 0; i < layout.rows.size(); ++i) {
      Row row = RowBuilder().add(i == 0 ? prompt_glyph(shell) : "  ", glyph).take();
      for (Span span : layout.rows[i].spans) {
        span.begin += static_cast<std::uint32_t>(row.text.size());
        row.spans.push_back(span);
      }
      row.text += layout.rows[i].text;
      rows.push_back(std::move(row));
    }
  }
  const int left = frame ? 4 : 2;
  bottom.caret = {layout.caret_x + left, static_cast<int>(bottom.rows.size()) + layout.caret_y + (frame ? 1 : 0)};
  append(bottom.rows, frame ? framed(std::move(rows), width, muted, bottom) : std::move(rows));
}

// Three of them are shown; the first says how many there are.
std::string queue_hint(std::size_t queued) {
  return queued < 2 ? " · queued, ↑ takes it back" : " · " + std::to_string(queued) + " queued, ↑ gives back";
}

void notices(Shell& shell, Bottom& bottom, int width) {
  const ViewState& view = shell.view;
  if (shell.show_todos)
    for (const std::string& line : view.todos)
      bottom.rows.push_back(RowBuilder().add("  " + shorten(safe_text(line, Lines::one), width - 3)).take());
  const Row working = working_line(view, width, shell.now_ms, shell.overlay.has_value());
  if (!working.text.empty()) bottom.rows.push_back(working);
  for (std::size_t i = 0; i < std::min<std::size_t>(view.queue.size(), 3); ++i)
    bottom.rows.push_back(RowBuilder()
                              .add(" ⏵ ", Style{.fg = Colour::accent})
                              .add(shorten(safe_text(view.queue[i], Lines::one), width - 30), muted)
                              .add(i == 0 ? queue_hint(view.queue.size()) : "", muted)
                              .take());
  if (shell.reverse) {
    const bool wide = width >= 60;
    bottom.rows.push_back(RowBuilder()
                              .add(" history: ", muted)
                              .add(shorten(safe_text(*shell.reverse, Lines::one), width - (wide                   ? 50
                                                                                           : shell.reverse_missed ? 34
                                                                                                                  : 12)),
                                   Style{.fg = Colour::accent})
                              .add(shell.reverse_missed ? "▏ no prompt holds this"
                                   : wide               ? "▏ ctrl-r older · enter takes it · esc"
                                                        : "▏",
                                   muted)
                              .take());
  } else if (!shell.hint.text.empty()) {
    wrap_into(bottom.rows, RowBuilder().add(safe_text(shell.hint.text, Lines::one), Style{.fg = Colour::accent}).take(), width,
              " ", " ");
  }
}

}  // namespace

Bottom bottom_part(Shell& shell, TerminalSize size) {
  Bottom bottom;
  const bool no_top = size.lines < lines_with_top || shell.deps.screen == ScreenKind::inline_region;
  if (no_top) bottom.title = shorten(mode_and_model(shell.view.meters), size.columns - 4);
  bottom.rest = status_rest(shell.view.meters, size.columns);
  const int width = size.columns;
  if (shell.transcript_view && !shell.approval.is_open()) {
    std::string text = width < 70 ? "q back · / search · n N · v select · g G"
                                  : "transcript, all unfolded · / search · n N · v select · g G · q back";
    if (shell.transcript.marking()) text = "selecting · ↑↓ space b · y copies · esc";
    if (!shell.hint.text.empty()) text = safe_text(shell.hint.text, Lines::one);
    if (shell.find) text = "/" + safe_text(*shell.find, Lines::one) + "▏";
    bottom.rows.push_back(rule(width));
    bottom.rows.push_back(RowBuilder().add(" " + shorten(text, width - 2), Style{.fg = Colour::accent}).take());
  } else if (shell.approval.is_open()) {
    const bool listening = shell.approval.listens(shell.now_ms, shell.last_key_ms);
    const bool frame = size.lines >= lines_with_frame;
    const int others = 2 + (frame ? 2 : 0);  // a row of the transcript, the status line
    const int room = std::min(std::max(8, size.lines * 3 / 5), size.lines - others);
    Rows dialog = shell.approval.rows(frame ? std::max(4, width - 4) : width - 1, room, listening);
    append(bottom.rows, frame ? framed(std::move(dialog), width, Style{.fg = Colour::warn}, bottom) : std::move(dialog));
    if (!listening && !shell.composer.empty())
      composer_rows(shell, bottom, width, 3);
    else
      bottom.caret = {};
  } else {
    notices(shell, bottom, width);
    if (shell.overlay && size.lines < lines_with_top) {  // nothing is written there now, and the page needs the rows
      bottom.caret = {};
      bottom.rows.push_back(status_line(shell.view.meters, width));
      return bottom;
    }
    if (shell.completion.is_open()) append(bottom.rows, shell.completion.rows(width, std::clamp(size.lines / 3, 3, 8)));
    composer_rows(shell, bottom, width, std::max(1, size.lines / 3));
  }
  bottom.rows.push_back(status_line(shell.view.meters, width));
  return bottom;
}

namespace {

// At the right end of the last line, which stays readable in front of it.
Row more_below(const Shell& shell, Row last, int width) {
  const std::size_t n = shell.transcript.new_rows();
  const std::string text = n > 0 ? " " + plural(static_cast<std::int64_t>(n), "new line") + " ↓ " : " ↓ end ";
  const int room = std::max(0, width - tern::width(text) - 2);
  RowBuilder row;
  row.add(shorten(last.text, room)).fill_to(room).add(text, Style{.fg = Colour::accent, .inverse = n > 0});
  Row made = row.take();
  const auto kept = static_cast<std::size_t>(
      std::mismatch(last.text.begin(), last.text.end(), made.text.begin(), made.text.end()).first - last.text.begin());
  for (Span span : last.spans) {
    if (span.begin >= kept) continue;
    span.length = std::min<std::uint32_t>(span.length, static_cast<std::uint32_t>(kept) - span.begin);
    made.spans.push_back(span);
  }
  std::sort(made.spans.begin(), made.spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  return made;
}

}  // namespace

// Where they do not fit below each other, the first get one row each, with a sign where something is missing.
Rows welcome_rows(const Shell& shell, int width, int height) {
  std::vector<std::string> lines;
  for (const std::string& line : shell.deps.welcome) {
    lines.push_back(safe_text(line, Lines::one));
    if (lines.size() == 1 && !shell.view.meters.model.empty())
      lines.push_back(safe_text(model_line(shell.view.meters), Lines::one));
  }
  for (std::size_t cut = 0; cut <= lines.size(); ++cut) {
    Rows rows;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Style style = i == 0 ? Style{.fg = Colour::accent, .bold = true} : Style{};
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

Caret draw(Shell& shell, TerminalSize size, Canvas& canvas) {
  const int width = std::max(10, size.columns), height = std::max(4, size.lines);
  canvas.begin(size.columns, size.lines);
  Rows top;
  if (height >= lines_with_top) {
    top.push_back(top_line(shell.view, width, shell.deps.home));
    top.push_back(rule(width));
  }
  Bottom bottom = bottom_part(shell, {width, height});
  const int lowest = std::min(static_cast<int>(bottom.rows.size()), height - 1);
  if (static_cast<int>(top.size()) + lowest > height - 1) top.clear();
  const int middle = std::max(1, height - static_cast<int>(top.size()) - lowest);
  shell.transcript_top = static_cast<int>(top.size());
  shell.transcript_height = middle;

  Rows body;
  if (shell.overlay) {
    body = overlay_rows(*shell.overlay, width, middle);
  } else {
    RowOptions options{.width = width - 1};
    options.unfold_all = shell.transcript_view;
    shell.transcript.sync(shell.view, options, middle);
    body = shell.transcript.visible();
    if (body.empty()) body = welcome_rows(shell, width, middle);
    if (!shell.transcript.following() && !body.empty()) body.back() = more_below(shell, std::move(body.back()), width);
  }
  if (body.size() > static_cast<std::size_t>(middle)) body.resize(static_cast<std::size_t>(middle));

  using namespace ftxui;
  auto page = vbox({
      rows_element(std::move(top), shell.theme, canvas),
      rows_element(std::move(body), shell.theme, canvas) | ftxui::size(ftxui::HEIGHT, ftxui::EQUAL, middle),
      rows_element(std::move(bottom.rows), shell.theme, canvas),
  });
  Render(canvas.screen(), page);
  if (bottom.caret.x < 0 || shell.overlay) return {};
  return {std::min(bottom.caret.x, size.columns - 1), std::min(shell.transcript_top + middle + bottom.caret.y, size.lines - 1)};
}

}  // namespace tern
