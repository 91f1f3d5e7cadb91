#include "ui/shell/keys.h"

#include <utility>

#include "ui/shell/reverse_search.h"
#include "ui/shell/shell.h"
#include "ui/terminal/picture.h"
#include "ui/text/format.h"

namespace tern {
namespace {

constexpr std::int64_t twice_ms = 1'000;

// A prompt that nothing has come of yet is there again, to be changed; unless something else is being written
// or waits.
void give_back_unanswered(Shell& shell) {
  const ViewState& view = shell.view;
  if (!shell.composer.empty() || !view.queue.empty() || !view.side_work.empty() || view.cells.empty()) return;
  if (const auto* prompt = std::get_if<UserCell>(&view.cells.back().body))
    shell.composer.set(prompt->text, true);
}

void escape(Shell& shell) {
  const bool open = shell.completion.is_open();
  if (open) shell.completion.close(shell);
  if (shell.view.working) {
    give_back_unanswered(shell);
    shell.interrupt();
  }
  const bool twice = shell.now_ms - shell.last_escape_ms < twice_ms;
  // One that has closed or stopped something is not the first of two.
  shell.last_escape_ms = open || shell.view.working ? -10'000 : shell.now_ms;
  if (open || shell.view.working) return;
  if (!twice) {
    if (!shell.composer.empty()) shell.say("esc again to clear the prompt", twice_ms);
    return;
  }
  shell.last_escape_ms = -10'000;
  if (shell.composer.empty()) return shell.send(AskRewindPoints{});
  shell.history.add(shell.composer.take());
}

void control_c(Shell& shell) {
  if (!shell.composer.empty()) {
    shell.last_ctrl_c_ms = -10'000;  // the next one interrupts: it is not the second of two
    shell.history.add(shell.composer.take());
    return;
  }
  const bool twice = shell.now_ms - shell.last_ctrl_c_ms < twice_ms;
  shell.last_ctrl_c_ms = shell.now_ms;
  if (twice) {
    shell.quitting = true;
    return;
  }
  if (shell.view.working) shell.interrupt();
  const int jobs = shell.view.meters.background_jobs;
  shell.say(jobs == 0 ? "ctrl-c again to quit"
                      : "ctrl-c again to stop " + plural(jobs, "background command") + " and quit",
            twice_ms);
}

void walked(Shell& shell, const std::optional<std::string>& text) {
  if (!text) return;
  shell.composer.set(*text);
  shell.completion.close(shell);  // its keys are those of the walk
}

void up(Shell& shell) {
  if (!shell.view.queue.empty() && shell.composer.empty()) return shell.send(TakeBack{});
  walked(shell, shell.history.older(shell.composer.text()));
}

void down(Shell& shell) { walked(shell, shell.history.newer()); }

bool is_plain(const KeyPress& press) { return !press.ctrl && !press.alt && !press.shift; }

bool is_control(const KeyPress& press, std::string_view letter) {
  return press.key == Key::character && press.ctrl && press.text == letter;
}

void escape_in_composer(Shell& shell, const KeyPress& press) {
  // Out of vi's insert mode; a running turn is stopped by the same key, as without vi.
  const bool left_insert = shell.composer.vi() && !shell.completion.is_open() && shell.composer.key(press);
  if (!left_insert || shell.view.working) escape(shell);
}

// What Home, End and ? mean only where nothing is typed. False: nothing.
bool empty_composer_key(Shell& shell, const KeyPress& press) {
  if (press.key == Key::home) return shell.to_begin(), true;
  if (press.key == Key::end) return shell.transcript.to_end(), true;
  if (press.key != Key::character || press.text != "?") return false;
  Overlay overlay;
  overlay.title = "keys";
  overlay.content = [&shell](int width) { return key_rows(shell, width); };
  shell.overlay = std::move(overlay);
  return true;
}

// Into the text, else through the prompts of before.
void edit_or_walk(Shell& shell, const KeyPress& press) {
  const auto vi = [&](std::string_view letter) {
    return shell.composer.normal_mode() && press.key == Key::character && is_plain(press) &&
           press.text == letter;
  };
  const bool older = press.key == Key::up || is_control(press, "p") || vi("k");
  const bool newer = press.key == Key::down || is_control(press, "n") || vi("j");
  if (shell.composer.key(press)) {
    if (!older && !newer) shell.history.stop();
    return;
  }
  if (older) up(shell);
  if (newer) down(shell);
}

void composer_key(Shell& shell, const KeyPress& press) {
  if (std::exchange(shell.chord, false) && run_chord(shell, press)) return;
  const bool empty = shell.composer.empty();
  if (is_control(press, "c")) return control_c(shell);
  if (is_control(press, "d") && empty) return shell.leave();
  if (press.key == Key::escape) return escape_in_composer(shell, press);
  const bool walks = press.key == Key::up || press.key == Key::down;
  if (walks && shell.completion.is_open()) return shell.completion.move(press.key == Key::up ? -1 : 1);
  if (run_action(shell, press)) return;
  if (empty && is_plain(press) && empty_composer_key(shell, press)) return;
  if (is_control(press, "x")) {
    shell.chord = true;
    return;
  }
  edit_or_walk(shell, press);
}

void key_press(Shell& shell, const KeyPress& press) {
  if (run_terminal_action(shell, press)) return;
  shell.seek = Shell::Seek::none;
  // A dialog that listens keeps listening: its own keys are not typing. Esc is never an approval and needs no
  // care.
  const bool escape = shell.approval.is_open() && press.key == Key::escape;
  if (escape || shell.approval.listens(shell.now_ms, shell.last_key_ms)) {
    switch (shell.approval.key(press)) {
      case Approval::Taken::yes: return;
      case Approval::Taken::answered:
        shell.last_key_ms = shell.now_ms;  // a key held down or struck twice answers one dialog, not the next
        shell.send(shell.approval.answer());
        if (escape && shell.view.working) shell.send(TakeBack{});  // such a no ends the turn
        drop_question(shell.view, shell.now_ms);
        return;
      case Approval::Taken::edit: shell.edit_plan = true; return;
      case Approval::Taken::no: break;
    }
  }
  shell.last_key_ms = shell.now_ms;
  shell.transcript.clear_selection();
  if (shell.overlay) shell.overlay->selection.clear();
  if (shell.overlay && !shell.approval.is_open()) {
    if (overlay_key(shell, press)) close_overlay(shell);
    return;
  }
  if (shell.transcript_view && !shell.approval.is_open()) return transcript_key(shell, press);
  if (shell.reverse) return reverse_key(shell, press);
  // Enter, Tab and Esc typed into a dialog that does not listen yet would send or stop something: they do
  // nothing.
  if (shell.approval.is_open() && press.key != Key::character && press.key != Key::backspace) return;
  composer_key(shell, press);
  shell.completion.update(shell);
}

// Into the query that is being typed, else into the prompt: a paste is never lost.
void pasted(Shell& shell, const Paste& paste) {
  const std::string& text = paste.text;
  if (shell.approval.paste(text)) return;
  shell.last_key_ms = shell.now_ms;
  const std::string line = text.substr(0, text.find_first_of("\r\n"));
  const bool dialog = shell.approval.is_open();  // above all else: what is below it takes nothing unseen
  if (!dialog && shell.overlay && shell.overlay->paste && shell.overlay->paste(shell, line)) return;
  if (!dialog && shell.overlay && overlay_paste(*shell.overlay, line)) return;
  if (shell.find && !dialog) {
    *shell.find += line;
  } else if (shell.reverse) {
    reverse_paste(shell, line);
  } else if (const auto pictures = dropped_pictures(text, shell.deps.home); !pictures.empty()) {
    for (const std::string& path : pictures) shell.attach(path);
  } else {
    shell.composer.paste(text, paste.more);
    shell.completion.update(shell);
    if (shell.transcript_view) shell.say("pasted into the prompt");
    const std::string_view raw = shell.composer.raw();
    const bool command = raw.starts_with("!") || raw.starts_with("#") ||
                         (raw.starts_with("/") && raw.find('/', 1) == raw.npos);
    if (command && shell.composer.sign() == '\0')
      shell.say("pasted text is sent as text: type the " + std::string(raw.substr(0, 1)) + " yourself to " +
                    (raw.starts_with("#") ? "note it" : "run it"),
                5'000);
  }
}

}  // namespace

void handle_input(Shell& shell, const Input& input) {
  shell.transcript.catch_up();
  if (const auto* press = std::get_if<KeyPress>(&input)) key_press(shell, *press);
  if (const auto* event = std::get_if<Mouse>(&input)) mouse_event(shell, *event);
  if (const auto* paste = std::get_if<Paste>(&input)) pasted(shell, *paste);
  if (shell.transcript.near_begin()) shell.ask_earlier(false);
  shell.view.dirty = true;
}

}  // namespace tern
