#include "ui/approval.h"

#include <algorithm>

#include "ui/rows.h"
#include "ui/text_safe.h"
#include "ui/width.h"

namespace tern {
namespace {

constexpr std::int64_t idle_ms = 1'000, settle_ms = 350;
constexpr Style muted{.fg = Colour::muted};

Rows wrapped(std::string_view safe, int width, Style style = {}) {
  Rows rows;
  for (std::size_t at = 0; at <= safe.size();) {
    const std::size_t end = std::min(safe.find('\n', at), safe.size());
    wrap_into(rows, RowBuilder().add(safe.substr(at, end - at), style).take(), width);
    at = end + 1;
  }
  return rows;
}

void append(Rows& to, Rows from) { std::move(from.begin(), from.end(), std::back_inserter(to)); }

}  // namespace

void Approval::open(const PermissionAsked& asked, std::int64_t now_ms) {
  *this = {};
  open_ = true;
  asked_ = asked;
  opened_ms_ = now_ms;
}

void Approval::open(const TrustAsked& asked, std::int64_t now_ms) {
  PermissionAsked same;
  same.id = asked.id;
  same.title = "Do you trust this folder?";
  same.body = asked.folder + (asked.what.empty() ? "" : "\n" + asked.what);
  same.reason = "nothing of it is run or believed before you say so";
  open(same, now_ms);
  trust_ = true;
}

void Approval::close() { open_ = false; }

bool Approval::listens(std::int64_t now_ms, std::int64_t last_key_ms) const {
  return open_ && now_ms - last_key_ms >= idle_ms && now_ms - opened_ms_ >= settle_ms;
}

std::int64_t Approval::listens_at(std::int64_t last_key_ms) const {
  return open_ ? std::max(last_key_ms + idle_ms, opened_ms_ + settle_ms) : 0;
}

void Approval::settle(Verdict verdict) {
  answer_ = {asked_.id, verdict, verdict == Verdict::no ? note_.text() : std::string()};
  open_ = false;
}

Approval::Taken Approval::key(const KeyPress& press) {
  const bool plain = press.key == Key::character && !press.ctrl && !press.alt;
  if (amending_) {
    if (press.key == Key::escape)
      amending_ = false;
    else if (press.key == Key::enter)
      settle(Verdict::no);
    else
      note_.key(press);
    return open_ ? Taken::yes : Taken::answered;
  }
  const bool remember = !asked_.remember.empty();
  const auto choose = [&](int option) {
    if (option < 2 && !end_shown_) {  // nobody approves what has not been on screen
      top_ = std::min(top_ + body_page_, body_lines_);
      return Taken::yes;
    }
    if (option == 2 && !trust_) {
      amending_ = true;
      return Taken::yes;
    }
    settle(option == 2 ? Verdict::no : option == 0 ? Verdict::yes : Verdict::yes_remember);
    return Taken::answered;
  };
  if (plain && press.text == "1") return choose(0);
  if (plain && press.text == "2" && remember) return choose(1);
  if (plain && (press.text == "3" || (!remember && press.text == "2"))) return choose(2);
  switch (press.key) {
    case Key::escape: settle(Verdict::no); return Taken::answered;
    case Key::enter: return choose(selected_);
    case Key::up:
      if (top_ > 0 && selected_ == 0)
        --top_;
      else if (selected_ > 0)
        selected_ -= selected_ == 2 && !remember ? 2 : 1;
      return Taken::yes;
    case Key::down:
      if (!end_shown_)
        ++top_;
      else if (selected_ < 2)
        selected_ += selected_ == 0 && !remember ? 2 : 1;
      return Taken::yes;
    case Key::page_up: top_ -= std::min(top_, body_page_); return Taken::yes;
    case Key::page_down: top_ += body_page_; return Taken::yes;
    case Key::tab: amending_ = !trust_; return Taken::yes;
    default: return Taken::no;
  }
}

// The command stands below in full: it is not said twice.
std::string Approval::title() const {
  const std::string safe = safe_text(asked_.title, Lines::one);
  const bool twice = asked_.diff.empty() && !asked_.body.empty() && safe.ends_with(" " + safe_text(asked_.body, Lines::one));
  return twice ? asked_.tool == "Bash" ? "Run this command?" : "Allow " + safe_text(asked_.tool, Lines::one) + "?" : safe;
}

Rows Approval::rows(int width, int height, bool listening) {
  const int inner = std::max(10, width - 4);
  // A diff says all that the parameters would say.
  Rows body = asked_.diff.empty() ? wrapped(safe_command(asked_.body), inner, Style{.bold = true})
                                  : diff_rows(asked_.diff, asked_.title, inner);
  Rows tail;
  const bool tight = height < 10;  // the choices must stay on the screen
  if (const std::string why = "asks because: " + safe_text(asked_.reason, Lines::one); !asked_.reason.empty())
    append(tail, wrapped(tight ? shorten(why, inner) : why, inner, Style{.fg = Colour::warn}));
  const bool remember = !asked_.remember.empty();
  const std::string grant = safe_command(asked_.remember);
  const std::pair<std::string, int> options[] = {
      {"1. Yes", 0},
      {"2. Yes, and don't ask again for " + grant, 1},
      {std::string(remember ? "3" : "2") + (trust_ ? ". No, leave" : ". No, and say what to do instead"), 2}};
  Rows choices;
  for (const auto& [text, index] : options) {
    if (index == 1 && !remember) continue;
    const bool here = index == selected_;
    wrap_into(choices, RowBuilder().add(text, here ? Style{.fg = Colour::accent, .bold = true} : Style{}).take(), inner,
              here ? "❯ " : "  ", "    ", Style{.fg = Colour::accent});
  }
  if (amending_) choices.push_back(RowBuilder().add("  say why: ", muted).add(shorten(note_.text() + "▏", inner - 12)).take());
  const std::string keys = !listening  ? "waiting for you to stop typing"
                           : amending_ ? "enter sends · esc back"
                                       : std::string(remember ? "1 2 3" : "1 2") + " or ↑↓ enter · esc says no";

  body_page_ = static_cast<std::size_t>(std::max(tight ? 1 : 3, height - 4 - static_cast<int>(tail.size() + choices.size())));
  body_lines_ = body.size() > body_page_ ? body.size() - body_page_ : 0;
  top_ = std::min(top_, body_lines_);
  end_shown_ = end_shown_ || top_ >= body_lines_;
  Rows rows;
  rows.push_back(RowBuilder().add(shorten(title(), inner), Style{.fg = Colour::warn, .bold = true}).take());
  for (std::size_t i = top_; i < body.size() && i < top_ + body_page_; ++i) {
    Row row = RowBuilder().add("  ").take();
    for (Span span : body[i].spans) {
      span.begin += 2;
      row.spans.push_back(span);
    }
    row.text += body[i].text;
    rows.push_back(std::move(row));
  }
  if (top_ < body_lines_)
    rows.push_back(
        RowBuilder()
            .add(shorten("  ↓ " + std::to_string(body_lines_ - top_) + " more lines: read to the end before you can say yes",
                         inner),
                 Style{.fg = Colour::warn})
            .take());
  append(rows, std::move(tail));
  if (!tight) rows.emplace_back();
  append(rows, std::move(choices));
  if (!tight || top_ >= body_lines_) rows.push_back(RowBuilder().add(keys, muted).take());
  return rows;
}

}  // namespace tern
