// Server-sent events out of bytes: incremental, pure, the same events however the bytes are cut. Also reads
// plain lines (one JSON object per line), where every line that is not blank is an event without a name.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tern {

class SseParser {
 public:
  enum class Form { events, lines };
  using OnEvent = std::function<void(std::string_view name, std::string_view data)>;

  explicit SseParser(Form form = Form::events, std::size_t limit = 16u << 20) : form_(form), limit_(limit) {}

  // The views given to `on_event` live until it returns. An event unfinished at the end of the stream is
  // never given.
  void feed(std::string_view chunk, const OnEvent& on_event);
  // An event or line grew past the limit: the stream cannot be trusted any more and feed() ignores the rest.
  bool broken() const { return broken_; }
  std::string_view last_id() const { return id_; }  // of the last event that named one
  int retry() const {
    return retry_;
  }  // milliseconds before a new try, as the server wants it; −1: it did not say

 private:
  void line(std::string_view text, const OnEvent& on_event);
  void field(std::string_view name, std::string_view value);
  void add_data(std::string_view value);
  void dispatch(const OnEvent& on_event);
  void keep_views();

  Form form_;
  std::size_t limit_;
  std::string tail_;  // a line whose end has not come yet
  std::string name_, data_, id_;
  std::string_view view_;  // the data while it is one line inside the current chunk
  int retry_ = -1;
  bool has_data_ = false, in_view_ = false, skip_lf_ = false, first_ = true, broken_ = false;
};

}  // namespace tern
