// How the dialog that asks is drawn.
#include <algorithm>
#include <utility>

#include "compression/values/tool_kinds.h"
#include "ui/parts/approval.h"
#include "ui/parts/rows.h"
#include "ui/text/format.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

Rows wrapped(std::string_view safe, int width, Style style = {}) {
  Rows rows;
  wrap_text(rows, safe, width, {.text = style});
  return rows;
}

// Changed lines of a diff. A file that is new has only what it will hold.
struct Changed {
  int added = 0, removed = 0;
  bool fresh = false;
};
Changed changed_lines(std::string_view diff) {
  Changed count;
  bool in_hunk = false;
  for (std::size_t at = 0; at < diff.size();) {
    const std::size_t end = std::min(diff.find('\n', at), diff.size());
    const std::string_view line = diff.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("@@")) {
      in_hunk = true;
      count.fresh |= line.starts_with("@@ -0,0 ");
    } else if (in_hunk && line.starts_with("+")) {
      ++count.added;
    } else if (in_hunk && line.starts_with("-")) {
      ++count.removed;
    }
  }
  return count;
}

}  // namespace

// The command is below in full, with what it expands to behind it: it is not said twice.
std::string Approval::title() const {
  if (is_own_shell(asked_.tool)) return "Run";
  const std::string safe = safe_text(asked_.title, Lines::one), body = safe_text(asked_.body, Lines::one);
  const std::size_t blank = safe.find(' ');
  const bool twice =
      asked_.diff.empty() && blank != safe.npos && body.starts_with(std::string_view(safe).substr(blank + 1));
  return twice && kind_ == Kind::permission ? "Allow " + safe_text(asked_.tool, Lines::one) : safe;
}

std::string Approval::size() const {
  const Changed count = changed_lines(asked_.diff);
  if (count.fresh && count.removed == 0) return plural(count.added, "line");
  std::string text;
  if (count.added > 0) text = "+" + std::to_string(count.added);
  if (count.removed > 0) text += (text.empty() ? "−" : " −") + std::to_string(count.removed);
  return text;
}

// Built once per width: a diff of 60,000 lines is too much for every key and every tick of the clock.
const Rows& Approval::body(int width) {
  if (body_width_ != width) {
    // A diff says all that the parameters would say.
    if (kind_ == Kind::question || kind_ == Kind::plan)
      body_ = markdown_rows(safe_text(asked_.body), std::min(width, longest_prose));
    else if (asked_.diff.empty())
      body_ = wrapped(safe_command(asked_.body), width, Style{.bold = kind_ == Kind::permission});
    else
      body_ = diff_rows(asked_.diff, asked_.title, width);
    body_width_ = width;
  }
  return body_;
}

// All of them in full; where `most` rows cannot hold that, the selected one in full and the others in a row
// each, or it alone.
Rows Approval::choice_rows(int width, std::size_t most) {
  int widest = 0;
  for (const DialogChoice& choice : choices_) widest = std::max(widest, tern::width(choice.text) + 3);
  const auto made = [&](bool all, bool others) {
    Rows rows;
    for (std::size_t index = 0; index < choices_.size(); ++index) {
      const bool here = index == selected_;
      if (!here && !others) continue;
      const DialogChoice& choice = choices_[index];
      const std::string letter = choice.letter.empty() ? "" : " (" + choice.letter + ")";
      std::string text = std::to_string(index + 1) + ". " + choice.text;
      if (!here && !all) text = shorten(text, width - 2 - static_cast<int>(letter.size()));
      const Style style = here ? Style{.fg = Colour::accent, .bold = true} : Style{};
      RowBuilder built;
      built.add(text, style).add(letter, muted);
      if (!choice.help.empty() && (here || all))
        built.fill_to(std::min(widest + 2, width / 2)).add("  ").add(choice.help, muted);
      const Row row = built.take();
      wrap_into(rows, row, width, here ? "❯ " : "  ", "     ", Style{.fg = Colour::accent, .bold = true});
    }
    return rows;
  };
  Rows rows = made(true, true);
  all_shown_ = rows.size() <= most;
  if (rows.size() > most) rows = made(false, true);
  if (rows.size() > most) rows = made(false, false);
  return rows;
}

