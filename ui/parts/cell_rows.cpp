// What a cell says, as rows: prompts, answers, notices, compactions. Tools have their own file.
#include <algorithm>
#include <string>

#include "ui/parts/rows.h"
#include "ui/text/format.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

class CellRows {
 public:
  CellRows(const Cell& cell, const RowOptions& options) : cell_(cell), options_(options) {}

  Rows operator()(const UserCell& body) {
    std::string text = safe_text(without_last_newline(open() ? body.text : with_chips(body)));
    if (body.attachments > 0)
      text += (text.empty() ? "" : "\n") + std::string("[") + plural(body.attachments, "attachment") + "]";
    constexpr Style bar{.fg = Colour::accent, .bg = Colour::prompt_tint};
    wrap_text(rows_, text, options_.width,
              {.first = "▌ ", .rest = "▌ ", .text = Style{.bg = Colour::prompt_tint}, .gutter = bar});
    constexpr std::size_t most = 24, shown = 16;  // a long paste is read by the model
    if (!open() && rows_.size() > most) {
      const std::size_t hidden = rows_.size() - shown;
      rows_.resize(shown);
      rows_.push_back(RowBuilder().gutter("▌ ", bar).add(more_lines(hidden), tinted(muted)).take());
      rows_.back().fill = Colour::prompt_tint;
    }
    add_left_mark();
    return std::move(rows_);
  }

  Rows operator()(const AssistantCell& body) {
    for (const Row& row :
         markdown_rows(safe_text(without_last_newline(body.markdown)), std::max(8, options_.width - 2)))
      rows_.push_back(indented(row, "  "));
    if (rows_.empty() && body.streaming) rows_.push_back(RowBuilder().gutter("  ").take());
    if (body.interrupted) rows_.push_back(RowBuilder().gutter("  ").add("(cut short)", muted).take());
    add_left_mark();
    return std::move(rows_);
  }

  Rows operator()(const ThinkingCell& body) {
    const std::string text = safe_text(without_last_newline(body.text));
    constexpr Style thought{.fg = Colour::muted, .italic = true};
    if (open()) {
      wrap_text(rows_, text, options_.width, {.first = "∴ ", .rest = "  ", .text = thought, .gutter = muted});
      return std::move(rows_);
    }
    const std::string line =
        shorten(body.streaming ? last_whole_line(text) : first_line(text), options_.width - 12);
    rows_.push_back(RowBuilder()
                        .gutter("∴ ", muted)
                        .add(body.streaming ? "Thinking  " : "Thought  ", muted)
                        .add(line, thought)
                        .take());
    return std::move(rows_);
  }

  Rows operator()(const ToolCell& body) { return tool_rows(body, options_, cell_.left_context, open()); }

  Rows operator()(const NoticeCell& body) {
    const Colour colour = body.level == Level::error     ? Colour::bad
                          : body.level == Level::warning ? Colour::warn
                                                         : Colour::muted;
    const std::string_view glyph = body.level == Level::error     ? "✗ "
                                   : body.level == Level::warning ? "! "
                                                                  : "· ";
    wrap_text(rows_, safe_text(without_last_newline(body.text)), prose(),
              {.first = glyph, .rest = "  ", .text = Style{.fg = colour}, .gutter = Style{.fg = colour}});
    return std::move(rows_);
  }

  Rows operator()(const CompactionCell& body) {
    const Compaction& c = body.last;
    const bool failed = c.phase == CompactionPhase::failed;
    const Style style{.fg = failed ? Colour::warn : Colour::accent};
    const std::string line = safe_text(compaction_line(c), Lines::one);
    const bool wraps = width(line) + 2 > prose() && !c.audit.empty() && c.originals > 0;
    const WrapStyle head{.first = "◇ ", .rest = "  ", .text = style, .gutter = style};
    wrap_text(rows_, wraps ? safe_text(compaction_line(in_brief(c)), Lines::one) : line, prose(), head);
    if (!open()) return std::move(rows_);
    const WrapStyle below{.first = "  ", .rest = "  ", .text = muted, .gutter = muted};
    if (wraps) wrap_text(rows_, safe_text(c.audit, Lines::one) + pause_text(c), prose(), below);
    for (const std::string* extra : {&c.cost, &c.why})
      if (!extra->empty() && !(failed && extra == &c.why))
        wrap_text(rows_, safe_text(*extra), prose(), below);
    return std::move(rows_);
  }

  Rows operator()(const SummaryCell& body) {
    rows_.push_back(RowBuilder()
                        .gutter("◇ ", Style{.fg = Colour::accent})
                        .add("summary of what came before", muted)
                        .take());
    append(rows_,
           folded(markdown_rows(safe_text(without_last_newline(body.text)), std::max(8, options_.width - 4)),
                  3, open()));
    return std::move(rows_);
  }

  Rows operator()(const TurnCell& body) {
    std::string text = body.milliseconds < 1'000 ? "under 1 s" : seconds(body.milliseconds);
    if (body.tools > 0) text += " · " + plural(body.tools, "tool");
    if (body.dollars > 0) text += " · " + dollars(body.dollars);
    rows_.push_back(RowBuilder().gutter("  ").add(text, muted).take());
    return std::move(rows_);
  }

