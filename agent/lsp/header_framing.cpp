#include "agent/lsp/header_framing.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <utility>

namespace tern {
namespace {

constexpr std::string_view kLength = "content-length:";
constexpr std::size_t kLongestHeader = 4'096;

class HeaderSplitter {
 public:
  explicit HeaderSplitter(std::size_t limit) : limit_(limit) {}

  void feed(std::string_view bytes, const LineSplitter::Lines& messages) {
    while (!bytes.empty())
      if (!in_body_)
        take_header(bytes);
      else
        take_body(bytes, messages);
  }

 private:
  void take_header(std::string_view& bytes) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() < kLongestHeader) line_ += part;
    bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
    if (end == bytes.npos) return;
    if (line_.ends_with('\r')) line_.pop_back();
    if (line_.empty()) {
      in_body_ = has_length_;
      has_length_ = false;
    } else if (line_.size() > kLength.size() &&
               ::strncasecmp(line_.c_str(), kLength.data(), kLength.size()) == 0) {
      const std::size_t digit = line_.find_first_not_of(' ', kLength.size());
      const char* from = line_.data() + std::min(digit, line_.size());
      has_length_ = std::from_chars(from, line_.data() + line_.size(), left_).ec == std::errc();
    }
    line_.clear();
    if (in_body_) begin_body();
  }

  void begin_body() {
    too_long_ = left_ > limit_;
    body_.clear();
    if (!too_long_) body_.reserve(left_);
    in_body_ = left_ > 0;
  }

  void take_body(std::string_view& bytes, const LineSplitter::Lines& messages) {
    const std::string_view part = bytes.substr(0, left_);
    if (!too_long_) body_ += part;
    left_ -= part.size();
    bytes.remove_prefix(part.size());
    if (left_ > 0) return;
    in_body_ = false;
    if (too_long_)
      messages.too_long({}, {});
    else
      messages.whole(std::exchange(body_, {}));
  }

  std::size_t limit_, left_ = 0;
  std::string line_, body_;
  bool in_body_ = false, has_length_ = false, too_long_ = false;
};

}  // namespace

StdioFraming header_framing(std::size_t limit) {
  const auto splitter = std::make_shared<HeaderSplitter>(limit);
  return {.feed = [splitter](std::string_view bytes,
                             const LineSplitter::Lines& messages) { splitter->feed(bytes, messages); },
          .frame =
              [](const std::string& message) {
                return "Content-Length: " + std::to_string(message.size()) + "\r\n\r\n" + message;
              }};
}

}  // namespace tern
