// The dialog that asks: for permission with the whole command or diff, for trust, the model's question, or a
// plan to approve. It takes no key while somebody is typing. Pure over (asked, keys, time); the screen draws
// look() and the loop sends what key() returns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/protocol/event.h"
#include "ui/parts/composer.h"
#include "ui/parts/dialog_choices.h"
#include "ui/terminal/frame.h"
#include "ui/text/style.h"

namespace tern {

class Approval {
 public:
  void open(const PermissionAsked& asked, std::int64_t now_ms);
  void open(const TrustAsked& asked, std::int64_t now_ms);
  void open(const QuestionAsked& asked, std::int64_t now_ms);
  void close();
  bool is_open() const { return open_; }
  bool full() const { return open_ && full_; }  // takes the whole screen
  std::uint64_t id() const { return asked_.id; }

  // Keys belong to the composer until input was idle for a second and the dialog has been on screen for a
  // moment.
  bool listens(std::int64_t now_ms, std::int64_t last_key_ms) const;
  // When listens() may change, for the loop's timer; 0 = never by itself.
  std::int64_t listens_at(std::int64_t last_key_ms) const;

  enum class Taken { no, yes, answered, edit };
  // no: the key is the composer's. answered: answer() holds what to send. edit: text() goes to an editor, and
  // back by set_text().
  Taken key(const KeyPress& press);
  void scroll(int rows);
  bool paste(std::string_view text);  // into the reason that is being written; false: none is
  const Answer& answer() const { return answer_; }
  const std::string& text() const { return asked_.body; }
  void set_text(std::string text);

  struct Look {
    Rows rows;  // no wider than asked for; no more than asked for where that can be
    Row title, size, keys;
    Colour colour = Colour::warn;
  };
  Look look(int width, int height, bool listening);

 private:
  enum class Kind { permission, trust, question, plan };
  Taken choose(std::size_t index);
  Taken pick(char letter);
  Taken write_words();
  void offer();  // fills choices_
  void settle(const DialogChoice& choice);
  void reject() { settle({.text = {}, .help = {}, .verdict = Verdict::no}); }
  Taken note_key(const KeyPress& press);
  std::string_view refusal() const;  // what Esc does
  std::string title() const;
  std::string size() const;
  const Rows& body(int width);
  std::size_t first_change(const Rows& all) const;
  void add_body(Rows& rows, const Rows& all, int width) const;
  Rows choice_rows(int width, std::size_t most);
  Rows note_rows(int width, int most) const;
  Row key_row(int width, bool listening) const;

  Kind kind_ = Kind::permission;
  bool open_ = false, full_ = false, amending_ = false, more_ = false, placed_ = false;
  bool for_project_ = false;  // how long an "always" is to hold
  bool all_shown_ = false;    // every choice in full; else the selected one is
  bool edited_ = false;       // the plan is the user's version of it
  PermissionAsked asked_;     // … or what stands for one
  std::vector<QuestionOption> options_;
  bool own_words_ = true;
  std::int64_t opened_ms_ = 0;
  std::size_t top_ = 0, last_top_ = 0, page_ = 1;  // of the body, as it was drawn last
  DialogChoices choices_;
  std::size_t selected_ = 0;
  Rows body_;
  int body_width_ = -1;
  Composer note_;
  Answer answer_;
};

}  // namespace tern