 private:
  bool open() const { return cell_.unfolded || options_.unfold_all; }
  int prose() const { return std::min(options_.width, longest_prose + 2); }

  static std::string with_chips(const UserCell& body) {
    std::string text;
    std::size_t from = 0;
    for (const PastedPart& part : body.pasted) {
      const std::string_view paste = std::string_view(body.text).substr(part.begin, part.size);
      const auto lines = std::count(paste.begin(), paste.end(), '\n') + (paste.ends_with('\n') ? 0 : 1);
      text.append(body.text, from, part.begin - from);
      text += lines > 1 ? "[Pasted " + std::to_string(lines) + " lines]"
                        : "[Pasted " + std::to_string(paste.size()) + " characters]";
      from = part.begin + part.size;
    }
    return text + body.text.substr(from);
  }

  static Style tinted(Style style) {
    style.bg = Colour::prompt_tint;
    return style;
  }
  static std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }
  // What is still being written changes with every letter: the line before it can be read.
  static std::string_view last_whole_line(std::string_view text) {
    const std::size_t end = text.rfind('\n');
    if (end == text.npos) return text;
    text = without_last_newline(text.substr(0, end));
    const std::size_t begin = text.rfind('\n');
    return begin == text.npos ? text : text.substr(begin + 1);
  }

  static std::string hand_line(const Compaction& c, const std::string& tokens) {
    const std::string verb = c.cause == Cause::dropped  ? "dropped"
                             : c.cause == Cause::folded ? "folded"
                                                        : "brought back";
    if (c.phase == CompactionPhase::undone) return "undid what was " + verb + " by hand · " + tokens;
    if (c.phase == CompactionPhase::redone) return verb + " it by hand again · " + tokens;
    return verb + " by hand · " + tokens + " · /undo-compact";
  }

  // Where the audit does not fit into the row, it unfolds.
  static Compaction in_brief(const Compaction& c) {
    Compaction brief = c;
    brief.audit.clear();
    brief.pause_ms = 0;
    return brief;
  }

  static std::string pause_text(const Compaction& c) {
    return c.pause_ms > 0 ? " · " + duration(c.pause_ms) : "";
  }

  static std::string compaction_line(const Compaction& c) {
    static constexpr std::string_view verbs[] = {"compacted", "shortened", "compacted", "compacted",
                                                 "truncated"};
    const std::string verb(verbs[static_cast<std::size_t>(c.tier)]);
    const std::string tokens = short_count(c.before) + " → " + short_count(c.after) + " tokens";
    if (by_hand(c.cause) && c.phase != CompactionPhase::failed) return hand_line(c, tokens);
    if (c.phase == CompactionPhase::undone) return "undid a compaction · " + tokens;
    if (c.phase == CompactionPhase::redone) return "redid a compaction · " + tokens;
    if (c.phase == CompactionPhase::failed) return not_compacted(c);
    std::string line =
        verb + " " + plural(static_cast<std::int64_t>(c.items), c.tier == Tier::micro ? "result" : "message");
    line += " · " + tokens;
    if (!c.audit.empty())
      line += " · " + c.audit;
    else if (c.originals > 0)
      line += " · " +
              (c.originals == c.items ? "all" : plural(static_cast<std::int64_t>(c.originals), "original")) +
              " kept, /recall";
    return line + pause_text(c);
  }

  void add_left_mark() {
    if (cell_.left_context != Tier::compact && cell_.left_context != Tier::truncate) return;
    const std::string_view what =
        cell_.left_context == Tier::compact ? "◇ summarized for the model" : "◇ dropped from context";
    rows_.push_back(RowBuilder().gutter("  ").add(what, Style{.fg = Colour::accent, .dim = true}).take());
  }

  const Cell& cell_;
  RowOptions options_;
  Rows rows_;
};

}  // namespace

std::string more_lines(std::size_t hidden, std::string_view which) {
  return "… " + plural(static_cast<std::int64_t>(hidden), std::string(which) + " line") + " · ctrl-o";
}

Rows folded(Rows inner, std::size_t most, bool open) {
  constexpr std::string_view rail = "  │ ";
  const std::size_t shown = open || inner.size() <= most + 1 ? inner.size() : most;
  Rows rows;
  for (std::size_t i = 0; i < shown; ++i) rows.push_back(indented(inner[i], rail, muted));
  if (shown < inner.size())
    rows.push_back(RowBuilder().gutter(rail, muted).add(more_lines(inner.size() - shown), muted).take());
  return rows;
}

std::string not_compacted(const Compaction& compaction) {
  if (compaction.why.starts_with("cancelled")) return "compaction " + compaction.why;
  return "compaction failed: " + compaction.why;
}

Rows rows_of(const Cell& cell, const RowOptions& options) {
  return std::visit(CellRows(cell, options), cell.body);
}

}  // namespace tern
