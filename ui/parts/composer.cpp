#include "ui/parts/composer.h"

#include <algorithm>
#include <utility>

#include "ui/parts/composer_chip.h"
#include "ui/parts/history.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr std::size_t chip_lines = 4, chip_bytes = 600, most_undo = 200, most_kills = 20;

bool word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         c == '_';
}

}  // namespace

std::string clean_paste(std::string_view raw) {
  std::string kept;
  kept.reserve(raw.size());
  const std::string valid = is_valid_utf8(raw) ? std::string(raw) : safe_text(raw);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto byte = static_cast<unsigned char>(valid[i]);
    const bool c1 = byte == 0xC2 && i + 1 < valid.size() && static_cast<unsigned char>(valid[i + 1]) < 0xA0;
    if (c1) {
      ++i;
    } else if (byte == 0xF4) {
      i += 3;
    } else if (byte == '\x1b' && i + 1 < valid.size() && valid[i + 1] == '[') {
      i += 2;
      while (i < valid.size() && (valid[i] < 0x40 || valid[i] > 0x7E)) ++i;
    } else if (byte == '\n' || byte == '\t' || (byte >= 0x20 && byte != 0x7F)) {
      kept += valid[i];
    }
  }
  return kept;
}

bool Composer::key(const KeyPress& press) {
  if (vi_ && vi_key(press)) return true;
  if (normal_mode() && press.key == Key::character && !press.ctrl && !press.alt)
    return false;  // an order, never text
  const bool handled = edit_key(press);
  if (handled && press.key != Key::up && press.key != Key::down) goal_column_ = -1;
  return handled;
}

bool Composer::edit_key(const KeyPress& press) {
  const bool words = press.ctrl || press.alt;
  switch (press.key) {
    case Key::character:
      if (press.ctrl) return press.text.size() == 1 && control_key(press.text[0]);
      if (press.alt) return alt_key(press);
      insert(press.text);
      return true;
    case Key::backspace:
      if (words)
        kill(word_back(caret_), caret_, true);
      else if (caret_ > 0)
        erase(back(caret_), caret_);
      return true;
    case Key::del: erase(caret_, forward(caret_)); return true;
    case Key::left: caret_ = words ? word_back(caret_) : back(caret_); break;
    case Key::right: caret_ = words ? word_forward(caret_) : forward(caret_); break;
    case Key::home: caret_ = line_begin(caret_); break;
    case Key::end: caret_ = line_end(caret_); break;
    case Key::up: return move_line(-1);
    case Key::down: return move_line(1);
    case Key::enter: insert("\n"); return true;  // the one that sends never comes here
    default: return false;
  }
  last_ = Last::other;
  return true;
}

bool Composer::control_key(char letter) {
  switch (letter) {
    case 'a': caret_ = line_begin(caret_); break;
    case 'e': caret_ = line_end(caret_); break;
    case 'b': caret_ = back(caret_); break;
    case 'f': caret_ = forward(caret_); break;
    case 'd': erase(caret_, forward(caret_)); return true;
    case 'h':
      if (caret_ > 0) erase(back(caret_), caret_);
      return true;
    case 'j': insert("\n"); return true;
    case 'k':
      kill(caret_, caret_ == line_end(caret_) ? forward(caret_) : line_end(caret_), false);
      return true;
    case 'u':
      kill(caret_ == line_begin(caret_) ? back(caret_) : line_begin(caret_), caret_, true);
      return true;
    case 'w': kill(word_back(caret_), caret_, true); return true;
    case 'y': yank(); return true;
    case '_': undo(); return true;
    case 'p': return move_line(-1);
    case 'n': return move_line(1);
    default: return false;
  }
  last_ = Last::other;
  return true;
}

bool Composer::alt_key(const KeyPress& press) {
  const char letter = press.text.size() == 1 ? press.text[0] : '\0';
  switch (letter) {
    case 'b': caret_ = word_back(caret_); break;
    case 'f': caret_ = word_forward(caret_); break;
    case 'd': kill(caret_, word_forward(caret_), false); return true;
    case 'y': yank_older(); return true;
    case '_': redo(); return true;
    case '<': caret_ = 0; break;
    case '>': caret_ = buffer_.size(); break;
    default: return false;
  }
  last_ = Last::other;
  return true;
}

