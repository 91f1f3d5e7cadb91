#include "ui/terminal/osc.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr int longest_title = 80, longest_body = 160;

// "3.6.6" as 30606.
int version_number(std::string_view text) {
  int parts[3] = {};
  for (int& part : parts) {
    part = std::clamp(std::atoi(std::string(text).c_str()), 0, 99);
    const std::size_t dot = text.find('.');
    text = dot == text.npos ? "" : text.substr(dot + 1);
  }
  return parts[0] * 10'000 + parts[1] * 100 + parts[2];
}

enum class TerminalName {
  other,
  none,
  kitty,
  ghostty,
  wezterm,
  iterm,
  apple,
  foot,
  vte,
  windows,
  urxvt,
  alacritty,
  konsole,
  vscode
};

struct Identity {
  TerminalName name = TerminalName::other;
  bool tmux = false, screen = false;
  int version = 0;
};

// Variables that a terminal sets survive inside tmux, where TERM and TERM_PROGRAM are tmux's own.
TerminalName named_by_variables(const TerminalVariables& variables) {
  static constexpr std::pair<const char*, TerminalName> signs[] = {
      {"KITTY_WINDOW_ID", TerminalName::kitty},
      {"GHOSTTY_RESOURCES_DIR", TerminalName::ghostty},
      {"WEZTERM_PANE", TerminalName::wezterm},
      {"ITERM_SESSION_ID", TerminalName::iterm},
      {"WT_SESSION", TerminalName::windows},
      {"KONSOLE_VERSION", TerminalName::konsole},
      {"ALACRITTY_WINDOW_ID", TerminalName::alacritty},
      {"VTE_VERSION", TerminalName::vte},
  };
  for (const auto& [variable, name] : signs)
    if (!variables(variable).empty()) return name;
  return TerminalName::other;
}

TerminalName named_by_program(std::string_view term, std::string_view program) {
  static constexpr std::pair<std::string_view, TerminalName> terms[] = {
      {"xterm-kitty", TerminalName::kitty},   {"xterm-ghostty", TerminalName::ghostty},
      {"foot", TerminalName::foot},           {"rxvt-unicode", TerminalName::urxvt},
      {"alacritty", TerminalName::alacritty},
  };
  static constexpr std::pair<std::string_view, TerminalName> programs[] = {
      {"ghostty", TerminalName::ghostty}, {"WezTerm", TerminalName::wezterm},
      {"iTerm.app", TerminalName::iterm}, {"Apple_Terminal", TerminalName::apple},
      {"vscode", TerminalName::vscode},
  };
  static constexpr std::string_view bare[] = {"",      "dumb",  "linux", "unknown", "ansi",
                                              "vt100", "vt102", "vt220", "cons25"};
  if (std::find(std::begin(bare), std::end(bare), term) != std::end(bare)) return TerminalName::none;
  for (const auto& [begin, name] : terms)
    if (term.starts_with(begin)) return name;
  for (const auto& [word, name] : programs)
    if (program == word) return name;
  return TerminalName::other;
}

Identity identity(const TerminalVariables& variables) {
  const std::string_view term = variables("TERM"), program = variables("TERM_PROGRAM");
  Identity found;
  found.tmux = !variables("TMUX").empty();
  found.screen = !found.tmux && term.starts_with("screen");
  found.name = named_by_program(term, program);
  if (found.name == TerminalName::other) found.name = named_by_variables(variables);
  const bool vte = found.name == TerminalName::vte && !found.tmux;
  if (vte) found.version = std::atoi(std::string(variables("VTE_VERSION")).c_str());
  if (!vte && (!found.tmux || program == "tmux"))
    found.version = version_number(variables("TERM_PROGRAM_VERSION"));
  return found;
}

bool knows_links(const Identity& terminal) {
  using N = TerminalName;
  if (terminal.screen || terminal.name == N::none || terminal.name == N::apple || terminal.name == N::urxvt)
    return false;
  if (terminal.tmux) return terminal.version >= version_number("3.4");
  if (terminal.name == N::vte) return terminal.version >= 5000;
  return terminal.name != N::other;
}

