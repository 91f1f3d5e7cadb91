#include <algorithm>

#include "ui/text/markdown_parts.h"
#include "ui/text/width.h"
#include "ui/text/wrap.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};
constexpr int narrowest = 4;  // columns of a cell

std::string repeat(std::string_view piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

class TableRows {
 public:
  TableRows(const Table& table, int width, std::string_view prefix)
      : table_(table), prefix_(prefix), width_(width) {}

  Rows run() {
    for (const auto& line : table_) widths_.resize(std::max(widths_.size(), line.size()), 1);
    if (widths_.empty()) return {};
    for (const auto& line : table_)
      for (std::size_t i = 0; i < line.size(); ++i)
        widths_[i] = std::max(widths_[i], tern::width(line[i].row.text));
    const bool wraps = shrink();
    constexpr std::size_t most_wrapped = 4;
    if (sum() > room() || (wraps && width_ < 60 && widths_.size() > most_wrapped)) {
      records();
      return std::move(rows_);
    }
    for (std::size_t i = 0; i < table_.size(); ++i) {
      line(table_[i]);
      const bool head = i == 0 && !table_[i].empty() && table_[i].front().head;
      if (head)
        rule("─", "─┼─");
      else if (wraps && i + 1 < table_.size())
        rule("┈", "┈┼┈");
    }
    return std::move(rows_);
  }

 private:
  int room() const { return width_ - tern::width(prefix_) - 3 * (static_cast<int>(widths_.size()) - 1); }
  int sum() const {
    int total = 0;
    for (const int value : widths_) total += value;
    return total;
  }
  bool shrink() {
    bool smaller = false;
    for (int total = sum(); total > room(); --total) {
      const auto widest = std::max_element(widths_.begin(), widths_.end());
      if (*widest <= narrowest) break;
      --*widest;
      smaller = true;
    }
    return smaller;
  }

  // Each line as a list of its own, "head: cell".
  void records() {
    for (std::size_t line = 1; line < table_.size(); ++line) {
      for (std::size_t i = 0; i < table_[line].size(); ++i) {
        Row row = RowBuilder()
                      .add(i < table_[0].size() ? table_[0][i].row.text : "", Style{.bold = true})
                      .add(": ", muted)
                      .take();
        append(row, table_[line][i].row);
        wrap_into(rows_, row, width_, std::string(prefix_) + (i == 0 ? "• " : "  "),
                  std::string(prefix_) + "    ", muted);
      }
    }
  }

  void rule(std::string_view line, std::string_view crossing) {
    std::string text;
    for (std::size_t i = 0; i < widths_.size(); ++i)
      text += (i ? std::string(crossing) : "") + repeat(line, widths_[i]);
    rows_.push_back(RowBuilder().gutter(prefix_).add(text, muted).take());
  }

  void line(const std::vector<TableCell>& cells) {
    std::vector<Rows> wrapped(widths_.size());
    std::size_t height = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      wrap_into(wrapped[i], cells[i].row, widths_[i]);
      height = std::max(height, wrapped[i].size());
    }
    for (std::size_t y = 0; y < height; ++y) {
      Row row = RowBuilder().gutter(prefix_).take();
      for (std::size_t i = 0; i < widths_.size(); ++i) {
        const Row piece = y < wrapped[i].size() ? wrapped[i][y] : Row{};
        const int space = std::max(0, widths_[i] - tern::width(piece.text));
        const Align align = i < cells.size() ? cells[i].align : Align::left;
        const int left = align == Align::right ? space : align == Align::centre ? space / 2 : 0;
        if (i > 0) append(row, RowBuilder().add(" │ ", muted).take());
        row.text.append(static_cast<std::size_t>(left), ' ');
        append(row, piece);
        if (i + 1 < widths_.size()) row.text.append(static_cast<std::size_t>(space - left), ' ');
      }
      row.continued = y > 0;
      rows_.push_back(std::move(row));
    }
  }

  const Table& table_;
  std::string_view prefix_;
  int width_;
  std::vector<int> widths_;
  Rows rows_;
};

}  // namespace

Rows table_rows(const Table& table, int width, std::string_view prefix) {
  return TableRows(table, width, prefix).run();
}

}  // namespace tern