void Composer::insert(std::string_view text) {
  const bool word_ends = text == " " || text == "\n";
  remember(word_ends ? Last::other : Last::typing);
  if (caret_ == 0) literal_ = false;
  buffer_.insert(caret_, text);
  caret_ += text.size();
}

void Composer::paste(std::string_view raw, bool more) {
  const std::string text = clean_paste(raw);
  if (text.empty()) return;
  last_ = Last::other;
  const bool grows = more && !chips_.empty() && chips_.back().name.empty();
  if (grows && std::string_view(buffer_).substr(0, caret_).ends_with(chip_letter(chips_.size() - 1))) {
    chips_.back().text += text;
    return;
  }
  const bool first = caret_ == 0;
  const auto newlines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (newlines + 1 < chip_lines && text.size() < chip_bytes) {
    insert(text);
  } else {
    insert(new_chip(text));
  }
  literal_ |= first;
  last_ = Last::other;
}

void Composer::insert_chip(std::string_view text) {
  last_ = Last::other;
  insert(new_chip(clean_paste(text)) + " ");
  last_ = Last::other;
}

std::string Composer::new_chip(std::string text) {
  std::string name = name_ ? name_(text) : std::string();
  chips_.push_back({std::move(text), std::move(name)});
  return chip_letter(chips_.size() - 1);
}

char Composer::sign() const {
  const char first = buffer_.empty() || literal_ ? '\0' : buffer_[0];
  return first == '!' || first == '#' || first == '/' ? first : '\0';
}

// What stands in the text as it was pasted is a chip again, the largest first. An editor takes the last line
// ends away.
std::string Composer::folded(std::string text) const {
  std::vector<std::size_t> order(chips_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return chips_[a].text.size() > chips_[b].text.size(); });
  for (const std::size_t index : order) {
    const std::string_view chip = chips_[index].text;
    const std::string_view body = chip.substr(0, chip.find_last_not_of('\n') + 1),
                           ends = chip.substr(body.size());
    if (body.empty()) continue;
    const std::string letter = chip_letter(index);
    for (std::size_t at = 0; (at = text.find(body, at)) != text.npos; at += letter.size()) {
      const std::string_view rest = std::string_view(text).substr(at + body.size());
      if (rest.starts_with(ends))
        text.replace(at, chip.size(), letter);
      else if (rest.empty())
        text.replace(at, body.size(), letter);
    }
  }
  return text;
}

std::string Composer::expand(std::string_view text) const {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t chip = text.find('\xF4', at);
    out += text.substr(at, chip - at);
    if (chip == text.npos) break;
    const std::size_t index = chip_index(text, chip);
    if (index < chips_.size()) out += chips_[index].text;
    at = chip + 4;
  }
  return out;
}

std::string Composer::text() const { return expand(buffer_); }

std::string Composer::take() {
  std::string out = text();
  last_ = Last::other;
  remember(Last::other);
  buffer_.clear();
  caret_ = 0;
  normal_ = false;
  return out;
}

void Composer::set(std::string_view text, bool literal) {
  last_ = Last::other;
  remember(Last::other);
  literal_ = literal;
  buffer_ = folded(clean_paste(text));
  caret_ = buffer_.size();
}

std::string Composer::saved() const {
  if (buffer_.empty()) return {};
  std::string lines, buffer;
  std::size_t chips = 0;
  for (std::size_t at = 0; at < buffer_.size(); at = forward(at)) {
    const std::size_t index = is_chip(buffer_, at) ? chip_index(buffer_, at) : chips_.size();
    if (!is_chip(buffer_, at)) {
      buffer += buffer_.substr(at, forward(at) - at);
    } else if (index < chips_.size()) {
      buffer += chip_letter(chips++);
      lines += escaped_line(chips_[index].text) + '\n';
    }
  }
  return (literal_ ? "pasted " : "typed ") + escaped_line(buffer) + '\n' + lines;
}

