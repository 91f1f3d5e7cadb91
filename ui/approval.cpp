#include "ui/approval.h"

#include <algorithm>

#include "ui/format.h"
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
  return open_ && (amending_ || (now_ms - last_key_ms >= idle_ms && now_ms - opened_ms_ >= settle_ms));
}

std::int64_t Approval::listens_at(std::int64_t last_key_ms) const {
  return open_ ? std::max(last_key_ms + idle_ms, opened_ms_ + settle_ms) : 0;
}

void Approval::settle(Verdict verdict) {
  answer_ = {asked_.id, verdict, verdict == Verdict::no ? note_.text() : std::string()};
  open_ = false;
}

bool Approval::paste(std::string_view text) {
  if (open_ && amending_) note_.paste(text);
  return open_ && amending_;
}

Approval::Taken Approval::note_key(const KeyPress& press) {
  if (press.key == Key::escape || (press.key == Key::character && press.ctrl && press.text == "c"))
    amending_ = false;
  else if (press.key == Key::enter)
    settle(Verdict::no);
  else
    note_.key(press);
  return open_ ? Taken::yes : Taken::answered;
}

Approval::Taken Approval::key(const KeyPress& press, std::int64_t now_ms) {
  if (amending_) return note_key(press);
  const bool plain = press.key == Key::character && !press.ctrl && !press.alt;
  const bool remember = !asked_.remember.empty();
  const auto choose = [&](int option) {
    // Nobody approves what has not been on screen, nor with the key that is still held down from reading.
    if (option < 2 && (!end_shown_ || now_ms - paged_ms_ < settle_ms)) {
      top_ = std::min(top_ + body_page_, body_lines_);
      paged_ms_ = now_ms;
      return Taken::yes;
    }
    if (option == 1 && !grant_shown_) {  // … nor a grant that had no room: selected, it has
      selected_ = 1;
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
    case Key::page_down:
      top_ += body_page_;
      paged_ms_ = -10'000;
      return Taken::yes;
    case Key::tab: amending_ = !trust_; return Taken::yes;
    default: return Taken::no;
  }
}

// The command stands below in full, with what it expands to behind it: it is not said twice.
std::string Approval::title() const {
  const std::string safe = safe_text(asked_.title, Lines::one), body = safe_text(asked_.body, Lines::one);
  const std::size_t blank = safe.find(' ');
  const bool twice = asked_.diff.empty() && blank != safe.npos && body.starts_with(std::string_view(safe).substr(blank + 1));
  return twice ? asked_.tool == "Bash" ? "Run this command?" : "Allow " + safe_text(asked_.tool, Lines::one) + "?" : safe;
}

// Built once per width: a diff of 60,000 lines is too much for every key and every tick of the clock.
const Rows& Approval::body(int width) {
  if (body_width_ != width) {
    // A diff says all that the parameters would say.
    body_ = asked_.diff.empty() ? wrapped(safe_command(asked_.body), width, Style{.bold = true})
                                : diff_rows(asked_.diff, asked_.title, width);
    body_width_ = width;
  }
  return body_;
}

// All of them in full; where `most` rows cannot hold that, the selected one in full and the others in a row each, or it alone.
Rows Approval::choices(int width, std::size_t most) {
  const bool remember = !asked_.remember.empty();
  const std::string no = std::string(remember ? "3" : "2") + (trust_ ? ". No, leave" : ". No, and say what to do instead");
  const std::string options[] = {"1. Yes", "2. Yes, always: " + safe_command(asked_.remember), no};
  const auto made = [&](bool all, bool others) {
    Rows rows;
    for (int index = 0; index < 3; ++index) {
      const bool here = index == selected_;
      if ((index == 1 && !remember) || (!here && !others)) continue;
      const std::string text = here || all ? options[index] : shorten(options[index], width - 2);
      wrap_into(rows, RowBuilder().add(text, here ? Style{.fg = Colour::accent, .bold = true} : Style{}).take(), width,
                here ? "❯ " : "  ", "    ", Style{.fg = Colour::accent});
    }
    return rows;
  };
  Rows rows = made(true, true);
  grant_shown_ = rows.size() <= most;
  if (rows.size() > most) rows = made(false, true);
  if (rows.size() > most) rows = made(false, false);
  grant_shown_ |= selected_ == 1 && rows.size() <= most;
  return rows;
}

// Around the caret: the end of what is written is what one wants to see.
Rows Approval::note_rows(int width, int most) const {
  constexpr std::string_view label = "  say why: ";
  const auto column = static_cast<int>(label.size());
  const Composer::Layout layout = note_.layout(width - column - 1, most);
  Rows rows;
  for (std::size_t i = 0; i < layout.rows.size(); ++i) {
    const std::string_view text = layout.rows[i].text;
    const bool caret = static_cast<int>(i) == layout.caret_y;
    const std::size_t cut = caret ? fit(text, layout.caret_x) : text.size();
    RowBuilder row;
    row.add(i == 0 ? label : std::string_view(), muted).fill_to(column);
    rows.push_back(row.add(text.substr(0, cut)).add(caret ? "▏" : "").add(text.substr(cut)).take());
  }
  return rows;
}

Row Approval::last_line(int width, bool listening) const {
  if (top_ < body_lines_) {
    const std::string more = "  ↓ " + plural(static_cast<std::int64_t>(body_lines_ - top_), "more line");
    return RowBuilder()
        .add(shorten(more + (end_shown_ ? "" : ": read to the end before you can say yes"), width), Style{.fg = Colour::warn})
        .take();
  }
  const std::string keys = !listening  ? "waiting for you to stop typing · esc says no"
                           : amending_ ? "enter sends · esc back"
                                       : std::string(asked_.remember.empty() ? "1 2" : "1 2 3") + " or ↑↓ enter · esc says no";
  return RowBuilder().add(shorten(keys, width), muted).take();
}

Rows Approval::rows(int width, int height, bool listening) {
  constexpr int indent = 2;
  const auto most = static_cast<std::size_t>(std::max(1, height));
  const bool tight = height < 10;  // the choices must stay on the screen, then the keys, the title and the reason
  Rows note = amending_ ? note_rows(width, tight ? 1 : 3) : Rows();
  Rows chosen = choices(width, std::max<std::size_t>(1, most - std::min(most, 1 + note.size())));
  append(chosen, std::move(note));
  Rows head, tail;
  const auto room = [&](std::size_t rows) { return 1 + head.size() + tail.size() + chosen.size() + rows <= most; };
  const bool keys = room(1);
  if (room(2)) head.push_back(RowBuilder().add(shorten(title(), width), Style{.fg = Colour::warn, .bold = true}).take());
  const std::string why = "asks because: " + safe_text(asked_.reason, Lines::one);
  Rows reason = wrapped(tight ? shorten(why, width) : why, width, Style{.fg = Colour::warn});
  if (!asked_.reason.empty() && (!tight || room(1 + reason.size()))) tail = std::move(reason);

  const Rows& all = body(std::max(4, width - indent));
  const std::size_t others = head.size() + tail.size() + chosen.size() + (keys ? 1 : 0) + (tight ? 0 : 2);
  body_page_ = std::max<std::size_t>(tight ? 1 : 3, most - std::min(most, others));
  body_lines_ = all.size() > body_page_ ? all.size() - body_page_ : 0;
  top_ = std::min(top_, body_lines_);
  end_shown_ = end_shown_ || top_ >= body_lines_;
  Rows rows = std::move(head);
  for (std::size_t i = top_; i < all.size() && i < top_ + body_page_; ++i) {
    Row row = RowBuilder().add("  ").take();
    for (Span span : all[i].spans) {
      span.begin += indent;
      row.spans.push_back(span);
    }
    row.text += all[i].text;
    rows.push_back(std::move(row));
  }
  const bool more = top_ < body_lines_;
  if (keys && more) rows.push_back(last_line(width, listening));
  append(rows, std::move(tail));
  if (!tight) rows.emplace_back();
  append(rows, std::move(chosen));
  if (keys && !more) rows.push_back(last_line(width, listening));
  return rows;
}

}  // namespace tern
