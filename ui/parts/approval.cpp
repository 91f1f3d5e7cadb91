#include "ui/parts/approval.h"

#include <algorithm>
#include <utility>

namespace tern {
namespace {

constexpr std::int64_t idle_ms = 1'000, settle_ms = 350;
}  // namespace

void Approval::open(const PermissionAsked& asked, std::int64_t now_ms) {
  *this = {};
  open_ = true;
  asked_ = asked;
  opened_ms_ = now_ms;
  offer();
}

void Approval::open(const TrustAsked& asked, std::int64_t now_ms) {
  PermissionAsked same;
  same.id = asked.id;
  same.title = "Do you trust this folder?";
  same.body = asked.folder + (asked.what.empty() ? "" : "\n" + asked.what);
  same.reason = "tern won't run or read anything here until you trust this folder.";
  open(same, now_ms);
  kind_ = Kind::trust;
  offer();
}

void Approval::open(const QuestionAsked& asked, std::int64_t now_ms) {
  const bool plan = asked.kind == QuestionAsked::Kind::plan;
  PermissionAsked same;
  same.id = asked.id;
  same.title = plan ? "Plan" : "Question";
  same.body = asked.text;
  open(same, now_ms);
  kind_ = plan ? Kind::plan : Kind::question;
  options_ = asked.options;
  own_words_ = asked.own_words;
  offer();
}

void Approval::set_text(std::string text) {
  edited_ |= text != asked_.body;
  asked_.body = std::move(text);
  body_width_ = -1;
  selected_ = 0;
}

void Approval::offer() {
  switch (kind_) {
    case Kind::permission: choices_ = permission_choices(asked_, for_project_); break;
    case Kind::trust: choices_ = trust_choices(); break;
    case Kind::question: choices_ = question_choices(options_, own_words_); break;
    case Kind::plan: choices_ = plan_choices(); break;
  }
}

void Approval::close() { open_ = false; }

bool Approval::listens(std::int64_t now_ms, std::int64_t last_key_ms) const {
  return open_ && (amending_ || (now_ms - last_key_ms >= idle_ms && now_ms - opened_ms_ >= settle_ms));
}

std::int64_t Approval::listens_at(std::int64_t last_key_ms) const {
  return open_ ? std::max(last_key_ms + idle_ms, opened_ms_ + settle_ms) : 0;
}

void Approval::settle(const DialogChoice& choice) {
  const bool said = choice.does == DialogChoice::Does::write;
  const bool changed = edited_ && choice.verdict != Verdict::no;
  answer_ = {asked_.id, choice.verdict,
             said      ? note_.text()
             : changed ? asked_.body
                       : std::string(),
             choice.picked};
  open_ = false;
}

bool Approval::paste(std::string_view text) {
  if (open_ && amending_) note_.paste(text);
  return open_ && amending_;
}

void Approval::scroll(int rows) {
  const long to = static_cast<long>(top_) + rows;
  top_ = static_cast<std::size_t>(std::clamp<long>(to, 0, static_cast<long>(last_top_)));
}

Approval::Taken Approval::note_key(const KeyPress& press) {
  if (press.key == Key::escape || (press.key == Key::character && press.ctrl && press.text == "c"))
    amending_ = false;
  else if (press.key != Key::enter)
    note_.key(press);
  else if (kind_ != Kind::question || !note_.empty())  // no answer is none
    settle(choices_[selected_]);
  return open_ ? Taken::yes : Taken::answered;
}

Approval::Taken Approval::choose(std::size_t index) {
  const DialogChoice& choice = choices_[index];
  const bool seen = all_shown_ || index == selected_;
  selected_ = index;
  if (choice.verdict == Verdict::yes_remember && !seen) return Taken::yes;  // now it is on the screen in full
  if (choice.does == DialogChoice::Does::write) {
    amending_ = true;
    return Taken::yes;
  }
  if (choice.does == DialogChoice::Does::edit) return Taken::edit;
  settle(choice);
  return Taken::answered;
}

// A number or a letter of one of the choices.
Approval::Taken Approval::pick(char letter) {
  for (std::size_t i = 0; i < choices_.size(); ++i)
    if (choices_[i].letter == std::string(1, letter) || letter == static_cast<char>('1' + i))
      return choose(i);
  return Taken::no;
}

Approval::Taken Approval::write_words() {
  const auto own = [](const DialogChoice& choice) { return choice.does == DialogChoice::Does::write; };
  const auto found = std::find_if(choices_.begin(), choices_.end(), own);
  return found == choices_.end() ? Taken::yes : choose(static_cast<std::size_t>(found - choices_.begin()));
}

Approval::Taken Approval::key(const KeyPress& press) {
  if (amending_) return note_key(press);
  if (press.key == Key::character && !press.ctrl && !press.alt) {
    if (press.text.size() != 1) return Taken::no;
    if (press.text != "f") return pick(press.text[0]);
    full_ = !full_;
    return Taken::yes;
  }
  switch (press.key) {
    case Key::escape:
      if (std::exchange(full_, false)) return Taken::yes;
      reject();
      return Taken::answered;
    case Key::enter: return choose(selected_);
    case Key::up: selected_ -= selected_ > 0; return Taken::yes;
    case Key::down: selected_ += selected_ + 1 < choices_.size(); return Taken::yes;
    case Key::left:
    case Key::right:
      if (!has_scopes(asked_)) return Taken::no;
      for_project_ = !for_project_;
      offer();
      return Taken::yes;
    case Key::page_up: scroll(-static_cast<int>(page_)); return Taken::yes;
    case Key::page_down: scroll(static_cast<int>(page_)); return Taken::yes;
    case Key::tab: return write_words();
    default: return Taken::no;
  }
}

}  // namespace tern
