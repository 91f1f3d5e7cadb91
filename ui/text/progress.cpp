#include "ui/text/progress.h"

#include <algorithm>

#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

// One line of a terminal and the cursor in it.
class Line {
 public:
  std::string played(std::string_view raw) {
    while (!raw.empty()) {
      const std::size_t end = std::min(raw.find_first_of("\r\b\x1b"), raw.size());
      write(raw.substr(0, end));
      raw.remove_prefix(end);
      if (!raw.empty()) raw.remove_prefix(order(raw));
    }
    return std::move(shown_);
  }

 private:
  void write(std::string_view raw) {
    std::string text = safe_text(raw);
    const int columns = width(text);
    if (columns == 0) return;
    if (width(shown_) < column_)
      shown_.resize(shown_.size() + static_cast<std::size_t>(column_ - width(shown_)), ' ');
    const std::size_t begin = fit(shown_, column_);
    std::size_t end = fit(shown_, column_ + columns);
    if (end < shown_.size() &&
        width(std::string_view(shown_).substr(0, end)) < column_ + columns) {  // half of a wide letter
      end += next_cluster(shown_, end).bytes;
      text += ' ';
    }
    shown_.replace(begin, end - begin, text);
    column_ += columns;
  }

  // What stands at the begin of `raw`; its bytes.
  std::size_t order(std::string_view raw) {
    if (raw[0] == '\r') column_ = 0;
    if (raw[0] == '\b') column_ = std::max(0, column_ - 1);
    if (raw[0] != '\x1b') return 1;
    if (raw.size() < 2 || raw[1] != '[') return sequence(raw);
    const std::size_t end = raw.find_first_not_of("0123456789;", 2);
    if (end == raw.npos || raw[end] != 'K') return sequence(raw);
    const std::string_view what = raw.substr(2, end - 2);
    if (what == "2") shown_.clear();
    if (what.empty() || what == "0") shown_.resize(fit(shown_, column_));
    return end + 1;
  }

  // Any other escape sequence leaves whole, as everywhere.
  static std::size_t sequence(std::string_view raw) {
    std::size_t end = 1;
    while (end < raw.size() && end < 256 && raw[end] != '\x1b' && safe_text(raw.substr(0, end + 1)).empty())
      ++end;
    return end;
  }

  std::string shown_;
  int column_ = 0;
};

}  // namespace

std::string last_states(std::string_view output) {
  std::string out;
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    std::string_view line = output.substr(at, end - at);
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_of("\r\b") == line.npos)
      out += line;
    else
      out += Line().played(line);
    if (end < output.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace tern
