// The vi keys of the composer: normal mode with the motions and operators people use in one-line prompts.
#include <utility>

#include "ui/parts/composer.h"
#include "ui/text/width.h"

namespace tern {
namespace {

enum class Sort { blank, word, sign };
Sort sort_of(char c) {
  if (c == ' ' || c == '\t' || c == '\n') return Sort::blank;
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  return letter || static_cast<unsigned char>(c) >= 0x80 ? Sort::word : Sort::sign;
}

}  // namespace

bool Composer::vi_key(const KeyPress& press) {
  const bool letter = press.key == Key::character && !press.ctrl && press.text.size() == 1;
  if (!normal_) {
    // Esc and the next key can come in one piece, which reads as Alt and that key.
    const bool glued = letter && press.alt;
    if ((press.key != Key::escape && !glued) || buffer_.empty()) return false;
    normal_ = true;
    operator_ = 0;
    if (caret_ > line_begin(caret_)) caret_ = back(caret_);
    return !glued || vi_letter(press.text[0]);
  }
  if (press.key == Key::escape) {
    const bool waiting = operator_ != 0;
    operator_ = 0;
    return waiting;  // a second Esc is the screen's
  }
  if (!letter && press.key == Key::character && !press.ctrl) operator_ = 0;
  return letter && !press.alt && vi_letter(press.text[0]);
}

bool Composer::vi_letter(char letter) {
  bool taken = true;
  last_ = Last::other;  // each kill is one of its own
  if (operator_ != 0)
    taken = vi_operator(std::exchange(operator_, '\0'), letter);
  else if (letter == 'j' || letter == 'k')
    taken = move_line(letter == 'j' ? 1 : -1);
  else if (!vi_motion(letter) && !vi_change(letter))
    vi_insert(letter);
  // In normal mode the caret stands on a letter, never behind the last one.
  if (normal_ && caret_ == line_end(caret_) && caret_ > line_begin(caret_)) caret_ = back(caret_);
  return taken;
}

bool Composer::vi_motion(char letter) {
  switch (letter) {
    case 'h': caret_ = caret_ > line_begin(caret_) ? back(caret_) : caret_; break;
    case 'l': caret_ = caret_ < line_end(caret_) ? forward(caret_) : caret_; break;
    case 'w': caret_ = vi_next_word(caret_); break;
    case 'e': caret_ = vi_word_end(caret_); break;
    case 'b': caret_ = word_back(caret_); break;
    case '0':
    case '^': caret_ = line_begin(caret_); break;
    case '$': caret_ = line_end(caret_); break;
    case 'G': caret_ = buffer_.size(); break;
    case 'g': caret_ = 0; break;
    default: return false;
  }
  return true;
}

bool Composer::vi_change(char letter) {
  switch (letter) {
    case 'x':
      if (caret_ < line_end(caret_)) kill(caret_, forward(caret_), false);
      break;
    case 'D': kill(caret_, line_end(caret_), false); break;
    case 'p':
    case 'P': {
      if (letter == 'p' && caret_ < line_end(caret_)) caret_ = forward(caret_);
      const std::size_t before = caret_;
      yank();
      if (caret_ > before) caret_ = back(caret_);
      break;
    }
    case 'u': undo(); break;
    case 'd':
    case 'c':
    case 'y': operator_ = letter; break;
    default: return false;
  }
  return true;
}

// The letters that leave normal mode; any other does nothing.
void Composer::vi_insert(char letter) {
  switch (letter) {
    case 'i': break;
    case 'a': caret_ = caret_ < line_end(caret_) ? forward(caret_) : caret_; break;
    case 'I': caret_ = line_begin(caret_); break;
    case 'A': caret_ = line_end(caret_); break;
    case 'o':
      caret_ = line_end(caret_);
      insert("\n");
      break;
    case 'O':
      caret_ = line_begin(caret_);
      insert("\n");
      caret_ = back(caret_);
      break;
    case 'C': kill(caret_, line_end(caret_), false); break;
    default: return;
  }
  normal_ = false;
}

bool Composer::vi_operator(char op, char motion) {
  std::size_t begin = caret_, end = caret_;
  switch (motion) {
    case 'w': end = vi_next_word(caret_, op != 'c'); break;
    case 'e': end = forward(vi_word_end(caret_)); break;
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

// To the begin of the next word, or only to the end of this one: letters and signs are words of their own
// sort.
std::size_t Composer::vi_next_word(std::size_t at, bool blanks) const {
  if (at >= buffer_.size()) return at;
  const Sort here = sort_of(buffer_[at]);
  while (at < buffer_.size() && here != Sort::blank && sort_of(buffer_[at]) == here) at = forward(at);
  while (blanks && at < buffer_.size() && sort_of(buffer_[at]) == Sort::blank) at = forward(at);
  return at;
}

// On the last cluster of this word, or of the next one when already there.
std::size_t Composer::vi_word_end(std::size_t at) const {
  std::size_t next = forward(at);
  while (next < buffer_.size() && sort_of(buffer_[next]) == Sort::blank) next = forward(next);
  if (next >= buffer_.size()) return at;
  for (at = next, next = forward(at);
       next < buffer_.size() && sort_of(buffer_[next]) == sort_of(buffer_[at]);) {
    at = next;
    next = forward(at);
  }
  return at;
}

}  // namespace tern
