#include "ui/text/text_safe.h"

#include <cstdint>
#include <cstdio>

#include "ui/text/width.h"

namespace tern {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr int most_marks = 4, most_joins = 3;

struct Decoded {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: not valid here
};

bool tail(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
Decoded decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i]));
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first >= 0xC2 && first <= 0xDF && tail(text, at + 1))
    return {(first & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (first >= 0xE0 && first <= 0xEF && tail(text, at + 1) && tail(text, at + 2)) {
    const std::uint32_t code = (first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (code >= 0x800 && (code < 0xD800 || code > 0xDFFF)) return {code, 3};
  }
  if (first >= 0xF0 && first <= 0xF4 && tail(text, at + 1) && tail(text, at + 2) && tail(text, at + 3)) {
    const std::uint32_t code =
        (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    if (code >= 0x10000 && code <= 0x10FFFF) return {code, 4};
  }
  return {};
}

bool in(std::uint32_t c, std::uint32_t first, std::uint32_t last) { return c >= first && c <= last; }

// Characters that change how others are read, or that cannot be seen. A joiner is kept by the caller inside
// emoji.
bool invisible(std::uint32_t c) {
  return c == 0xAD || c == 0x34F || c == 0x61C || in(c, 0x115F, 0x1160) || in(c, 0x17B4, 0x17B5) ||
         in(c, 0x180B, 0x180F) || in(c, 0x200B, 0x200F) || in(c, 0x2028, 0x202E) || in(c, 0x2060, 0x206F) ||
         c == 0x3164 || c == 0xFEFF || c == 0xFFA0 || in(c, 0xFFF0, 0xFFFB) || in(c, 0x1BCA0, 0x1BCA3) ||
         in(c, 0x1D173, 0x1D17A) || in(c, 0xE0000, 0xE0FFF);
}
bool private_or_none(std::uint32_t c) { return in(c, 0xFDD0, 0xFDEF) || (c & 0xFFFE) == 0xFFFE; }

bool pictograph(std::uint32_t c) {
  return in(c, 0x1F000, 0x1FAFF) || in(c, 0x2600, 0x27BF) || in(c, 0x2190, 0x21FF) || in(c, 0x2B00, 0x2BFF) ||
         c == 0xFE0F;
}

bool skin_tone(std::uint32_t c) { return in(c, 0x1F3FB, 0x1F3FF); }

// Past the bytes from blank to `end` and the one from `last_begin` to tilde behind them, if it is there.
std::size_t skip_to_final(std::string_view text, std::size_t i, char end, char last_begin) {
  while (i < text.size() && text[i] >= 0x20 && text[i] <= end) ++i;
  return i < text.size() && text[i] >= last_begin && text[i] <= 0x7E ? i + 1 : i;
}

// A string sequence ends at BEL or ST; one that never ends does so at the line's end, so that it cannot eat a
// whole file.
std::size_t skip_string(std::string_view text, std::size_t i) {
  for (; i < text.size() && text[i] != '\n'; ++i) {
    const std::string_view here = text.substr(i, 2);
    if (here.front() == '\a') return i + 1;
    if (here == "\x1b\\" || here == "\xC2\x9C") return i + 2;
    if (here.front() == '\x1b') return i;
  }
  return i;
}

// Past the whole escape sequence whose introducer (ESC or a C1 character) ends before `i`.
std::size_t skip_escape(std::string_view text, std::size_t i, std::uint32_t introducer) {
  constexpr char csi_end = 0x3F, csi_final = 0x40, escape_end = 0x2F, escape_final = 0x30;
  if (introducer == 0x9B) return skip_to_final(text, i, csi_end, csi_final);
  if (introducer != 0x1B || i >= text.size()) return skip_string(text, i);
  if (text[i] == '[') return skip_to_final(text, i + 1, csi_end, csi_final);
  if (std::string_view("]P_^X").find(text[i]) != std::string_view::npos) return skip_string(text, i + 1);
  return skip_to_final(text, i, escape_end, escape_final);
}

void show_code(std::string& out, std::uint32_t code) {
  char shown[20];
  std::snprintf(shown, sizeof shown, "\xE2\x9F\xA8U+%04X\xE2\x9F\xA9", code);
  out += shown;
}

class Cleaner {
 public:
  Cleaner(std::string_view raw, Lines lines, int tab) : raw_(raw), lines_(lines), tab_(tab) {
    out_.reserve(raw.size());
  }

  std::string run() {
    while (at_ < raw_.size()) {
      if (!plain_run()) step();
    }
    return std::move(out_);
  }

 private:
  // The common case at the speed of a copy.
  bool plain_run() {
    std::size_t end = at_;
    while (end < raw_.size() && raw_[end] >= 0x20 && raw_[end] < 0x7F) ++end;
    if (end == at_) return false;
    out_ += raw_.substr(at_, end - at_);
    at_ = end;
    marks_ = 0;
    last_ = 'a';
    return true;
  }

  void step() {
    const Decoded point = decode(raw_, at_);
    if (point.bytes == 0) {
      out_ += replacement;
      ++at_;
      last_ = 0xFFFD;
      return;
    }
    const std::uint32_t c = point.code;
    if (c == 0x1B || c == 0x9B || c == 0x9D || c == 0x90 || c == 0x98 || c == 0x9E || c == 0x9F) {
      at_ = skip_escape(raw_, at_ + point.bytes, c);
      return;
    }
    if (c < 0x20 || in(c, 0x7F, 0x9F))
      control(c);
    else
      printable(c, point.bytes);
    last_ = c;
    at_ += point.bytes;
  }

  void control(std::uint32_t c) {
    if (c == '\n') {
      out_ += lines_ == Lines::keep ? "\n" : "⏎";
      counted_ = out_.size();
      column_ = 0;
    } else if (c == '\t') {
      column_ += width(std::string_view(out_).substr(counted_));
      counted_ = out_.size();
      out_.append(static_cast<std::size_t>(tab_ - column_ % tab_), ' ');
    } else if (c == '\r') {
      const bool line_end = at_ + 1 < raw_.size() && raw_[at_ + 1] == '\n';
      if (!line_end) out_ += "␍";
    } else if (c < 0x20) {
      out_ += '^';
      out_ += static_cast<char>(c + 0x40);
    } else if (c == 0x7F) {
      out_ += "^?";
    } else {
      show_code(out_, c);
    }
    marks_ = 0;
  }

  void printable(std::uint32_t c, std::size_t bytes) {
    const bool joiner = c == 0x200D && pictograph(last_) && joins_ < most_joins && joins_emoji(bytes);
    if (!joiner && (invisible(c) || private_or_none(c))) {
      show_code(out_, c);
      return;
    }
    if (is_mark(c)) {
      if (++marks_ > most_marks) return;
    } else {
      marks_ = 0;
      if (joiner)
        ++joins_;
      else if (last_ != 0x200D && !skin_tone(c))
        joins_ = 0;
    }
    out_ += raw_.substr(at_, bytes);
  }

  bool joins_emoji(std::size_t bytes) const {
    if (at_ + bytes >= raw_.size()) return false;
    const Decoded next = decode(raw_, at_ + bytes);
    return next.bytes != 0 && pictograph(next.code);
  }

  std::string_view raw_;
  Lines lines_;
  int tab_;
  std::string out_;
  std::size_t at_ = 0, counted_ = 0;  // counted_: up to where column_ is known
  int column_ = 0;
  std::uint32_t last_ = 0;
  int marks_ = 0, joins_ = 0;  // since the last base; in this chain of emoji
};

// Letters that a person may take for ASCII: Cyrillic, Greek, fullwidth, mathematical, and look-alike
// punctuation and spaces.
bool deceptive(std::uint32_t c) {
  return in(c, 0x370, 0x52F) || in(c, 0x13A0, 0x13FF) || in(c, 0x2000, 0x206F) || in(c, 0x2100, 0x214F) ||
         in(c, 0x2215, 0x2216) || in(c, 0x2236, 0x2236) || in(c, 0x29F8, 0x29F9) || in(c, 0xFF00, 0xFF5E) ||
         in(c, 0x1D400, 0x1D7FF) || c == 0xA0 || c == 0x1680 || c == 0x3000 || in(c, 0x300, 0x36F) ||
         in(c, 0xA4D0, 0xA4FF) || in(c, 0x2C80, 0x2CFF) || in(c, 0x1C80, 0x1C8F);
}

// Fullwidth marks of a sentence: ！（），：；？
bool sentence_mark(std::uint32_t c) {
  return c == 0xFF01 || in(c, 0xFF08, 0xFF09) || c == 0xFF0C || in(c, 0xFF1A, 0xFF1B) || c == 0xFF1F;
}

// Chinese, Japanese and Korean letters. Beside one of them such a mark belongs to a sentence, and nobody
// takes it for ASCII.
bool east_asian(std::uint32_t c) {
  return in(c, 0x3001, 0x3002) || in(c, 0x3041, 0x30FF) || in(c, 0x3400, 0x9FFF) || in(c, 0xAC00, 0xD7A3);
}

bool in_sentence(std::string_view raw, std::size_t end, std::uint32_t mark, std::uint32_t before) {
  if (!sentence_mark(mark)) return false;
  return east_asian(before) || (end < raw.size() && east_asian(decode(raw, end).code));
}

}  // namespace

std::string safe_text(std::string_view raw, Lines lines, int tab) { return Cleaner(raw, lines, tab).run(); }

std::string safe_command(std::string_view raw) {
  std::string shown;
  std::uint32_t before = 0;
  int marks = most_marks;  // on the letter before: an ASCII letter takes none, or it would be another one
  for (std::size_t at = 0; at < raw.size();) {
    const Decoded point = decode(raw, at);
    const std::uint32_t c = point.code;
    if (point.bytes == 0) {
      char byte[8];
      std::snprintf(byte, sizeof byte, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(raw[at])));
      shown += byte;
      ++at;
      marks = most_marks;
      continue;
    }
    const bool ascii = c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7F), mark = is_mark(c);
    const bool passes = deceptive(c) && !in_sentence(raw, at + point.bytes, c, before);
    const bool coded = !ascii && (c <= 0x9F || passes || invisible(c) || private_or_none(c) ||
                                  (mark && marks >= most_marks));
    if (c < 0x20 && !ascii)
      shown += {'^', static_cast<char>(c + 0x40)};
    else if (c == 0x7F)
      shown += "^?";
    else if (coded)
      show_code(shown, c);
    else
      shown += raw.substr(at, point.bytes);
    marks = ascii || coded ? most_marks : mark ? marks + 1 : 0;
    if (coded || !sentence_mark(c)) before = c;  // ）！ : the second is beside the same letter
    at += point.bytes;
  }
  return safe_text(shown);
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Decoded point = decode(text, at);
    if (point.bytes == 0) return false;
    at += point.bytes;
  }
  return true;
}

std::string utf8(std::uint32_t code) {
  if (code < 0x80) return {static_cast<char>(code)};
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
}

}  // namespace tern
