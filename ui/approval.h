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
  Taken key(const KeyPress& press);
  const Answer& answer() const { return answer_; }

  Rows rows(int width, int height, bool listening);

 private:
  void settle(Verdict verdict);
  std::string title() const;

  bool open_ = false, trust_ = false, end_shown_ = false, amending_ = false;
  PermissionAsked asked_;
  std::int64_t opened_ms_ = 0;
  std::size_t top_ = 0, body_lines_ = 0, body_page_ = 1;
  int selected_ = 0;
  Composer note_;
  Answer answer_;
};

}  // namespace tern
