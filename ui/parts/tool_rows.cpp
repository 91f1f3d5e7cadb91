// What a tool did, as rows: one line that says what, to what and with what result, then its diff or the end
// of its output.
#include <algorithm>
#include <string>

#include "compression/text/command_result.h"
#include "compression/text/last_screen.h"
#include "compression/values/text_ends.h"
#include "compression/values/tool_kinds.h"
#include "ui/parts/rows.h"
#include "ui/text/ansi_text.h"
#include "ui/text/format.h"
#include "ui/text/links.h"
#include "ui/text/progress.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};
constexpr std::string_view rail = "  │ ";

// The end of the output, where commands say what happened. Scans only what it shows, plus one count of the
// rest.
std::string_view last_lines(std::string_view text, std::size_t lines, std::size_t& hidden) {
  std::size_t at = text.size();
  for (std::size_t n = 0; n < lines && at != text.npos; ++n)
    at = at == 0 ? text.npos : text.rfind('\n', at - 1);
  if (at == text.npos) return text;
  hidden = static_cast<std::size_t>(
               std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
           1;
  if (const std::size_t left_out = lines_left_out(text.substr(0, at + 1)); left_out > 0)
    hidden += left_out - 1;  // less the line that says so
  return text.substr(at + 1);
}

class ToolRows {
 public:
  ToolRows(const ToolCell& body, const RowOptions& options, Tier left, bool open)
      : body_(body), options_(options), left_(left), open_(open) {}

  Rows run() {
    if (!open_ && body_.in_run) return {};
    if (!open_ && body_.run != Explored{}) {
      explored();
      return std::move(rows_);
    }
    headline();
    const int inside = std::max(16, options_.width - 4);
    if (proposes_plan(body_.tool) && !body_.diff.empty())
      append(rows_, folded(markdown_rows(safe_text(body_.diff), std::min(inside, longest_prose)), 12, open_));
    else if (!body_.diff.empty())
      append(rows_, folded(diff_rows(body_.diff, body_.subject, inside), 12, open_));
    else if (shows_output())
      output();
    return std::move(rows_);
  }

 private:
  bool refused() const {
    return body_.is_error && (body_.end == CallEnd::rejected || body_.end == CallEnd::blocked);
  }

  bool own() const { return body_.label == own_command_label; }

  // What a call answered that was refused, or went to the background, is meant for the model: the note says
  // it to people.
  bool shows_output() const {
    if (refused() || in_background()) return false;
    if (body_.running && !body_.tail.empty()) return true;
    return runs_commands(body_.tool) || body_.is_error;
  }

  bool in_background() const { return body_.end == CallEnd::background; }

  std::string padded(std::string label) const {
    if (options_.width >= 60) label.resize(std::max<std::size_t>(label.size(), 8), ' ');
    return label + (options_.width >= 60 ? "  " : " ");
  }

  void explored() {
    const Explored& run = body_.run;
    std::string what;
    if (run.files > 0) what = plural(run.files, "file");
    if (run.searches > 0)
      what += (what.empty() ? "" : ", ") + std::to_string(run.searches) +
              (run.searches == 1 ? " search" : " searches");
    rows_.push_back(
        RowBuilder()
            .gutter(run.running ? "◌ " : "● ", Style{.fg = run.running ? Colour::warn : Colour::agent})
            .add(padded(run.running ? "Explore" : "Explored"), Style{.bold = true})
            .add(what)
            .add(" · ctrl-o", muted)
            .take());
  }

  void headline() {
    std::string_view glyph = "● ";
    Style state{.fg = Colour::agent};
    if (body_.running)
      glyph = "◌ ", state.fg = Colour::warn;
    else if (refused())
      glyph = "⊘ ", state.fg = Colour::warn;
    else if (body_.is_error)
      glyph = "✗ ", state.fg = Colour::bad;
    RowBuilder line;
    line.gutter(glyph, state);
    line.add(padded(safe_text(body_.label.empty() ? body_.tool : body_.label, Lines::one)),
             Style{.bold = true});
    std::string tail;
    if (!body_.note.empty()) tail += (body_.subject.empty() ? "" : " · ") + safe_text(body_.note, Lines::one);
    if (in_background()) tail += " · /tasks";
    const std::string mark = left_mark();
    const int room = options_.width - line.columns() - width(tail) - width(mark);
    line.add(shorten(safe_text(body_.subject, Lines::one), std::max(12, room)),
             Style{.link = file_link(body_.file)});
    line.add(tail, body_.is_error ? state : muted).add(mark, Style{.fg = Colour::accent, .dim = true});
    Row row = line.take();
    if (width(row.text) <= options_.width)
      rows_.push_back(std::move(row));
    else
      wrap_into(rows_, row, options_.width, "", "  ");
  }

  std::string left_mark() const {
    const std::string id = body_.recall ? " (" + to_string(body_.recall) + ")" : "";
    if (left_ == Tier::micro || body_.form == ResultForm::compacted) return " ◇ compacted" + id;
    if (left_ == Tier::compact) return " ◇ summarized" + id;
    if (left_ == Tier::truncate) return " ◇ dropped from context" + id;
    if (body_.form == ResultForm::snipped) return " ✂ shortened" + id;
    return {};
  }

  void output() {
    const bool live = body_.running;
    const std::string& whole = live ? body_.tail : body_.output;
    const std::string screen = goes_back_up(whole) ? last_screen(whole) : std::string();
    std::string_view text = without_last_newline(screen.empty() ? whole : screen);
    if (body_.exit_status) text = without_exit(text, *body_.exit_status);
    if (text.empty()) return;
    const auto lines = static_cast<std::size_t>(live    ? options_.live_lines
                                                : open_ ? 100'000
                                                : own() ? options_.own_lines
                                                        : options_.folded_lines);
    std::size_t hidden = 0;
    text = last_lines(text, lines, hidden);
    Rows inner;
    for (const Row& row : ansi_rows(last_states(text), muted))
      wrap_into(inner, row, std::max(16, options_.width - 4));
    if (!open_ && inner.size() > lines * 3) {
      hidden += 1;
      inner.erase(inner.begin(), inner.end() - static_cast<std::ptrdiff_t>(lines * 3));
    }
    if (hidden > 0 && !live)
      rows_.push_back(RowBuilder().gutter(rail, muted).add(more_lines(hidden, "earlier"), muted).take());
    for (const Row& row : inner) rows_.push_back(indented(row, rail, muted));
  }

  const ToolCell& body_;
  RowOptions options_;
  Tier left_;
  bool open_;
  Rows rows_;
};

}  // namespace

Rows tool_rows(const ToolCell& body, const RowOptions& options, Tier left_context, bool open) {
  return ToolRows(body, options, left_context, open).run();
}

}  // namespace tern