// Where it is not known, "9;4;3" would be the text of a notification.
bool knows_progress(const Identity& terminal) {
  using N = TerminalName;
  if (terminal.tmux || terminal.screen) return false;
  if (terminal.name == N::vte) return terminal.version >= 7900;
  if (terminal.name == N::iterm) return terminal.version >= version_number("3.6.6");
  return terminal.name == N::ghostty || terminal.name == N::windows;
}

NotifyBy notifies_by(const Identity& terminal) {
  switch (terminal.name) {
    case TerminalName::kitty: return NotifyBy::osc99;
    case TerminalName::iterm: return NotifyBy::osc9;
    case TerminalName::ghostty:
    case TerminalName::wezterm:
    case TerminalName::foot:
    case TerminalName::urxvt: return NotifyBy::osc777;
    default: return NotifyBy::bell;
  }
}

bool holds(Allowed wish, bool known) { return wish == Allowed::automatic ? known : wish == Allowed::always; }

}  // namespace

NotifyBy notify_by(std::string_view word) {
  static constexpr std::pair<std::string_view, NotifyBy> words[] = {{"osc9", NotifyBy::osc9},
                                                                    {"osc99", NotifyBy::osc99},
                                                                    {"osc777", NotifyBy::osc777},
                                                                    {"bell", NotifyBy::bell},
                                                                    {"never", NotifyBy::never}};
  for (const auto& [name, by] : words)
    if (word == name) return by;
  return NotifyBy::automatic;
}

Allowed allowed_by(std::string_view word) {
  return word == "always" ? Allowed::always : word == "never" ? Allowed::never : Allowed::automatic;
}

TerminalTraits terminal_traits(const TerminalVariables& variables, const TerminalWishes& wishes) {
  const Identity terminal = identity(variables);
  return {.title = wishes.title && terminal.name != TerminalName::none,
          .links = holds(wishes.links, knows_links(terminal)),
          .progress = holds(wishes.progress, knows_progress(terminal)),
          .tmux = terminal.tmux,
          .notify = wishes.notify == NotifyBy::automatic ? notifies_by(terminal) : wishes.notify};
}

std::string said_text(std::string_view raw, int columns) {
  constexpr std::size_t most_read = 4'000;  // of an answer as long as a book
  return shorten(safe_text(raw.substr(0, most_read), Lines::one), columns);
}

std::string title_sequence(std::string_view title) {
  return "\x1b]0;" + said_text(title, longest_title) + "\a";
}

std::string progress_sequence(TabProgress progress) {
  static constexpr std::string_view states[] = {"\x1b]9;4;0;\a", "\x1b]9;4;3;\a", "\x1b]9;4;4;100\a"};
  return std::string(states[static_cast<std::size_t>(progress)]);
}

std::string notify_sequence(std::string_view title, std::string_view body, const TerminalTraits& traits) {
  std::string head = said_text(title, longest_title), text = said_text(body, longest_body), bytes;
  switch (traits.notify) {
    case NotifyBy::osc9: bytes = "\x1b]9;" + head + ": " + text + "\a"; break;
    case NotifyBy::osc99:
      bytes = "\x1b]99;i=tern:d=0:o=unfocused;" + head + "\x1b\\\x1b]99;i=tern:d=1:p=body:o=unfocused;" +
              text + "\x1b\\";
      break;
    case NotifyBy::osc777:
      std::replace(head.begin(), head.end(), ';', ',');
      bytes = "\x1b]777;notify;" + head + ";" + text + "\x1b\\";
      break;
    case NotifyBy::never: return {};
    default: return "\a";
  }
  // tmux marks the window by the bell, also where it lets nothing pass.
  return traits.tmux ? through_tmux(bytes) + "\a" : bytes;
}

std::string through_tmux(std::string_view sequence) {
  std::string doubled;
  for (const char c : sequence) doubled += c == '\x1b' ? std::string("\x1b\x1b") : std::string(1, c);
  return "\x1bPtmux;" + doubled + "\x1b\\";
}

}  // namespace tern
