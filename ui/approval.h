// The permission dialog: the whole command or diff, why it asks, three answers. It takes no key while somebody is typing.
// Pure over (asked, keys, time); the screen draws rows() and the loop sends what key() returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/event.h"
#include "ui/composer.h"
#include "ui/style.h"

namespace tern {

class Approval {
 public:
  void open(const PermissionAsked& asked, std::int64_t now_ms);
  void open(const TrustAsked& asked, std::int64_t now_ms);
  void close();
  bool is_open() const { return open_; }
  std::uint64_t id() const { return asked_.id; }

  // Keys belong to the composer until input was idle for a second and the dialog has been on screen for a moment.
  bool listens(std::int64_t now_ms, std::int64_t last_key_ms) const;
  // When listens() may change, for the loop's timer; 0 = never by itself.
  std::int64_t listens_at(std::int64_t last_key_ms) const;

  enum class Taken { no, yes, answered };
  // no: the key is the composer's. answered: answer() holds what to send.
  Taken key(const KeyPress& press, std::int64_t now_ms);
  bool paste(std::string_view text);  // into the reason that is being written; false: none is
  const Answer& answer() const { return answer_; }

  Rows rows(int width, int height, bool listening);  // no wider than `width`; no more than `height` where that can be

 private:
  void settle(Verdict verdict);
  Taken note_key(const KeyPress& press);
  std::string title() const;
  const Rows& body(int width);
  Rows choices(int width, std::size_t most);
  Rows note_rows(int width, int most) const;
  Row last_line(int width, bool listening) const;

  bool open_ = false, trust_ = false, end_shown_ = false, amending_ = false, grant_shown_ = false;
  PermissionAsked asked_;
  std::int64_t opened_ms_ = 0, paged_ms_ = -10'000;  // paged: a yes that came before the end was shown
  std::size_t top_ = 0, body_lines_ = 0, body_page_ = 1;
  int selected_ = 0;
  Rows body_;
  int body_width_ = -1;
  Composer note_;
  Answer answer_;
};

}  // namespace tern
