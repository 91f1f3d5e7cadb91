#include "tools/files/read_page.h"

#include <algorithm>

#include "tools/files/encoding.h"
#include "tools/files/fold.h"
#include "tools/workspace/file.h"

namespace tern {

namespace {

std::string thousands(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

// Whole characters, at most `most` of them.
std::size_t cut_at(std::string_view body, std::size_t most) {
  std::size_t at = 0;
  for (std::size_t n = 0; n < most && at < body.size(); ++n)
    at += std::max<std::size_t>(1, utf8_length(body, at));
  return std::min(at, body.size());
}

std::size_t characters(std::string_view body) {
  return static_cast<std::size_t>(
      std::count_if(body.begin(), body.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

void Pager::line(std::string_view body, std::size_t more) {
  ++page_.total;
  if (page_.total < offset_ || full_) return;
  std::string shown;
  std::size_t cut = body.size() > line_characters ? cut_at(body, line_characters) : body.size();
  shown = to_valid_utf8(body.substr(0, cut));
  std::string number = std::to_string(page_.total);
  std::string tail =
      cut < body.size() ? "… [+" + thousands(characters(body.substr(cut)) + more) + " characters]" : "";
  std::size_t size = number.size() + 1 + shown.size() + tail.size() + 1;
  if (page_.total - offset_ >= limit_ || (!page_.text.empty() && page_.text.size() + size > page_bytes)) {
    full_ = true;
    return;
  }
  page_.cut_lines += !tail.empty();
  if (page_.first == 0) {
    page_.first = page_.total;
  } else {
    page_.text += '\n';
  }
  page_.text += number + '\t' + shown + tail;
  page_.last = page_.total;
}

ReadPage Pager::take() {
  page_.partial = page_.first > 1 || page_.last < page_.total;
  return std::move(page_);
}

ReadPage page_of(std::string_view text, std::size_t offset, std::size_t limit) {
  Pager pager(offset, limit);
  char mark = uses_only_cr(text) ? '\r' : '\n';
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(mark, at), text.size());
    std::string_view body = text.substr(at, end - at);
    if (mark == '\n' && !body.empty() && body.back() == '\r' && end < text.size()) body.remove_suffix(1);
    pager.line(body);
    at = end + 1;
  }
  return pager.take();
}

std::string partial_notice(const ReadPage& page, std::uint64_t file_bytes, bool counted_all) {
  if (!page.partial && counted_all) return {};
  std::string text = "[PARTIAL: lines " + std::to_string(page.first) + "-" + std::to_string(page.last) +
                     " of " + (counted_all ? thousands(page.total) : "a file of " + human_size(file_bytes));
  if (counted_all && page.last == page.total) return text + ", to the end.]";
  return text + ". Continue with offset=" + std::to_string(page.last + 1) + ".]";
}

}  // namespace tern
