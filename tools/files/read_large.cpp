#include "tools/files/read_large.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace tern {

namespace {

constexpr std::uint64_t count_limit = 1u << 30;  // larger files: lines after the page are not counted

bool is_wide(Encoding encoding) { return encoding == Encoding::utf16le || encoding == Encoding::utf16be; }

bool is_high(char c) { return static_cast<unsigned char>(c) >= 0x80; }

std::size_t characters(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The part of a piece that ends with a whole character.
std::string_view whole_characters(std::string_view piece) {
  if (piece.find('\0') != piece.npos || piece.substr(0, 2) == "\xff\xfe" ||
      piece.substr(0, 2) == "\xfe\xff") {
    return piece.substr(0, piece.size() & ~std::size_t{1});
  }
  std::size_t end = piece.rfind('\n');
  if (end != piece.npos &&
      std::any_of(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(end), is_high)) {
    return piece.substr(0, end + 1);
  }
  for (int i = 0; i < 4 && !piece.empty() && is_high(piece.back()); ++i) piece.remove_suffix(1);
  return piece;
}

class LargeReader {
 public:
  LargeReader(std::size_t offset, std::size_t limit) : pager_(offset, limit) {}

  bool feed(std::string_view piece) {
    if (!decided_ && (first_ || std::any_of(piece.begin(), piece.end(), is_high))) decide(piece);
    if (first_) {
      if (charset_.encoding == Encoding::binary) return false;
      piece.remove_prefix(charset_.mark);
      first_ = false;
    }
    if (is_wide(charset_.encoding)) {
      feed_wide(piece);
    } else {
      split(piece);
    }
    return true;
  }

  LargePage take(bool counted_all) {
    if (!line_.empty()) end_line();
    return {.page = pager_.take(), .charset = charset_, .counted_all = counted_all};
  }
  bool full() const { return pager_.full(); }

 private:
  void decide(std::string_view piece) {
    charset_ = detect(whole_characters(piece));
    charset_.broken = 0;  // that would be of this piece only
    decided_ = charset_.encoding != Encoding::utf8 || std::any_of(piece.begin(), piece.end(), is_high);
    if (!first_ && charset_.encoding == Encoding::binary) charset_ = {};
  }

  // Decoded as it comes, but for half a character at the end of a piece.
  void feed_wide(std::string_view piece) {
    carry_ += piece;
    std::size_t usable = carry_.size() & ~std::size_t{1};
    if (usable >= 2) {
      auto high =
          static_cast<unsigned char>(carry_[usable - (charset_.encoding == Encoding::utf16le ? 1 : 2)]);
      if (high >= 0xD8 && high < 0xDC) usable -= 2;
    }
    TextView view(std::string_view(carry_).substr(0, usable), {.encoding = charset_.encoding});
    split(view.text());
    carry_.erase(0, usable);
  }

  void split(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = text.find('\n', at);
      add(text.substr(at, std::min(end, text.size()) - at));
      if (end == text.npos) return;
      end_line();
      at = end + 1;
    }
  }

  void add(std::string_view part) {
    if (line_.size() < page_bytes) {
      line_ += part;
    } else if (pager_.wants()) {
      more_ += characters(decoded(part));
    }
  }

  void end_line() {
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    pager_.line(pager_.wants() ? decoded(line_) : std::string_view(), more_);
    line_.clear();
    more_ = 0;
  }

  std::string_view decoded(std::string_view bytes) {
    if (charset_.encoding == Encoding::utf8 || is_wide(charset_.encoding)) return bytes;
    decoded_ = TextView(bytes, {.encoding = charset_.encoding}).text();
    return decoded_;
  }

  Pager pager_;
  Charset charset_;
  bool first_ = true, decided_ = false;
  std::string line_, carry_, decoded_;
  std::size_t more_ = 0;  // characters of a very long line that were not kept
};

}  // namespace

LargePage page_of_large(int fd, std::uint64_t size, std::size_t offset, std::size_t limit,
                        std::stop_token stop, std::size_t piece_bytes) {
  LargeReader reader(offset, limit);
  std::string buffer(piece_bytes, '\0');
  while (true) {
    ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return reader.take(true);
    if (!reader.feed({buffer.data(), static_cast<std::size_t>(n)})) return reader.take(true);
    if (reader.full() && (size > count_limit || stop.stop_requested())) return reader.take(false);
  }
}

}  // namespace tern
