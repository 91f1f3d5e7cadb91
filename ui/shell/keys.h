// What fingers mean: input events to changes of the shell. Actions are rows of one table, so they can be
// rebound and listed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/terminal/input_parser.h"
#include "ui/text/style.h"

namespace tern {

struct Shell;

void handle_input(Shell& shell, const Input& input);
Rows key_rows(const Shell& shell, int width);  // the sheet for `?`, /keys and /help
// "" when the action exists and the key can be pressed, else what is wrong with binding one to the other.
std::string rebind_problem(std::string_view action, std::string_view key);
// What is bound to a key twice, with the one that has it.
std::vector<std::string> rebind_clashes(const std::vector<std::pair<std::string, std::string>>& keys);

// Of the transcript view (Ctrl-O), in transcript_keys.cpp.
void toggle_transcript_view(Shell& shell);
void unfold_newest(Shell& shell);  // in its place, or folds it again
void transcript_key(Shell& shell, const KeyPress& press);
void mouse_event(Shell& shell, const Mouse& event);
void copy_text(Shell& shell, std::string text);

// What the person bound to a key; false when nothing is.
bool run_action(Shell& shell, const KeyPress& press);
// What follows Ctrl-X.
bool run_chord(Shell& shell, const KeyPress& press);
// The same for the actions that hold over every page and in every search: suspend and repaint.
bool run_terminal_action(Shell& shell, const KeyPress& press);

}  // namespace tern