// Around the caret: the end of what is written is what one wants to see.
Rows Approval::note_rows(int width, int most) const {
  const std::string_view asks = kind_ == Kind::question ? "  Your answer: "
                                : kind_ == Kind::plan   ? "  What should be different: "
                                                        : "  Tell tern what to do instead: ";
  const std::string_view label = width < 50 && kind_ == Kind::permission ? "  Instead: " : asks;
  const int column = tern::width(label);
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

std::string_view Approval::refusal() const {
  switch (kind_) {
    case Kind::trust: return "leave";
    case Kind::question: return "close";
    case Kind::plan: return "keep planning";
    case Kind::permission: break;
  }
  return "reject";
}

Row Approval::key_row(int width, bool listening) const {
  if (amending_) return key_hints({{"enter", "send"}, {"esc", "back"}}, width);
  if (!listening) return key_hints({{"", "waiting for you to stop typing"}, {"esc", refusal()}}, width);
  if (full_) return key_hints({{"enter", "choose"}, {"pgup pgdn", "scroll"}, {"f", "smaller"}}, width);
  std::vector<KeyHint> hints = {{"enter", "choose"}, {"esc", refusal()}};
  if (has_scopes(asked_)) hints.push_back({"←→", for_project_ ? "this session only" : "for this project"});
  return key_hints(hints, width);
}

// A page of it, and how much there is elsewhere. Of a command that does not fit the end shows as well, where
// the danger may be.
void Approval::add_body(Rows& rows, const Rows& all, int width) const {
  const std::size_t end = std::min(all.size(), top_ + page_);
  const std::size_t tail =
      kind_ == Kind::permission && asked_.diff.empty() && top_ == 0 && last_top_ > 0 ? page_ / 2 : 0;
  for (std::size_t i = top_; i < end - tail; ++i) rows.push_back(all[i]);
  if (last_top_ > 0 && more_) {
    const std::size_t below = all.size() - end;
    const std::string more =
        "… " + (below > 0 ? plural(static_cast<std::int64_t>(below), "more line") : std::string("end"));
    RowBuilder row;
    row.add(more + " · ", muted).add(below == 0 ? "pgup" : top_ > 0 ? "pgup pgdn" : "pgdn");
    if (!full_ && width >= 44) row.add(" · ", muted).add("f").add(" full screen", muted);
    Row made = row.take();
    if (tern::width(made.text) > width) made = RowBuilder().add(shorten(more, width), muted).take();
    rows.push_back(std::move(made));
  }
  for (std::size_t i = all.size() - tail; i < all.size(); ++i) rows.push_back(all[i]);
}

// Where a diff that does not fit begins: with the row above the first change, unless that is on the first
// page anyway.
std::size_t Approval::first_change(const Rows& all) const {
  const auto changed =
      std::find_if(all.begin(), all.end(), [](const Row& row) { return row.fill != Colour::none; });
  const auto at = static_cast<std::size_t>(changed - all.begin());
  return changed == all.end() || at + 1 < page_ ? 0 : at - std::min<std::size_t>(at, 1);
}

Approval::Look Approval::look(int width, int height, bool listening) {
  const auto most = static_cast<std::size_t>(std::max(1, height));
  const bool tight = height < 10;  // the choices must stay on the screen, then the body, then the reason
  const Rows note = amending_ ? note_rows(width, tight ? 1 : 3) : Rows();
  const Rows& all = body(std::max(4, width));
  const std::size_t wanted = most < 5   ? 1
                             : most < 7 ? 2
                             : tight    ? 4
                                        : 6;  // of the body, and how much more there is
  const std::size_t least = std::min(wanted, all.size() + 1);
  Rows chosen = choice_rows(width, std::max<std::size_t>(1, most - std::min(most, least + note.size())));
  append(chosen, note);
  const Colour colour = asked_.danger ? Colour::bad : Colour::muted;
  // "writes src/a.cpp" below "Edit src/a.cpp" would say it twice.
  const bool told = "writes " + asked_.title.substr(asked_.title.find(' ') + 1) == asked_.reason;
  const std::string why = told ? "" : safe_text(asked_.reason, Lines::one);
  Rows reason = why.empty() ? Rows() : wrapped(why, width, Style{.fg = colour});
  const auto crowded = [&] {
    return tight &&
           chosen.size() + reason.size() + (asked_.danger ? std::min(all.size(), least) : all.size()) > most;
  };
  if (crowded() && !why.empty()) reason = wrapped(shorten(why, width), width, Style{.fg = colour});
  if (crowded()) reason.clear();

  std::size_t others = reason.size() + chosen.size() + (tight ? 0 : 1);
  more_ = others + all.size() > most && others + 2 <= most;
  if (more_) ++others;
  page_ = std::max<std::size_t>(1, most - std::min(most, others));
  last_top_ = all.size() > page_ ? all.size() - page_ : 0;
  if (!placed_) top_ = first_change(all);
  placed_ = true;
  top_ = std::min(top_, last_top_);

  Look made;
  made.rows = std::move(reason);
  add_body(made.rows, all, width);
  if (!tight) made.rows.emplace_back();
  append(made.rows, std::move(chosen));
  const bool talk = kind_ == Kind::question || kind_ == Kind::plan;
  const Colour loud = asked_.danger ? Colour::bad : talk ? Colour::accent : Colour::warn;
  made.title = RowBuilder().add(shorten(title(), width - 2), Style{.fg = loud, .bold = true}).take();
  made.size = RowBuilder().add(size(), muted).take();
  made.keys = key_row(width, listening);
  made.colour = loud;
  return made;
}

}  // namespace tern
