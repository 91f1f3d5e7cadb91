#include "agent/models/sse.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tern {
namespace {

// Finds line ends in one pass: each of LF and CR is looked up again only when the last one found was passed.
class LineEnds {
 public:
  explicit LineEnds(std::string_view text) : text_(text), lf_(text.find('\n')), cr_(text.find('\r')) {}

  std::size_t after(std::size_t from) {
    if (lf_ != text_.npos && lf_ < from) lf_ = text_.find('\n', from);
    if (cr_ != text_.npos && cr_ < from) cr_ = text_.find('\r', from);
    return std::min(lf_, cr_);
  }

 private:
  std::string_view text_;
  std::size_t lf_, cr_;
};

}  // namespace

void SseParser::feed(std::string_view chunk, const OnEvent& on_event) {
  if (skip_lf_ && !chunk.empty()) {
    if (chunk.front() == '\n') chunk.remove_prefix(1);
    skip_lf_ = false;
  }
  LineEnds ends(chunk);
  std::size_t at = 0;
  while (!broken_) {
    const auto end = ends.after(at);
    if (end == chunk.npos) break;
    if (tail_.empty()) {
      line(chunk.substr(at, end - at), on_event);
    } else {
      tail_ += chunk.substr(at, end - at);
      const std::string whole = std::exchange(tail_, {});
      line(whole, on_event);
      keep_views();
    }
    at = end + 1;
    if (chunk[end] == '\r' && at == chunk.size()) skip_lf_ = true;
    if (chunk[end] == '\r' && at < chunk.size() && chunk[at] == '\n') ++at;
  }
  tail_ += chunk.substr(std::min(at, chunk.size()));
  keep_views();
  if (tail_.size() + data_.size() > limit_) broken_ = true;
  if (broken_) tail_.clear(), data_.clear();
}

void SseParser::line(std::string_view text, const OnEvent& on_event) {
  if (std::exchange(first_, false) && text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (form_ == Form::lines) {
    if (text.find_first_not_of(" \t") != text.npos) on_event({}, text);
    return;
  }
  if (text.empty()) return dispatch(on_event);
  const auto colon = text.find(':');
  if (colon == 0) return;
  std::string_view value = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  field(text.substr(0, colon), value);
}

void SseParser::field(std::string_view name, std::string_view value) {
  if (name == "data") add_data(value);
  if (name == "event") name_ = value;
  if (name == "id") id_ = value;
  if (name == "retry") std::from_chars(value.data(), value.data() + value.size(), retry_);
}

void SseParser::add_data(std::string_view value) {
  if (!has_data_) {
    view_ = value, in_view_ = true, has_data_ = true;
    return;
  }
  keep_views();
  data_ += '\n';
  data_ += value;
  if (data_.size() > limit_) broken_ = true;
}

void SseParser::dispatch(const OnEvent& on_event) {
  if (has_data_) on_event(name_, in_view_ ? view_ : std::string_view(data_));
  has_data_ = in_view_ = false;
  name_.clear(), data_.clear();
}

// The chunk is about to go away (or a line buffer was): what only pointed into it is copied.
void SseParser::keep_views() {
  if (in_view_) data_ = view_, in_view_ = false;
}

}  // namespace tern
