// Bytes from the terminal to input events: incremental, pure, never throws, bounded memory whatever comes.
// Feed bytes as they arrive; call timeout() when a lone ESC has waited 30 ms. Understands UTF-8, CSI and SS3
// keys, kitty keyboard, modifyOtherKeys, bracketed paste, SGR mouse (wheel, drag), focus-free OSC/DCS replies
// (swallowed or reported as Reply).
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tern {

enum class Key {
  character,
  enter,
  escape,
  tab,
  backspace,
  del,
  up,
  down,
  left,
  right,
  home,
  end,
  page_up,
  page_down,
  insert,
  f1,
  f2,
  f3,
  f4,
  f5,
  f6,
  f7,
  f8,
  f9,
  f10,
  f11,
  f12
};
struct KeyPress {
  Key key = Key::character;
  std::string text;  // the character, for Key::character (control letters are 'a'..'z' with ctrl set)
  bool ctrl = false, alt = false, shift = false;
  bool operator==(const KeyPress&) const = default;
};
struct Paste {  // between the marks, newlines normalised to '\n', not yet sanitised
  std::string text;
  bool more = false;  // of the paste before it
  bool operator==(const Paste&) const = default;
};
struct Mouse {
  enum class What { wheel_up, wheel_down, press, drag, release } what = What::press;
  int x = 0, y = 0;  // 0-based cell
  bool shift = false, alt = false, ctrl = false;
  bool operator==(const Mouse&) const = default;
};
struct Reply {  // an answer of the terminal: OSC 11 colour, DA1, …
  std::string text;
  bool operator==(const Reply&) const = default;
};
using Input = std::variant<KeyPress, Paste, Mouse, Reply>;

class InputParser {
 public:
  std::vector<Input> feed(std::string_view bytes);
  bool pending() const;  // an unfinished sequence waits: call timeout() after 30 ms of silence (a paste: 1 s)
  bool pasting() const { return pasting_; }
  std::vector<Input> timeout();  // a lone ESC becomes Escape; an unfinished paste is delivered as it stands

 private:
  std::string buffer_;
  bool pasting_ = false;
  std::string paste_;
};

// "ctrl-o", "shift-tab", "alt-enter", "f1", "g": for key bindings and help.
std::string key_name(const KeyPress& key);
bool parse_key_name(std::string_view name, KeyPress& key);

}  // namespace tern
