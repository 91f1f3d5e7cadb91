// The actions that keys are bound to: one table, from which they are run, listed and rebound.
#include <algorithm>
#include <span>

#include "ui/shell/keys.h"
#include "ui/shell/reverse_search.h"
#include "ui/shell/shell.h"

namespace tern {
namespace {

void cycle_mode(Shell& shell) {
  using M = PermissionMode;
  static constexpr M next[] = {M::accept_edits, M::plan, M::automatic, M::ask, M::ask};
  shell.send(SetMode{next[static_cast<std::size_t>(shell.view.meters.mode)]});
}

// There and back to the mode of before.
void toggle_plan(Shell& shell) {
  const PermissionMode mode = shell.view.meters.mode;
  if (mode != PermissionMode::plan) shell.mode_before_plan = mode;
  shell.send(SetMode{mode == PermissionMode::plan ? shell.mode_before_plan : PermissionMode::plan});
}

// Back to before the newest prompt, with the files as they were then; /redo returns.
void take_back_prompt(Shell& shell) {
  if (shell.view.working) return shell.say("esc stops the turn first");
  const auto& cells = shell.view.cells;
  for (auto cell = cells.rbegin(); cell != cells.rend(); ++cell)
    if (std::holds_alternative<UserCell>(cell->body) && cell->item != ItemId{})
      return shell.send(Rewind{cell->item, true, true});
  shell.say("no prompt to take back");
}

struct Action {
  std::string_view name, key, help;
  void (*run)(Shell&);
  bool (*when)(const Shell&) = [](const Shell&) { return true; };
};

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

bool writing(const Shell& shell) { return !shell.transcript_view; }
bool no_question(const Shell& shell) { return !shell.approval.is_open(); }
bool command_runs(const Shell& shell) { return shell.view.working && shell.composer.empty(); }

constexpr Action actions[] = {
    {"send", "enter", "send; while working, steer the turn", enter, writing},
    {"complete", "tab", "complete; while working, queue for later", tab, writing},
    {"background", "ctrl-b", "move the running command to the background",
     [](Shell& s) { s.send(MoveToBackground{}); }, command_runs},
    {"transcript", "ctrl-o",
     "whole transcript, unfolded; / searches, v selects rows to copy, e picks what to drop, fold, pin or "
     "summarize",
     toggle_transcript_view, no_question},
    {"unfold", "alt-o", "unfold or fold the newest result; a click does it for any", unfold_newest, writing},
    {"todos", "ctrl-t", "task list on or off", [](Shell& s) { s.toggle_todos(); }},
    {"mode", "shift-tab", "permission mode: ask → accept edits → plan → auto", cycle_mode},
    {"plan", "alt-p", "plan mode on or off", toggle_plan},
    {"take-back", "alt-z", "take the last prompt and its file changes back; so does ctrl-x u",
     take_back_prompt, writing},
    {"history", "ctrl-r", "search earlier prompts; again for older, ctrl-s for newer", start_reverse,
     no_question},
    {"picture", "ctrl-v", "paste the picture on the clipboard", [](Shell& s) { s.clipboard.ask(s.wake); },
     writing},
    {"editor", "ctrl-g", "write the prompt in $EDITOR; so does ctrl-x ctrl-e",
     [](Shell& s) { s.edit_externally = true; }},
    {"repaint", "ctrl-l", "redraw the screen", [](Shell& s) { s.repaint = true; }},
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
    {"ctrl-c", "interrupt; when nothing runs, quit"},
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

bool run_chord(Shell& shell, const KeyPress& press) {
  if (press.key != Key::character || press.alt) return false;
  if (press.ctrl && press.text == "e") return shell.edit_externally = true;
  if (press.text == "u") return take_back_prompt(shell), true;
  return false;
}

// What concerns the terminal and not what is shown there holds over every page and in every search.
bool run_terminal_action(Shell& shell, const KeyPress& press) {
  const std::string pressed = key_name(press);
  for (const Action& action : actions)
    if ((action.name == "suspend" || action.name == "repaint") && key_of(shell, action) == pressed)
      return action.run(shell), true;
  return false;
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
