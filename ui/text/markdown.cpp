// Markdown as rows: md4c speaks in blocks and spans, this file listens. The one owner of md4c.
#include <md4c.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ui/rows.h"
#include "ui/text_safe.h"
#include "ui/width.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

struct TableCell {
  Row row;
  MD_ALIGN align = MD_ALIGN_DEFAULT;
  bool head = false;
};

struct List {
  bool ordered = false;
  unsigned next = 1;
};

void append(Row& to, const Row& from) {
  const auto shift = static_cast<std::uint32_t>(to.text.size());
  to.text += from.text;
  for (Span span : from.spans) {
    span.begin += shift;
    to.spans.push_back(span);
  }
}

class Renderer {
 public:
  Renderer(int width, bool streaming) : width_(width), streaming_(streaming) {}

  Rows run(std::string_view markdown) {
    MD_PARSER parser{};
    parser.flags = MD_DIALECT_GITHUB | MD_FLAG_NOHTML;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<Renderer*>(self)->enter(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<Renderer*>(self)->leave(type, detail);
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<Renderer*>(self)->enter_span(type, detail);
    };
    parser.leave_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<Renderer*>(self)->leave_span(type, detail);
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<Renderer*>(self)->text(type, std::string_view(text, size));
    };
    source_ = markdown;
    md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, this);
    while (!rows_.empty() && rows_.back().text.empty()) rows_.pop_back();
    return std::move(rows_);
  }

 private:
  int enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_QUOTE: prefix_ += "▌ "; break;
      case MD_BLOCK_UL:
        flush_line();
        lists_.push_back({});
        break;
      case MD_BLOCK_OL:
        flush_line();
        lists_.push_back({true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start});
        break;
      case MD_BLOCK_LI: begin_item(*static_cast<MD_BLOCK_LI_DETAIL*>(detail)); break;
      case MD_BLOCK_HR: rule(); break;
      case MD_BLOCK_H:
        style_ = {.fg = Colour::accent, .bold = true, .underline = static_cast<MD_BLOCK_H_DETAIL*>(detail)->level == 1};
        break;
      case MD_BLOCK_CODE: begin_code(*static_cast<MD_BLOCK_CODE_DETAIL*>(detail)); break;
      case MD_BLOCK_TABLE: table_.clear(); break;
      case MD_BLOCK_TR: table_.emplace_back(); break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        if (!table_.empty()) table_.back().push_back({{}, static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align, type == MD_BLOCK_TH});
        if (type == MD_BLOCK_TH) style_.bold = true;
        break;
      default: break;
    }
    return 0;
  }

  int leave(MD_BLOCKTYPE type, void*) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        prefix_.resize(prefix_.size() - std::string_view("▌ ").size());
        separate();
        break;
      case MD_BLOCK_UL:
      case MD_BLOCK_OL:
        if (!lists_.empty()) lists_.pop_back();
        if (lists_.empty()) separate();
        break;
      case MD_BLOCK_LI: end_item(); break;
      case MD_BLOCK_H:
        flush_line();
        style_ = {};
        separate();
        break;
      case MD_BLOCK_P:
        flush_line();
        if (lists_.empty()) separate();
        break;
      case MD_BLOCK_CODE: end_code(); break;
      case MD_BLOCK_TABLE: flush_table(); break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        if (!table_.empty() && !table_.back().empty()) table_.back().back().row = line_.take();
        style_.bold = false;
        break;
      default: break;
    }
    return 0;
  }

  int enter_span(MD_SPANTYPE type, void* detail) {
    styles_.push_back(style_);
    switch (type) {
      case MD_SPAN_EM: style_.italic = true; break;
      case MD_SPAN_STRONG: style_.bold = true; break;
      case MD_SPAN_DEL: style_.strike = true; break;
      case MD_SPAN_CODE: style_.fg = Colour::code; break;
      case MD_SPAN_A: {
        const auto& href = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
        link_.assign(href.text ? href.text : "", href.size);
        link_text_.clear();
        in_link_ = true;
        style_.underline = true;
        break;
      }
      default: break;
    }
    return 0;
  }

  int leave_span(MD_SPANTYPE type, void*) {
    if (!styles_.empty()) {
      style_ = styles_.back();
      styles_.pop_back();
    }
    if (type == MD_SPAN_A) {
      in_link_ = false;
      const bool shown = link_ == link_text_ || link_ == "mailto:" + link_text_ || link_ == "http://" + link_text_;
      if (!shown && !link_.empty()) line_.add(" (" + safe_text(link_, Lines::one) + ")", muted);
    }
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view text) {
    if (std::exchange(unnumbered_, false)) number_item(text.data());
    if (in_code_) {
      code_ += text;
      return 0;
    }
    switch (type) {
      case MD_TEXT_BR: flush_line(); break;
      case MD_TEXT_SOFTBR: line_.add(" ", style_); break;
      case MD_TEXT_NULLCHAR: line_.add("\xEF\xBF\xBD", style_); break;
      case MD_TEXT_ENTITY: line_.add(entity(text), style_); break;
      default:
        line_.add(text, style_);
        if (in_link_) link_text_ += text;
    }
    return 0;
  }

  static std::string_view entity(std::string_view name) {
    static constexpr std::pair<std::string_view, std::string_view> known[] = {
        {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&#39;", "'"}, {"&nbsp;", " "}};
    for (const auto& [from, to] : known)
      if (name == from) return to;
    return name;
  }

  void begin_item(const MD_BLOCK_LI_DETAIL& detail) {
    flush_line();
    if (lists_.empty()) return;
    List& list = lists_.back();
    std::string mark = list.ordered ? std::to_string(list.next++) + ". " : lists_.size() % 2 == 1 ? "• " : "◦ ";
    if (detail.is_task) mark = detail.task_mark == ' ' ? "☐ " : "☒ ";
    unnumbered_ = list.ordered && !detail.is_task;
    indents_.push_back(prefix_.size());
    lead_ = item_mark_.empty() ? prefix_ : item_mark_;  // "2. - both": two marks in one row
    set_mark(mark);
  }

  void set_mark(const std::string& mark) {
    prefix_.resize(indents_.back());
    item_mark_ = lead_ + mark;
    prefix_ += std::string(static_cast<std::size_t>(tern::width(mark)), ' ');
  }

  // A list that skips keeps its author's numbers, which may be what is spoken of; one that only repeats "1." is counted.
  void number_item(const char* first) {
    if (lists_.empty() || indents_.empty() || first < source_.data() || first >= source_.data() + source_.size()) return;
    const std::string_view before = source_.substr(0, static_cast<std::size_t>(first - source_.data()));
    std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
    line.remove_prefix(std::min(line.find_first_not_of(" \t>"), line.size()));
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    if (digits == 0 || digits > 9 || digits == line.size() || (line[digits] != '.' && line[digits] != ')')) return;
    const auto number = static_cast<unsigned>(std::stoul(std::string(line.substr(0, digits))));
    List& list = lists_.back();
    if (number < list.next) return;
    list.next = number + 1;
    set_mark(std::to_string(number) + ". ");
  }

  void end_item() {
    flush_line();
    item_mark_.clear();
    unnumbered_ = false;
    if (indents_.empty()) return;
    prefix_.resize(indents_.back());
    indents_.pop_back();
  }

  void begin_code(const MD_BLOCK_CODE_DETAIL& detail) {
    flush_line();
    in_code_ = true;
    code_.clear();
    language_.assign(detail.lang.text ? detail.lang.text : "", detail.lang.size);
  }

  void end_code() {
    in_code_ = false;
    if (!code_.empty() && code_.back() == '\n') code_.pop_back();
    int state = 0;
    const std::string gutter = prefix_ + "  ";
    for (std::size_t at = 0; at <= code_.size();) {
      const std::size_t end = std::min(code_.find('\n', at), code_.size());
      Row row;
      row.text = code_.substr(at, end - at);
      row.spans = highlight(row.text, language_, state);
      hard_wrap(row, gutter);
      at = end + 1;
    }
    separate();
  }

  // Code keeps its blanks: cut at the edge, never at a word.
  void hard_wrap(const Row& row, const std::string& gutter) {
    const int room = std::max(1, width_ - tern::width(gutter));
    std::size_t from = 0;
    bool wrapped = false;
    do {
      const std::size_t length =
          std::max<std::size_t>(fit(std::string_view(row.text).substr(from), room), from < row.text.size() ? 1 : 0);
      Row made = RowBuilder().gutter(gutter, muted).take();
      const auto shift = static_cast<std::uint32_t>(made.text.size());
      for (const Span& span : row.spans) {
        const std::size_t first = std::max<std::size_t>(span.begin, from);
        const std::size_t last = std::min<std::size_t>(span.begin + span.length, from + length);
        if (first < last)
          made.spans.push_back(
              {static_cast<std::uint32_t>(first - from) + shift, static_cast<std::uint32_t>(last - first), span.style});
      }
      made.text += row.text.substr(from, length);
      made.continued = wrapped;
      rows_.push_back(std::move(made));
      from += length;
      wrapped = true;
    } while (from < row.text.size());
  }

  void rule() {
    flush_line();
    rows_.push_back(RowBuilder().gutter(prefix_).add(repeat("─", std::min(width_ - tern::width(prefix_), 40)), muted).take());
    separate();
  }

  static std::string repeat(std::string_view piece, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += piece;
    return out;
  }

  void flush_line() {
    Row row = line_.take();
    if (row.text.empty()) return;
    const bool mark = !item_mark_.empty();
    const Style gutter = prefix_.find("▌") != prefix_.npos ? muted : mark ? Style{.fg = Colour::accent} : Style{};
    wrap_into(rows_, row, width_, mark ? item_mark_ : prefix_, prefix_, gutter);
    item_mark_.clear();
  }

  void separate() {
    if (rows_.empty() || rows_.back().text.empty()) return;
    rows_.push_back({});
  }

  // Columns shrink to fit, widest first; cells wrap inside their column.
  void flush_table() {
    std::size_t columns = 0;
    for (const auto& line : table_) columns = std::max(columns, line.size());
    if (columns == 0) return;
    std::vector<int> widths(columns, 1);
    for (const auto& line : table_)
      for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], tern::width(line[i].row.text));
    const int room = width_ - tern::width(prefix_) - 3 * (static_cast<int>(columns) - 1);
    for (int total = sum(widths); total > room; --total) {
      auto widest = std::max_element(widths.begin(), widths.end());
      if (*widest <= 4) break;
      --*widest;
    }
    if (sum(widths) > room) return flush_records();
    bool head = true;
    for (const auto& line : table_) {
      table_line(line, widths);
      if (head && !line.empty() && line.front().head) table_rule(widths);
      head = false;
    }
    table_.clear();
    separate();
  }

  // Too many columns for this width: each line is told as its own list, "head: cell".
  void flush_records() {
    const auto table = std::exchange(table_, {});
    for (std::size_t line = 1; line < table.size(); ++line) {
      for (std::size_t i = 0; i < table[line].size(); ++i) {
        Row row = i < table[0].size() ? table[0][i].row : Row{};
        append(row, RowBuilder().add(": ", muted).take());
        append(row, table[line][i].row);
        wrap_into(rows_, row, width_, prefix_ + (i == 0 ? "• " : "  "), prefix_ + "    ", muted);
      }
    }
    separate();
  }

  static int sum(const std::vector<int>& values) {
    int total = 0;
    for (const int value : values) total += value;
    return total;
  }

  void table_rule(const std::vector<int>& widths) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) line += (i ? "─┼─" : "") + repeat("─", widths[i]);
    rows_.push_back(RowBuilder().gutter(prefix_).add(line, muted).take());
  }

  void table_line(const std::vector<TableCell>& cells, const std::vector<int>& widths) {
    std::vector<Rows> wrapped(widths.size());
    std::size_t height = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      wrap_into(wrapped[i], cells[i].row, widths[i]);
      height = std::max(height, wrapped[i].size());
    }
    for (std::size_t y = 0; y < height; ++y) {
      Row row = RowBuilder().gutter(prefix_).take();
      for (std::size_t i = 0; i < widths.size(); ++i) {
        const Row piece = y < wrapped[i].size() ? wrapped[i][y] : Row{};
        const int space = std::max(0, widths[i] - tern::width(piece.text));
        const MD_ALIGN align = i < cells.size() ? cells[i].align : MD_ALIGN_DEFAULT;
        const int left = align == MD_ALIGN_RIGHT ? space : align == MD_ALIGN_CENTER ? space / 2 : 0;
        RowBuilder pad;
        if (i > 0) append(row, pad.add(" │ ", muted).take());
        row.text.append(static_cast<std::size_t>(left), ' ');
        append(row, piece);
        if (i + 1 < widths.size()) row.text.append(static_cast<std::size_t>(space - left), ' ');
      }
      row.continued = y > 0;
      rows_.push_back(std::move(row));
    }
  }

  int width_;
  [[maybe_unused]] bool streaming_;
  Rows rows_;
  RowBuilder line_;
  Style style_;
  std::vector<Style> styles_;
  std::vector<List> lists_;
  std::vector<std::size_t> indents_;
  std::string prefix_, item_mark_, lead_, code_, language_, link_, link_text_;
  std::string_view source_;
  bool in_code_ = false, in_link_ = false;
  bool unnumbered_ = false;  // the item that begins has the number of its place, not yet that of its author
  std::vector<std::vector<TableCell>> table_;
};

}  // namespace

Rows markdown_rows(std::string_view markdown, int width, bool streaming) { return Renderer(width, streaming).run(markdown); }

}  // namespace tern
