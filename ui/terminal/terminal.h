// The terminal as a resource: raw mode and modes on, one poll loop's inputs, and everything back on every way
// out. Owned by the UI thread. Only one Terminal exists at a time; restore_terminal() is async-signal-safe
// and idempotent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

struct TerminalSize {
  int columns = 80, lines = 24;
  bool operator==(const TerminalSize&) const = default;
};

// What poll() found.
struct Woken {
  bool input = false, event = false, resized = false, child_stop = false, quit = false, hangup = false;
};

class Terminal {
 public:
  // Takes over fd 0 and 1. alternate: own screen; else the normal one (--inline).
  Terminal(bool alternate, bool mouse);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // From now on every way out takes back a title and a progress that were set; enter() keeps the title of
  // before.
  void announces(bool title, bool progress);
  // From now on the terminal says whether its window is in front. Some answer at once, so not for a run that
  // leaves at once.
  void watch_focus();
  void enter();  // again after leave(): for $EDITOR and Ctrl-Z
  void leave();
  bool
  suspend();  // Ctrl-Z: leave, stop, and enter again when continued; false where nothing would continue us
  TerminalSize size() const;
  // Waits for input, a signal, the timeout in ms (−1: for ever) and, unless they can wait for the next frame,
  // event wakes.
  Woken wait(int timeout_ms, bool events = true);
  std::string read();  // what is there; empty at the end of input (then hung_up() is true)
  bool hung_up() const { return hung_up_; }
  bool write(std::string_view bytes);  // all of it, retried; false when the terminal is gone
  void wake();                         // any thread: makes wait() return with event

 private:
  bool alternate_, mouse_, entered_ = false, hung_up_ = false, focus_watched_ = false;
  int wake_fd_ = -1, signal_fd_ = -1;
};

// Stops our process group as Ctrl-Z does and returns when it goes on: at once where no shell does job
// control.
void stop_group();
void restore_terminal();       // signal-safe; called from every way out
void install_crash_restore();  // SEGV, ABRT, BUS, ILL, FPE, terminate, atexit
void block_ui_signals();  // INT TERM HUP QUIT WINCH TSTP CONT go to signalfd: call in main before any thread
                          // starts

}  // namespace tern
