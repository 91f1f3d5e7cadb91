#include "agent/mcp/line_splitter.h"

#include <utility>

#include "compression/text/lines.h"

namespace tern {

void LineSplitter::feed(std::string_view bytes, const Lines& lines) {
  while (true) {
    const std::size_t end = bytes.find('\n');
    add(bytes.substr(0, end));
    if (end == bytes.npos) return;
    finish(lines);
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::add(std::string_view part) {
  if (!too_long_ && line_.size() + part.size() <= limit_) {
    line_ += part;
    return;
  }
  if (!too_long_) {
    too_long_ = true;
    tail_ = line_.size() > kept_end ? line_.substr(line_.size() - kept_end) : line_;
    line_ = (line_.substr(0, kept_end) + std::string(part.substr(0, kept_end))).substr(0, kept_end);
    line_.shrink_to_fit();
  }
  tail_ += part.size() > kept_end ? part.substr(part.size() - kept_end) : part;
  if (tail_.size() > kept_end) tail_.erase(0, tail_.size() - kept_end);
}

void LineSplitter::finish(const Lines& lines) {
  std::string line = std::move(line_);
  line_.clear();
  const bool long_one = std::exchange(too_long_, false);
  if (long_one) return lines.too_long(line, tail_);
  if (!trimmed(line).empty()) lines.whole(std::move(line));
}

}  // namespace tern
