// The vi keys of the composer: normal mode with the motions and operators people use in one-line prompts.
#include <utility>

#include "ui/composer.h"
#include "ui/width.h"

namespace tern {

bool Composer::vi_key(const KeyPress& press) {
  if (!normal_) {
    if (press.key != Key::escape || buffer_.empty()) return false;
    normal_ = true;
    operator_ = 0;
    if (caret_ > line_begin(caret_)) caret_ = back(caret_);
    return true;
  }
  if (press.key == Key::escape) {
    const bool waiting = operator_ != 0;
    operator_ = 0;
    return waiting;  // a second Esc is the screen's
  }
  if (press.key != Key::character || press.ctrl || press.alt || press.text.size() != 1) return false;
  const char letter = press.text[0];
  if (operator_ != 0) return vi_operator(std::exchange(operator_, '\0'), letter);
  switch (letter) {
    case 'h': caret_ = caret_ > line_begin(caret_) ? back(caret_) : caret_; break;
    case 'l': caret_ = caret_ < line_end(caret_) ? forward(caret_) : caret_; break;
    case 'j': return move_line(1);
    case 'k': return move_line(-1);
    case 'w': caret_ = word_forward(caret_); break;
    case 'e': caret_ = word_forward(forward(caret_)); break;
    case 'b': caret_ = word_back(caret_); break;
    case '0':
    case '^': caret_ = line_begin(caret_); break;
    case '$': caret_ = line_end(caret_); break;
    case 'G': caret_ = buffer_.size(); break;
    case 'g': caret_ = 0; break;
    case 'i': normal_ = false; break;
    case 'a':
      caret_ = caret_ < line_end(caret_) ? forward(caret_) : caret_;
      normal_ = false;
      break;
    case 'I':
      caret_ = line_begin(caret_);
      normal_ = false;
      break;
    case 'A':
      caret_ = line_end(caret_);
      normal_ = false;
      break;
    case 'o':
      caret_ = line_end(caret_);
      insert("\n");
      normal_ = false;
      break;
    case 'O':
      caret_ = line_begin(caret_);
      insert("\n");
      caret_ = back(caret_);
      normal_ = false;
      break;
    case 'x': kill(caret_, forward(caret_), false); break;
    case 'D': kill(caret_, line_end(caret_), false); break;
    case 'C':
      kill(caret_, line_end(caret_), false);
      normal_ = false;
      break;
    case 'p':
      caret_ = forward(caret_);
      yank();
      break;
    case 'P': yank(); break;
    case 'u': undo(); break;
    case 'd':
    case 'c':
    case 'y': operator_ = letter; break;
    default: break;
  }
  return true;
}

bool Composer::vi_operator(char op, char motion) {
  std::size_t begin = caret_, end = caret_;
  switch (motion) {
    case 'w':
    case 'e': end = word_forward(caret_); break;
    case 'b': begin = word_back(caret_); break;
    case '$': end = line_end(caret_); break;
    case '0': begin = line_begin(caret_); break;
    case 'l': end = forward(caret_); break;
    case 'h': begin = back(caret_); break;
    default:
      if (motion != op) return true;
      begin = line_begin(caret_);
      end = line_end(caret_);
      if (op == 'd') end = forward(end);
  }
  if (op == 'y')
    kills_.push_back(buffer_.substr(begin, end - begin));
  else
    kill(begin, end, false);
  if (op == 'c') normal_ = false;
  return true;
}

}  // namespace tern
