#include "ui/rows.h"

#include <algorithm>
#include <string>

#include "compression/last_screen.h"
#include "ui/format.h"
#include "ui/progress.h"
#include "ui/text_safe.h"
#include "ui/width.h"

namespace tern {
namespace {

// Where the next piece of at most `columns` ends, and where the one after begins (the blank between is dropped).
struct Cut {
  std::size_t end = 0, next = 0;
};

Cut cut_at(std::string_view text, std::size_t from, int columns) {
  std::size_t at = from;
  std::size_t blank = 0;
  bool seen_word = false;
  for (int left = columns; at < text.size();) {
    const Cluster cluster = next_cluster(text, at);
    if (cluster.columns > left) {
      if (text[at] == ' ') return {at, at + 1};
      if (blank > from) return {blank, blank + 1};
      return at > from ? Cut{at, at} : Cut{at + cluster.bytes, at + cluster.bytes};
    }
    if (text[at] == ' ' && seen_word) blank = at;
    if (text[at] != ' ') seen_word = true;
    if (cluster.columns == 2 && at > from) blank = 0;  // wide letters may break anywhere: fill the line
    left -= cluster.columns;
    at += cluster.bytes;
  }
  return {at, at};
}

void copy_spans(Row& to, const Row& from, std::size_t begin, std::size_t end) {
  const auto shift = static_cast<std::uint32_t>(to.text.size());
  for (const Span& span : from.spans) {
    const std::size_t first = std::max<std::size_t>(span.begin, begin);
    const std::size_t last = std::min<std::size_t>(span.begin + span.length, end);
    if (first >= last) continue;
    to.spans.push_back({static_cast<std::uint32_t>(first - begin) + shift, static_cast<std::uint32_t>(last - first), span.style});
  }
}

}  // namespace

void wrap_into(Rows& out, const Row& row, int width, std::string_view first, std::string_view rest, Style gutter_style) {
  std::size_t from = 0;
  bool wrapped = false, blank_lost = false;
  do {
    const std::string_view gutter = wrapped ? rest : first;
    RowBuilder builder;
    builder.gutter(gutter, gutter_style);
    Row made = builder.take();
    const Cut cut = cut_at(row.text, from, std::max(1, width - tern::width(gutter)));
    copy_spans(made, row, from, cut.end);
    made.text += row.text.substr(from, cut.end - from);
    made.continued = wrapped;
    made.blank_lost = blank_lost;
    made.link = row.link;
    out.push_back(std::move(made));
    from = cut.next;
    blank_lost = cut.next > cut.end;
    wrapped = true;
  } while (from < row.text.size());
}

namespace {

constexpr Style muted{.fg = Colour::muted};

void wrap_text(Rows& out, std::string_view safe, int width, std::string_view first, std::string_view rest, Style text_style,
               Style gutter_style) {
  bool start = true;
  for (std::size_t at = 0; at <= safe.size();) {
    const std::size_t end = std::min(safe.find('\n', at), safe.size());
    Row line = RowBuilder().add(safe.substr(at, end - at), text_style).take();
    wrap_into(out, line, width, start ? first : rest, rest, gutter_style);
    start = false;
    at = end + 1;
  }
}

std::string_view without_last_newline(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

class CellRows {
 public:
  CellRows(const Cell& cell, const RowOptions& options) : cell_(cell), options_(options) {}

  Rows operator()(const UserCell& body) {
    const Style style{.fg = Colour::user, .bold = false};
    std::string text = safe_text(without_last_newline(body.text));
    if (body.attachments > 0)
      text += (text.empty() ? "" : "\n") + std::string("[") + plural(body.attachments, "attachment") + "]";
    wrap_text(rows_, text, options_.width, "❯ ", "  ", style, Style{.fg = Colour::accent, .bold = true});
    add_left_mark();
    return std::move(rows_);
  }

  Rows operator()(const AssistantCell& body) {
    Rows inner = markdown_rows(safe_text(without_last_newline(body.markdown)), std::max(8, options_.width - 2), body.streaming);
    bool first = true;
    for (Row& row : inner) {
      rows_.push_back(indent(std::move(row), first ? "● " : "  ", Style{.fg = Colour::agent}));
      first = false;
    }
    if (rows_.empty() && body.streaming) rows_.push_back(RowBuilder().gutter("● ", Style{.fg = Colour::agent}).take());
    if (body.interrupted) rows_.push_back(RowBuilder().gutter("  ").add("(cut short)", muted).take());
    add_left_mark();
    return std::move(rows_);
  }

  Rows operator()(const ThinkingCell& body) {
    const std::string text = safe_text(without_last_newline(body.text));
    const bool open = cell_.unfolded || options_.unfold_all;
    if (open) {
      wrap_text(rows_, text, options_.width, "∴ ", "  ", Style{.fg = Colour::muted, .italic = true}, muted);
      return std::move(rows_);
    }
    const std::size_t line = text.rfind('\n') == text.npos || !body.streaming ? 0 : text.rfind('\n') + 1;
    const std::string one_line = shorten(std::string_view(text).substr(line, text.find('\n', line) - line), options_.width - 12);
    rows_.push_back(RowBuilder()
                        .gutter("∴ ", muted)
                        .add(body.streaming ? "thinking " : "thought ", muted)
                        .add(one_line, Style{.fg = Colour::muted, .italic = true})
                        .take());
    return std::move(rows_);
  }

  Rows operator()(const ToolCell& body) {
    headline(body);
    if (!body.diff.empty())
      fold_rows(diff_rows(body.diff, body.subject, std::max(16, options_.width - 4)), 12, false);
    else if (shows_output(body))
      output(body);
    return std::move(rows_);
  }

  Rows operator()(const NoticeCell& body) {
    const Colour colour = body.level == Level::error ? Colour::bad : body.level == Level::warning ? Colour::warn : Colour::muted;
    const std::string_view glyph = body.level == Level::error ? "✗ " : body.level == Level::warning ? "! " : "· ";
    wrap_text(rows_, safe_text(without_last_newline(body.text)), options_.width, glyph, "  ", Style{.fg = colour},
              Style{.fg = colour});
    return std::move(rows_);
  }

  Rows operator()(const CompactionCell& body) {
    const Compaction& c = body.last;
    const bool failed = c.phase == CompactionPhase::failed;
    const Style style{.fg = failed ? Colour::warn : Colour::accent};
    wrap_text(rows_, safe_text(compaction_line(c), Lines::one), options_.width, "◇ ", "  ", style, style);
    for (const std::string* extra : {&c.audit, &c.cost})
      if (!extra->empty()) wrap_text(rows_, safe_text(*extra), options_.width, "  ", "  ", muted, muted);
    if (!c.why.empty() && !failed && (cell_.unfolded || options_.unfold_all))
      wrap_text(rows_, safe_text(c.why), options_.width, "  ", "  ", muted, muted);
    return std::move(rows_);
  }

  Rows operator()(const SummaryCell& body) {
    rows_.push_back(RowBuilder().gutter("◇ ", Style{.fg = Colour::accent}).add("summary of what came before", muted).take());
    fold_rows(markdown_rows(safe_text(without_last_newline(body.text)), std::max(8, options_.width - 4), false), 3, false);
    return std::move(rows_);
  }

 private:
  static Row indent(Row row, std::string_view prefix, Style style) {
    Row made = RowBuilder().gutter(prefix, style).take();
    copy_spans(made, row, 0, row.text.size());
    made.gutter = static_cast<std::uint32_t>(prefix.size() + row.gutter);
    made.text += row.text;
    made.continued = row.continued;
    made.blank_lost = row.blank_lost;
    made.link = std::move(row.link);
    return made;
  }

  static std::string compaction_line(const Compaction& c) {
    static constexpr std::string_view verbs[] = {"compacted", "snipped", "microcompacted", "compacted", "truncated"};
    const std::string verb(verbs[static_cast<std::size_t>(c.tier)]);
    if (c.phase == CompactionPhase::undone)
      return "undid a compaction · " + short_count(c.before) + " → " + short_count(c.after) + " tokens";
    if (c.phase == CompactionPhase::redone)
      return "did the compaction again · " + short_count(c.before) + " → " + short_count(c.after) + " tokens";
    if (c.phase == CompactionPhase::failed) return not_compacted(c);
    std::string line = verb + " " + plural(static_cast<std::int64_t>(c.items), c.tier == Tier::micro ? "result" : "message");
    line += " · " + short_count(c.before) + " → " + short_count(c.after) + " tokens";
    if (c.originals > 0) line += " · " + plural(static_cast<std::int64_t>(c.originals), "original") + " kept, /recall";
    if (c.pause_ms > 0) line += " · " + duration(c.pause_ms);
    return line;
  }

  // What a refused call answered is meant for the model: the note says it to people.
  bool shows_output(const ToolCell& body) const {
    const bool refused = body.is_error && (body.note == "refused" || body.note == "you said no");
    if (refused && !cell_.unfolded && !options_.unfold_all) return false;
    return body.tool == "Bash" || body.is_error;
  }

  void headline(const ToolCell& body) {
    const Colour bullet = body.running ? Colour::warn : body.is_error ? Colour::bad : Colour::agent;
    RowBuilder line;
    line.gutter(body.running ? "○ " : "● ", Style{.fg = bullet});
    std::string label = safe_text(body.label.empty() ? body.tool : body.label, Lines::one);
    label.resize(std::max<std::size_t>(label.size(), 6), ' ');
    line.add(label, Style{.bold = true}).add(" ");
    std::string tail;
    if (!body.note.empty()) tail += (body.subject.empty() ? "" : " · ") + safe_text(body.note, Lines::one);
    std::string mark = left_mark(body);
    const int room = options_.width - line.columns() - width(tail) - width(mark);
    line.add(shorten(safe_text(body.subject, Lines::one), std::max(12, room)));
    line.add(tail, body.is_error ? Style{.fg = Colour::bad} : muted).add(mark, Style{.fg = Colour::accent, .dim = true});
    Row row = line.take();
    if (width(row.text) <= options_.width)
      rows_.push_back(std::move(row));
    else
      wrap_into(rows_, row, options_.width, "", "  ");
  }

  std::string left_mark(const ToolCell& body) const {
    std::string id = body.recall ? " " + to_string(body.recall) : "";
    if (cell_.left_context == Tier::micro || body.form == ResultForm::compacted) return " ◇ compacted" + id;
    if (cell_.left_context == Tier::compact) return " ◇ summarised" + id;
    if (cell_.left_context == Tier::truncate) return " ◇ left the context" + id;
    if (body.form == ResultForm::snipped) return " ✂ snipped" + id;
    return {};
  }

  void add_left_mark() {
    if (cell_.left_context != Tier::compact && cell_.left_context != Tier::truncate) return;
    const std::string_view what =
        cell_.left_context == Tier::compact ? "◇ summarised for the model" : "◇ left the model's context";
    rows_.push_back(RowBuilder().gutter("  ").add(what, Style{.fg = Colour::accent, .dim = true}).take());
  }

  void output(const ToolCell& body) {
    const bool live = body.running;
    const std::string& whole = live ? body.tail : body.output;
    const std::string screen = goes_back_up(whole) ? last_screen(whole) : std::string();
    std::string_view text = without_last_newline(screen.empty() ? whole : screen);
    if (text.empty()) return;
    const bool open = cell_.unfolded || options_.unfold_all;
    const std::size_t lines = static_cast<std::size_t>(live ? options_.live_lines : open ? 100'000 : options_.folded_lines);
    std::size_t hidden = 0;
    text = last_lines(text, lines, hidden);
    Rows inner;
    wrap_text(inner, safe_text(last_states(text)), std::max(16, options_.width - 4), "", "", muted, {});
    if (!open && inner.size() > lines * 3) {
      hidden += 1;
      inner.erase(inner.begin(), inner.end() - static_cast<std::ptrdiff_t>(lines * 3));
    }
    if (hidden > 0 && !live)
      rows_.push_back(RowBuilder()
                          .gutter("  │ ", muted)
                          .add("… " + plural(static_cast<std::int64_t>(hidden), "line") + " above · ctrl-o shows all", muted)
                          .take());
    for (Row& row : inner) rows_.push_back(indent(std::move(row), "  │ ", muted));
  }

  // The end of the output, where commands say what happened. Scans only what it shows, plus one count of the rest.
  static std::string_view last_lines(std::string_view text, std::size_t lines, std::size_t& hidden) {
    std::size_t at = text.size();
    for (std::size_t n = 0; n < lines && at != text.npos; ++n) at = at == 0 ? text.npos : text.rfind('\n', at - 1);
    if (at == text.npos) return text;
    hidden = static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
    return text.substr(at + 1);
  }

  void fold_rows(Rows inner, std::size_t most, bool) {
    const bool open = cell_.unfolded || options_.unfold_all;
    const std::size_t shown = open || inner.size() <= most + 1 ? inner.size() : most;
    for (std::size_t i = 0; i < shown; ++i) rows_.push_back(indent(std::move(inner[i]), "  │ ", muted));
    if (shown < inner.size())
      rows_.push_back(
          RowBuilder()
              .gutter("  │ ", muted)
              .add("… " + plural(static_cast<std::int64_t>(inner.size() - shown), "line") + " more" + " · ctrl-o shows all",
                   muted)
              .take());
  }

  const Cell& cell_;
  RowOptions options_;
  Rows rows_;
};

}  // namespace

namespace {

// The fence a line belongs to, as CommonMark says: "```js" inside of "````md" is text.
class Fence {
 public:
  bool open() const { return length_ > 0; }

  void line(std::string_view line) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(indent);
    const char letter = line.empty() ? ' ' : line[0];
    const std::size_t length = std::min(line.find_first_not_of(letter), line.size());
    if (length < 3 || (letter != '`' && letter != '~')) return;
    const std::string_view rest = line.substr(length);
    if (open()) {
      const bool closes = letter == letter_ && length >= length_ && indent <= indent_ + 3;
      if (closes && rest.find_first_not_of(" \t\r") == rest.npos) length_ = 0;
    } else if (letter == '~' || rest.find('`') == rest.npos) {
      letter_ = letter;
      length_ = length;
      indent_ = indent;
    }
  }

 private:
  char letter_ = 0;
  std::size_t length_ = 0, indent_ = 0;
};

// Where the text so far may be cut for good: after a blank line outside a fence, before a line that begins a new block.
std::size_t stable_end(std::string_view text, std::size_t from) {
  std::size_t stable = from;
  Fence fence;
  bool after_blank = false;
  for (std::size_t at = from; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos) break;
    const std::string_view line = text.substr(at, end - at);
    const bool begins_block = !line.empty() && line[0] != ' ' && line[0] != '\t' && line[0] != '-' && line[0] != '*' &&
                              line[0] != '+' && line[0] != '>' && !(line[0] >= '0' && line[0] <= '9');
    if (after_blank && !fence.open() && begins_block) stable = at;
    fence.line(line);
    after_blank = line.empty();
    at = end + 1;
  }
  return stable;
}

void append_markdown(Rows& rows, std::string_view markdown, const RowOptions& options, bool streaming) {
  Cell piece;
  piece.body = AssistantCell{std::string(markdown), streaming, false};
  Rows made = rows_of(piece, options);
  if (!rows.empty() && !made.empty()) {
    rows.push_back(RowBuilder().gutter("  ").take());
    const std::string_view bullet = "● ";
    if (made.front().text.starts_with(bullet)) {  // only the first piece has the bullet
      made.front() = RowBuilder().gutter("  ").take();
      Rows again = markdown_rows(safe_text(without_last_newline(markdown)), std::max(8, options.width - 2), streaming);
      if (!again.empty()) {
        Row& first = made.front();
        copy_spans(first, again.front(), 0, again.front().text.size());
        first.gutter += again.front().gutter;
        first.text += again.front().text;
      }
    }
  }
  std::move(made.begin(), made.end(), std::back_inserter(rows));
}

}  // namespace

void stream_rows(StreamRows& stream, const AssistantCell& cell, const RowOptions& options) {
  const std::string_view text = cell.markdown;
  stream.rows.resize(std::min(stream.stable_rows, stream.rows.size()));
  if (const std::size_t end = stable_end(text, stream.stable_bytes); end > stream.stable_bytes) {
    append_markdown(stream.rows, text.substr(stream.stable_bytes, end - stream.stable_bytes), options, false);
    stream.stable_bytes = end;
    stream.stable_rows = stream.rows.size();
  }
  append_markdown(stream.rows, text.substr(stream.stable_bytes), options, true);
}

std::string not_compacted(const Compaction& compaction) {
  if (compaction.why.starts_with("cancelled")) return "compaction " + compaction.why;
  return "compaction failed: " + compaction.why;
}

Rows rows_of(const Cell& cell, const RowOptions& options) { return std::visit(CellRows(cell, options), cell.body); }

}  // namespace tern
