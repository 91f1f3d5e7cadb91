// Markdown as rows.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ui/text/links.h"
#include "ui/text/markdown_parser.h"
#include "ui/text/markdown_parts.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"
#include "ui/text/wrap.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

Style heading(unsigned level) {
  if (level == 1) return {.fg = Colour::accent, .bold = true, .underline = true};
  if (level == 2) return {.fg = Colour::accent, .bold = true};
  return {.bold = true, .italic = level > 3};
}

Align align_of(MD_ALIGN align) {
  return align == MD_ALIGN_RIGHT ? Align::right : align == MD_ALIGN_CENTER ? Align::centre : Align::left;
}

struct List {
  bool ordered = false;
  unsigned next = 1;
};

class Renderer {
 public:
  explicit Renderer(int width) : width_(width) {}

  Rows run(std::string_view markdown) {
    source_ = markdown;
    parse_markdown(markdown, *this);
    while (!rows_.empty() && rows_.back().text.empty()) rows_.pop_back();
    return std::move(rows_);
  }

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
        part_of_item();
        style_ = heading(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
        break;
      case MD_BLOCK_P: part_of_item(); break;
      case MD_BLOCK_CODE: begin_code(*static_cast<MD_BLOCK_CODE_DETAIL*>(detail)); break;
      case MD_BLOCK_TABLE: table_.clear(); break;
      case MD_BLOCK_TR: table_.emplace_back(); break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        if (!table_.empty())
          table_.back().push_back(
              {{}, align_of(static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align), type == MD_BLOCK_TH});
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
        after_paragraph_ = true;
        break;
      case MD_BLOCK_CODE: end_code(); break;
      case MD_BLOCK_TABLE:
        append(rows_, table_rows(std::exchange(table_, {}), width_, prefix_));
        separate();
        break;
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
      case MD_SPAN_CODE: style_.fg = Colour::literal; break;
      case MD_SPAN_A: begin_link(static_cast<MD_SPAN_A_DETAIL*>(detail)->href); break;
      case MD_SPAN_IMG: begin_link(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src); break;
      default: break;
    }
    return 0;
  }

  int leave_span(MD_SPANTYPE type, void*) {
    if (!styles_.empty()) {
      style_ = styles_.back();
      styles_.pop_back();
    }
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
      in_link_ = false;
      const bool shown =
          link_ == link_text_ || link_ == "mailto:" + link_text_ || link_ == "http://" + link_text_;
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
      case MD_TEXT_ENTITY: line_.add(entity_text(text), style_); break;
      default:
        line_.add(text, style_);
        if (in_link_) link_text_ += text;
    }
    return 0;
  }

 private:
  void begin_link(const MD_ATTRIBUTE& target) {
    link_.assign(target.text ? target.text : "", target.size);
    link_text_.clear();
    in_link_ = true;
    style_.underline = true;
    style_.link = web_link(link_);
  }

  void begin_item(const MD_BLOCK_LI_DETAIL& detail) {
    flush_line();
    after_paragraph_ = false;
    if (lists_.empty()) return;
    List& list = lists_.back();
    std::string mark = list.ordered             ? std::to_string(list.next++) + ". "
                       : lists_.size() % 2 == 1 ? "• "
                                                : "◦ ";
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

  // A list that skips keeps its author's numbers, which may be what is spoken of; one that only repeats "1."
  // is counted.
  void number_item(const char* first) {
    if (lists_.empty() || indents_.empty() || first < source_.data() ||
        first >= source_.data() + source_.size())
      return;
    const std::string_view before = source_.substr(0, static_cast<std::size_t>(first - source_.data()));
    std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
    line.remove_prefix(std::min(line.find_first_not_of(" \t>"), line.size()));
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    if (digits == 0 || digits > 9 || digits == line.size() || (line[digits] != '.' && line[digits] != ')'))
      return;
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

  // A second paragraph or a block in an item of a list keeps its distance.
  void part_of_item() {
    if (std::exchange(after_paragraph_, false) && !lists_.empty()) separate();
  }

  void begin_code(const MD_BLOCK_CODE_DETAIL& detail) {
    flush_line();
    part_of_item();
    in_code_ = true;
    code_.clear();
    language_.assign(detail.lang.text ? detail.lang.text : "", detail.lang.size);
  }

  void end_code() {
    in_code_ = false;
    append(rows_, code_rows(code_, language_, width_, prefix_));
    separate();
  }

  void rule() {
    flush_line();
    rows_.push_back(RowBuilder()
                        .gutter(prefix_)
                        .add(repeat("─", std::min(width_ - tern::width(prefix_), 40)), muted)
                        .take());
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
    const Style gutter = prefix_.find("▌") != prefix_.npos ? muted
                         : mark                            ? Style{.fg = Colour::accent}
                                                           : Style{};
    wrap_into(rows_, row, std::min(width_, longest_prose), mark ? item_mark_ : prefix_, prefix_, gutter);
    item_mark_.clear();
  }

  void separate() {
    if (rows_.empty() || rows_.back().text.empty()) return;
    rows_.push_back({});
  }

  int width_;
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
  bool after_paragraph_ = false;
  Table table_;
};

}  // namespace

Rows markdown_rows(std::string_view markdown, int width) { return Renderer(width).run(markdown); }

}  // namespace tern
