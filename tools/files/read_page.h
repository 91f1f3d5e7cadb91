// Text as Read shows it: numbered lines, a page at a time, always valid UTF-8. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern {

constexpr std::size_t page_lines = 2000, page_bytes = 256 * 1024, line_characters = 2000;

struct ReadPage {
  std::string text;                 // "N<TAB>line\n" …, without a last newline
  std::size_t first = 0, last = 0;  // 1-based lines shown; last < first: none
  std::size_t total = 0;            // lines in all
  bool partial = false;             // something comes before or after
  std::size_t cut_lines = 0;        // shortened because they are long
};

// Lines `offset` (1-based) and on, at most `limit`, at most page_bytes. Lines end in "\n", "\r\n", or "\r"
// where it is alone.
ReadPage page_of(std::string_view text, std::size_t offset, std::size_t limit);

// Lines arriving in pieces: feeds complete lines (or one endless one) to a page.
class Pager {
 public:
  Pager(std::size_t offset, std::size_t limit) : offset_(offset), limit_(limit) {}
  // `more`: characters of the line that are not in `body`.
  void line(std::string_view body, std::size_t more = 0);
  bool wants() const { return !full_ && page_.total + 1 >= offset_; }  // the next line may be shown
  bool full() const { return full_; }
  std::size_t count() const { return page_.total; }
  ReadPage take();

 private:
  std::size_t offset_, limit_;
  bool full_ = false;
  ReadPage page_;
};

// "[PARTIAL: lines 1-2000 of 5,412. Continue with offset=2001.]"; empty when the page is the whole text.
std::string partial_notice(const ReadPage& page, std::uint64_t file_bytes, bool counted_all = true);

}  // namespace tern
