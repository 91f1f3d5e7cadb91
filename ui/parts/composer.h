// The prompt editor: a text, a caret, and what fingers know (emacs keys, undo, kill ring, soft wrap). Pure:
// no I/O, no clock. A large paste is one private character in the buffer, shown as a chip and expanded by
// text(). Owned by the UI thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/terminal/input_parser.h"
#include "ui/text/style.h"

namespace tern {

class Composer {
 public:
  bool key(const KeyPress& press);  // false: not an editing key, or at an edge (up and down walk the history)
  void paste(std::string_view raw,
             bool more = false);  // sanitised; large ones become a chip, more of it goes there
  void insert(std::string_view text);
  void insert_chip(std::string_view text);  // however short it is
  // What a chip of this text is called; "" for most. Asked once, when the chip is made.
  void name_chips(std::function<std::string(std::string_view text)> name) { name_ = std::move(name); }

  bool empty() const { return buffer_.empty(); }
  std::string text() const;                 // what will be sent: chips expanded
  std::vector<std::string> pastes() const;  // texts of its chips, as far as they have no name of their own
  std::string take();                       // text(), and the composer is empty again (undo brings it back)
  // Replaces all, caret at the end; chips it holds are chips again. literal: its first letter is no sign.
  void set(std::string_view text, bool literal = false);
  // The '!', '#' or '/' it begins with, when that was typed: what is pasted is text, whatever it begins with.
  // Else '\0'.
  char sign() const;
  std::string_view raw() const { return buffer_; }
  std::size_t caret() const { return caret_; }
  void replace(std::size_t begin, std::size_t end, std::string_view with);  // completion accepted

  // For a file: the buffer and its chips, a line each. restore() takes what saved() gave.
  std::string saved() const;
  void restore(std::string_view saved);

  struct Layout {
    Rows rows;
    int caret_x = 0, caret_y = 0;
  };
  // Wrapped rows; when there are more than `height`, those around the caret.
  Layout layout(int width, int height) const;
  void click(int column, int row);  // the caret goes to that place of the last layout

  void set_vi(bool on) {
    vi_ = on;
    normal_ = false;
  }
  bool vi() const { return vi_; }
  bool normal_mode() const { return vi_ && normal_; }

 private:
  struct Line {
    std::size_t begin = 0, end = 0;
  };
  struct State {
    std::string buffer;
    std::size_t caret = 0;
    bool literal = false;
  };
  struct Chip {
    std::string text, name;
  };
  enum class Last { other, typing, deleting, killing, moving_lines };

  bool edit_key(const KeyPress& press);
  bool control_key(char letter);
  bool alt_key(const KeyPress& press);
  bool vi_key(const KeyPress& press);
  bool vi_letter(char letter);
  bool vi_motion(char letter);
  bool vi_change(char letter);
  void vi_insert(char letter);
  bool vi_operator(char op, char motion);
  std::size_t vi_next_word(std::size_t at, bool blanks = true) const;
  std::size_t vi_word_end(std::size_t at) const;
  std::vector<Line> lines(int width) const;
  bool move_line(int direction);
  std::size_t back(std::size_t at) const;
  std::size_t forward(std::size_t at) const;
  std::size_t word_back(std::size_t at) const;
  std::size_t word_forward(std::size_t at) const;
  std::size_t line_begin(std::size_t at) const;
  std::size_t line_end(std::size_t at) const;
  void remember(Last kind);
  void erase(std::size_t begin, std::size_t end);
  void kill(std::size_t begin, std::size_t end, bool backwards);
  void yank();
  void yank_older();
  void undo();
  void redo();
  std::string new_chip(std::string text);  // its letter
  std::string expand(std::string_view text) const;
  std::string folded(std::string text) const;
  std::string label(std::string_view cluster) const;  // of a chip; empty for text
  std::string shown(std::string_view cluster) const;
  int columns_of(std::string_view cluster) const;

  std::string buffer_;
  std::size_t caret_ = 0;
  std::vector<Chip> chips_;
  std::function<std::string(std::string_view)> name_;
  std::vector<State> undo_, redo_;
  std::vector<std::string> kills_;
  std::size_t yank_index_ = 0, yank_begin_ = 0;
  bool just_yanked_ = false;
  Last last_ = Last::other;
  int goal_column_ = -1;
  mutable int width_ = 80;
  mutable std::size_t first_row_ = 0;  // the first that the last layout showed
  bool vi_ = false, normal_ = false;
  bool literal_ = false;  // what stands first was pasted
  char operator_ = 0;
};

// Strips what a paste must not bring: escapes, controls, private characters; newlines and tabs stay.
std::string clean_paste(std::string_view raw);

}  // namespace tern