void Composer::restore(std::string_view saved) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < saved.size();) {
    const std::size_t end = std::min(saved.find('\n', at), saved.size());
    lines.push_back(unescaped_line(saved.substr(at, end - at)));
    at = end + 1;
  }
  const std::size_t blank = lines.empty() ? std::string::npos : lines[0].find(' ');
  if (blank == std::string::npos) return;
  set("", lines[0].starts_with("pasted"));
  const std::string_view text = std::string_view(lines[0]).substr(blank + 1);
  for (std::size_t at = 0;
       at < text.size();) {  // the file may be anybody's work: only known chips, only clean text
    const std::size_t chip = std::min(text.find('\xF4', at), text.size());
    buffer_ += clean_paste(text.substr(at, chip - at));
    const std::size_t index = chip + 4 <= text.size() ? chip_index(text, chip) + 1 : 0;
    if (index > 0 && index < lines.size()) {
      buffer_ += new_chip(clean_paste(lines[index]));
    }
    at = chip + 4;
  }
  caret_ = buffer_.size();
}

void Composer::replace(std::size_t begin, std::size_t end, std::string_view with) {
  last_ = Last::other;
  remember(Last::other);
  if (begin == 0) literal_ = false;
  buffer_.replace(begin, end - begin, with);
  caret_ = begin + with.size();
}

std::size_t Composer::back(std::size_t at) const { return previous_boundary(buffer_, at); }
std::size_t Composer::forward(std::size_t at) const {
  if (at >= buffer_.size()) return buffer_.size();
  if (is_chip(buffer_, at)) return at + 4;
  return at + next_cluster(buffer_, at).bytes;
}

std::size_t Composer::word_back(std::size_t at) const {
  while (at > 0 && !word_byte(buffer_[at - 1])) at = back(at);
  while (at > 0 && word_byte(buffer_[at - 1])) at = back(at);
  return at;
}
std::size_t Composer::word_forward(std::size_t at) const {
  while (at < buffer_.size() && !word_byte(buffer_[at])) at = forward(at);
  while (at < buffer_.size() && word_byte(buffer_[at])) at = forward(at);
  return at;
}
std::size_t Composer::line_begin(std::size_t at) const {
  const std::size_t newline = at == 0 ? std::string::npos : buffer_.rfind('\n', at - 1);
  return newline == std::string::npos ? 0 : newline + 1;
}
std::size_t Composer::line_end(std::size_t at) const {
  return std::min(buffer_.find('\n', at), buffer_.size());
}

// One undo step for a run of typing, one for each other change.
void Composer::remember(Last kind) {
  just_yanked_ = false;
  const bool run = kind == last_ && (kind == Last::typing || kind == Last::deleting);
  last_ = kind;
  redo_.clear();
  if (run) return;
  undo_.push_back({buffer_, caret_, literal_});
  if (undo_.size() > most_undo) undo_.erase(undo_.begin());
}

void Composer::erase(std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  remember(Last::deleting);
  buffer_.erase(begin, end - begin);
  caret_ = begin;
}

void Composer::kill(std::size_t begin, std::size_t end, bool backwards) {
  if (begin >= end) return;
  const bool grows = last_ == Last::killing && !kills_.empty();
  const std::string text = buffer_.substr(begin, end - begin);
  remember(Last::other);
  if (!grows)
    kills_.push_back(text);
  else
    kills_.back().insert(backwards ? 0 : kills_.back().size(), text);
  if (kills_.size() > most_kills) kills_.erase(kills_.begin());
  buffer_.erase(begin, end - begin);
  caret_ = begin;
  last_ = Last::killing;
}

void Composer::yank() {
  if (kills_.empty()) return;
  yank_index_ = kills_.size() - 1;
  yank_begin_ = caret_;
  last_ = Last::other;
  insert(kills_[yank_index_]);
  last_ = Last::other;
  just_yanked_ = true;
}

void Composer::yank_older() {
  if (!just_yanked_) return;
  const std::string& current = kills_[yank_index_];
  yank_index_ = (yank_index_ + kills_.size() - 1) % kills_.size();
  replace(yank_begin_, yank_begin_ + current.size(), kills_[yank_index_]);
  just_yanked_ = true;
}

void Composer::undo() {
  if (undo_.empty()) return;
  redo_.push_back({buffer_, caret_, literal_});
  buffer_ = std::move(undo_.back().buffer);
  caret_ = undo_.back().caret;
  literal_ = undo_.back().literal;
  undo_.pop_back();
  last_ = Last::other;
}

void Composer::redo() {
  if (redo_.empty()) return;
  undo_.push_back({buffer_, caret_, literal_});
  buffer_ = std::move(redo_.back().buffer);
  caret_ = redo_.back().caret;
  literal_ = redo_.back().literal;
  redo_.pop_back();
  last_ = Last::other;
}

}  // namespace tern
