// What a terminal is told beside its cells: a title, progress on its tab, a notification on the desktop.
// Pure: bytes to write. Everything said passes said_text first, so that no byte of a name or an answer can
// end the sequence and begin another.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tern {

enum class NotifyBy { automatic, osc9, osc99, osc777, bell, never };
enum class Allowed { automatic, always, never };

struct TerminalWishes {  // of the configuration
  bool title = true;
  Allowed links = Allowed::automatic, progress = Allowed::automatic;
  NotifyBy notify = NotifyBy::automatic;
};
NotifyBy notify_by(
    std::string_view word);  // "auto osc9 osc99 osc777 bell never"; what is none of them is automatic
Allowed allowed_by(std::string_view word);  // "auto always never"

struct TerminalTraits {  // what this terminal does with such a sequence, as far as its variables tell
  bool title = false, links = false, progress = false, tmux = false;
  NotifyBy notify = NotifyBy::bell;  // never `automatic`
};
using TerminalVariables = std::function<std::string_view(const char* name)>;
TerminalTraits terminal_traits(const TerminalVariables& variables, const TerminalWishes& wishes);

std::string said_text(std::string_view raw, int columns);  // one line, no control bytes, at most that wide
std::string title_sequence(std::string_view title);
enum class TabProgress { none, working, waiting };
std::string progress_sequence(TabProgress progress);
std::string notify_sequence(std::string_view title, std::string_view body, const TerminalTraits& traits);
std::string through_tmux(std::string_view sequence);  // to the terminal around it, where tmux lets it pass

}  // namespace tern
