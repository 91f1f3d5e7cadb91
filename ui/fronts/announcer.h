// What the window around the screen says of the conversation: its title, progress on its tab, and a
// notification when nobody looks. A pure fold: each call gives the bytes for what has changed since the last
// one, mostly none.
#pragma once

#include <string>

#include "ui/parts/view.h"
#include "ui/terminal/osc.h"

namespace tern {

class Announcer {
 public:
  Announcer(const TerminalTraits& traits, bool bell, std::string_view folder);
  std::string follow(const ViewState& view, bool watched);
  void forget();  // another program has had the terminal
  void set_bell(bool bell) { bell_ = bell; }

 private:
  enum class State { idle, working, asking };
  static State state_of(const ViewState& view);
  std::string title(const ViewState& view, State state) const;
  std::string news(const ViewState& view, State state) const;

  TerminalTraits traits_;
  bool bell_;
  std::string folder_, title_;
  State state_ = State::idle;
  TabProgress progress_ = TabProgress::none;
};

}  // namespace tern
