// The transcript as something to read: scrolling, searching, selecting rows with keys.
#include <algorithm>
#include <utility>

#include "ui/shell/keys.h"
#include "ui/shell/shell.h"

namespace tern {

void toggle_transcript_view(Shell& shell) {
  shell.transcript_view = !shell.transcript_view;
  shell.find.reset();
  shell.transcript.end_search();
  shell.transcript.end_marking();
  end_picking(shell);
  if (!shell.transcript_view) shell.transcript.to_end();
}

void copy_text(Shell& shell, std::string text) {
  if (text.empty()) return;
  shell.copy(std::move(text));
}

namespace {

// True when the key moved the end of what is marked, took it or let it go.
bool marking_key(Shell& shell, const KeyPress& press) {
  Transcript& transcript = shell.transcript;
  const std::string letter = press.key == Key::character && !press.ctrl ? press.text : "";
  const int page = std::max(1, shell.transcript_height - 2);
  const auto moved = [&](int rows) {
    transcript.move_mark(rows);
    return true;
  };
  if (letter == "j" || press.key == Key::down) return moved(1);
  if (letter == "k" || press.key == Key::up) return moved(-1);
  if (letter == " " || press.key == Key::page_down) return moved(page);
  if (letter == "b" || press.key == Key::page_up) return moved(-page);
  if (letter == "y" || press.key == Key::enter) {
    transcript.move_mark(0);
    copy_text(shell, transcript.selected());
  }
  transcript.end_marking();
  return letter == "y" || letter == "v" || press.key == Key::enter || press.key == Key::escape;
}

void find_key(Shell& shell, const KeyPress& press) {
  if (press.key == Key::escape)
    shell.find.reset();
  else if (press.key == Key::enter) {
    shell.last_find = *std::exchange(shell.find, std::nullopt);
    shell.find_again(true);
  } else
    typed(*shell.find, press);
}

}  // namespace

namespace {

// True when the key moved the view.
bool scrolling_key(Shell& shell, const KeyPress& press, const std::string& letter) {
  const int page = std::max(1, shell.transcript_height - 2);
  if (letter == "j" || press.key == Key::down)
    shell.transcript.scroll(1);
  else if (letter == "k" || press.key == Key::up)
    shell.transcript.scroll(-1);
  else if (letter == " ")
    shell.transcript.scroll(page);
  else if (letter == "b")
    shell.transcript.scroll(-page);
  else if (letter == "g" || press.key == Key::home)
    shell.to_begin();
  else if (letter == "G" || press.key == Key::end)
    shell.transcript.to_end();
  else
    return false;
  return true;
}

}  // namespace

void transcript_key(Shell& shell, const KeyPress& press) {
  if (shell.find) return find_key(shell, press);
  if (shell.picked) return picking_key(shell, press);
  if (shell.transcript.marking() && marking_key(shell, press)) return;
  const std::string letter = press.key == Key::character && !press.ctrl ? press.text : "";
  if (scrolling_key(shell, press, letter)) return;
  if (letter == "/")
    shell.find = "";
  else if (letter == "v")
    shell.transcript.begin_marking();
  else if (letter == "e")
    begin_picking(shell);
  else if (letter == "n" || letter == "N")
    shell.find_again(letter == "n");
  else if (letter == "q" || press.key == Key::escape || (press.ctrl && press.text == "c"))
    toggle_transcript_view(shell);
  else
    run_action(shell, press);
}

namespace {

// A click into the prompt takes the caret there.
void place_caret(Shell& shell, const Mouse& event) {
  const ComposerBox& box = shell.composer_box;
  const int row = event.y - box.top;
  if (box.top < 0 || row < 0 || row >= box.rows || shell.approval.is_open() || shell.transcript_view) return;
  shell.composer.click(event.x - box.left + (row == 0 ? box.hidden : 0), row);
  shell.completion.update(shell);
}

// A click on what is folded shows it whole, in its place; another folds it again. A run of reads opens as
// one.
void toggle_fold(Shell& shell, std::optional<std::size_t> clicked) {
  std::vector<Cell>& cells = shell.view.cells;
  if (!clicked || *clicked >= cells.size()) return;
  const auto in_run = [&](std::size_t i) {
    const auto* tool = i < cells.size() ? std::get_if<ToolCell>(&cells[i].body) : nullptr;
    return tool && tool->in_run;
  };
  std::size_t first = *clicked;
  while (first > 0 && in_run(first)) --first;
  const CellBody& body = cells[first].body;
  if (std::holds_alternative<AssistantCell>(body) || std::holds_alternative<NoticeCell>(body)) return;
  shell.transcript.hold();
  const bool open = !cells[first].unfolded;
  cells[first].unfolded = open;
  for (std::size_t i = first + 1; in_run(i); ++i) cells[i].unfolded = open;
}

}  // namespace

void unfold_newest(Shell& shell) {
  const std::vector<Cell>& cells = shell.view.cells;
  for (std::size_t i = cells.size(); i-- > 0;) {
    const CellBody& body = cells[i].body;
    const bool folds = std::holds_alternative<ToolCell>(body) || std::holds_alternative<ThinkingCell>(body);
    if (folds) return toggle_fold(shell, i);
  }
}

void mouse_event(Shell& shell, const Mouse& event) {
  const int y = event.y - shell.transcript_top;
  const bool inside = y >= 0 && y < shell.transcript_height;
  if (shell.overlay) {
    const bool up = event.what == Mouse::What::wheel_up;
    if (up || event.what == Mouse::What::wheel_down) {
      KeyPress press;
      press.key = up ? Key::up : Key::down;
      for (int i = 0; i < 3; ++i)
        if (shell.overlay) overlay_key(shell, press);
    } else {
      copy_text(shell, overlay_mouse(*shell.overlay, event, event.y - shell.overlay_top));
    }
    return;
  }
  const bool wheel = event.what == Mouse::What::wheel_up || event.what == Mouse::What::wheel_down;
  if (wheel && shell.approval.is_open() && !inside)
    return shell.approval.scroll(event.what == Mouse::What::wheel_up ? -3 : 3);
  switch (event.what) {
    case Mouse::What::wheel_up: shell.transcript.scroll(-3); break;
    case Mouse::What::wheel_down: shell.transcript.scroll(3); break;
    case Mouse::What::press:
      if (inside) shell.transcript.press(event.x, y);
      place_caret(shell, event);
      break;
    case Mouse::What::drag: shell.transcript.drag(event.x, y); break;
    case Mouse::What::release: {
      std::string text = shell.transcript.release();
      if (text.empty() && inside && !shell.approval.is_open())
        toggle_fold(shell, shell.transcript.cell_at(y));
      copy_text(shell, std::move(text));
      break;
    }
  }
}

}  // namespace tern
