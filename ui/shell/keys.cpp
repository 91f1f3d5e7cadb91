#include "ui/shell/keys.h"

#include <algorithm>
#include <span>
#include <utility>

#include "ui/shell/reverse_search.h"
#include "ui/shell/shell.h"
#include "ui/terminal/picture.h"
#include "ui/text/format.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr std::int64_t twice_ms = 1'000;

// ------------------------------------------------------------ actions
void cycle_mode(Shell& shell) {
  using M = PermissionMode;
  static constexpr M next[] = {M::accept_edits, M::plan, M::automatic, M::ask, M::ask};
  shell.send(SetMode{next[static_cast<std::size_t>(shell.view.meters.mode)]});
}

struct Action {
  std::string_view name, key, help;
  void (*run)(Shell&);
  bool (*when)(const Shell&) = [](const Shell&) { return true; };
};

void enter(Shell& shell);
void tab(Shell& shell);
bool writing(const Shell& shell) { return !shell.transcript_view; }
bool no_question(const Shell& shell) { return !shell.approval.is_open(); }
bool command_runs(const Shell& shell) { return shell.view.working && shell.composer.empty(); }

constexpr Action actions[] = {
    {"send", "enter", "send; while working, steer the turn", enter, writing},
    {"complete", "tab", "complete; while working, queue for later", tab, writing},
    {"background", "ctrl-b", "move the running command to the background",
     [](Shell& s) {
       s.send(Query{"background", ""});
     },
     command_runs},
    {"transcript", "ctrl-o", "whole transcript, unfolded; / searches, v selects rows to copy",
     toggle_transcript_view, no_question},
    {"unfold", "alt-o", "the newest result whole, or folded again; a click does it for any", unfold_newest,
     writing},
    {"todos", "ctrl-t", "task list on or off", [](Shell& s) { s.toggle_todos(); }},
    {"mode", "shift-tab", "permission mode: ask → accept edits → plan → auto", cycle_mode},
    {"history", "ctrl-r", "search earlier prompts; again for older, ctrl-s for newer", start_reverse,
     no_question},
    {"picture", "ctrl-v", "paste the picture on the clipboard", [](Shell& s) { s.clipboard.ask(s.wake); },
     writing},
    {"editor", "ctrl-g", "write the prompt in $EDITOR; so does ctrl-x ctrl-e",
     [](Shell& s) { s.edit_externally = true; }},
    {"repaint", "ctrl-l", "draw the screen again", [](Shell& s) { s.repaint = true; }},
    {"suspend", "ctrl-z", "suspend (fg to return)", [](Shell& s) { s.suspend = true; }},
    {"page-up", "pageup", "scroll back",
     [](Shell& s) { s.transcript.scroll(-std::max(1, s.transcript_height - 2)); }},
    {"page-down", "pagedown", "scroll forward",
     [](Shell& s) { s.transcript.scroll(std::max(1, s.transcript_height - 2)); }},
    {"line-up", "shift-up", "one line back", [](Shell& s) { s.transcript.scroll(-1); }},
    {"line-down", "shift-down", "one line forward", [](Shell& s) { s.transcript.scroll(1); }},
    {"begin", "ctrl-home", "start of the conversation", [](Shell& s) { s.to_begin(); }},
    {"end", "ctrl-end", "end of the conversation", [](Shell& s) { s.transcript.to_end(); }},
};

constexpr std::pair<std::string_view, std::string_view> fixed_keys[] = {
    {"alt-enter ctrl-j shift-enter \\enter", "new line"},
    {"esc", "interrupt and take back queued prompts; close what is open"},
    {"esc esc", "clear the prompt (kept in history); if empty, rewind"},
    {"ctrl-c", "clear the prompt, or interrupt; twice to quit"},
    {"ctrl-d", "quit when the prompt is empty"},
    {"home end", "start and end of the line; if empty, of the conversation"},
    {"↑ ↓", "lines of the prompt, then history; ↑ first takes back queued prompts"},
    {"! command", "run it and show the model the output (!! keeps it to you)"},
    {"# note", "add a line to AGENTS.md"},
    {"@ file", "mention a file, found as you type"},
    {"ctrl-a e b f k u w y h d, alt-b f d y, ctrl-_", "edit as in a shell; ctrl-_ undoes"},
    {"wheel, drag, click", "scroll; select and copy; unfold a result, or place the cursor"},
    {"drop a picture", "attach it to the prompt"},
};

// Of the linear log, which reads lines and no keys.
constexpr std::pair<std::string_view, std::string_view> line_keys[] = {
    {"/ command", "the list is /help"},
    {"! command", "run it and show the model the output (!! keeps it to you)"},
    {"# note", "add a line to AGENTS.md"},
    {"1 2 3", "answer a question; any other text rejects it and says why"},
    {"ctrl-c", "interrupt; when nothing runs: leave"},
    {"ctrl-d", "leave"},
};

// Empty: the person has given its own key to another action.
std::string_view key_of(const Shell& shell, const Action& action) {
  for (const auto& [name, bound] : shell.deps.keys)
    if (name == action.name) return bound;
  for (const auto& [name, bound] : shell.deps.keys)
    if (bound == action.key) return {};
  return action.key;
}

}  // namespace

bool run_action(Shell& shell, const KeyPress& press) {
  const std::string pressed = key_name(press);
  for (const Action& action : actions) {
    if (key_of(shell, action) != pressed || !action.when(shell)) continue;
    action.run(shell);
    return true;
  }
  return false;
}

namespace {

// ------------------------------------------------------------ single keys
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
  if (shell.composer.empty()) return shell.send(Query{"rewind", ""});
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

void enter(Shell& shell) {
  if (const Candidate* candidate = shell.completion.current()) {
    const Candidate chosen = *candidate;
    shell.composer.replace(shell.completion.begin(), shell.composer.caret(), chosen.text);
    if (!chosen.run) return;
  }
  const std::string_view raw = shell.composer.raw();
  if (raw.ends_with("\\") && shell.composer.caret() == raw.size()) {
    shell.composer.replace(raw.size() - 1, raw.size(), "\n");
    return;
  }
  shell.submit(When::steer);
}

void tab(Shell& shell) {
  if (const Candidate* candidate = shell.completion.current()) {
    const std::string text = candidate->text;
    shell.composer.replace(shell.completion.begin(), shell.composer.caret(), text);
    return;
  }
  if (shell.view.working && !shell.composer.empty()) shell.submit(When::after);
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
  if (std::exchange(shell.chord, false) && is_control(press, "e")) {
    shell.edit_externally = true;
    return;
  }
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

// ------------------------------------------------------------ modes
// What concerns the terminal and not what is shown there holds over every page and in every search.
bool of_terminal(Shell& shell, const KeyPress& press) {
  const std::string pressed = key_name(press);
  for (const Action& action : actions)
    if ((action.name == "suspend" || action.name == "repaint") && key_of(shell, action) == pressed)
      return action.run(shell), true;
  return false;
}

void key_press(Shell& shell, const KeyPress& press) {
  if (of_terminal(shell, press)) return;
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

Rows key_rows(const Shell& shell, int width) {
  Rows rows;
  const auto row = [&](std::string_view key, std::string_view help) {
    const int column = std::min(32, width / 3);
    RowBuilder line;
    line.add(key, Style{.fg = Colour::accent});
    if (line.columns() + 2 > column) wrap_into(rows, line.take(), width);
    line.fill_to(column).add(help);
    wrap_into(rows, line.take(), width, "", std::string(static_cast<std::size_t>(column), ' '));
  };
  if (shell.deps.screen == ScreenKind::plain) {
    for (const auto& [key, help] : line_keys) row(key, help);
    return rows;
  }
  const auto action_row = [&](const Action& action) {
    row(key_of(shell, action), std::string(action.help) + " (" + std::string(action.name) + ")");
  };
  action_row(actions[0]);  // how a prompt is sent is what one looks for first
  for (const auto& [key, help] : fixed_keys) row(key, help);
  for (const Action& action : std::span(actions).subspan(1)) action_row(action);
  return rows;
}

// Keys nobody can take from whoever writes or wants to get out; what an action has by default may be swapped.
bool stays(const KeyPress& press) {
  const auto own = [name = key_name(press)](const Action& action) { return action.key == name; };
  if (press.key == Key::enter || std::any_of(std::begin(actions), std::end(actions), own)) return false;
  const bool interrupt = press.key == Key::character && press.ctrl && press.text == "c";
  return interrupt || press.key == Key::escape || press.key == Key::up || press.key == Key::down ||
         Composer().key(press);
}

std::vector<std::string> rebind_clashes(const std::vector<std::pair<std::string, std::string>>& keys) {
  std::vector<std::string> clashes;
  std::vector<std::pair<std::string, std::string>>
      given;  // key → action, in the order in which a key looks for its action
  for (const Action& action : actions) {
    const auto bound =
        std::find_if(keys.begin(), keys.end(), [&](const auto& pair) { return pair.first == action.name; });
    if (bound == keys.end()) continue;
    const auto first = std::find_if(given.begin(), given.end(),
                                    [&](const auto& pair) { return pair.first == bound->second; });
    if (first == given.end())
      given.emplace_back(bound->second, action.name);
    else
      clashes.push_back("\"" + bound->second + "\" is given to both \"" + first->second + "\" and \"" +
                        std::string(action.name) + "\"; \"" + first->second + "\" has it");
  }
  return clashes;
}

std::string rebind_problem(std::string_view action, std::string_view key) {
  std::string names;
  for (const Action& known : actions) {
    if (known.name == action) {
      KeyPress press;
      if (!parse_key_name(key, press) || key_name(press) != key)
        return "\"" + std::string(key) + "\" is not a key: write it as ctrl-o or f5";
      return stays(press) ? "\"" + std::string(key) +
                                "\" is reserved for typing, editing or leaving; choose another key such as "
                                "ctrl-x or f5"
                          : "";
    }
    names.append(" ").append(known.name);
  }
  return "there is no action \"" + std::string(action) + "\"; the actions are" + names;
}

}  // namespace tern
