#include "compression/text/last_screen.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "compression/text/utf8.h"

namespace tern {

namespace {

constexpr std::size_t most_rows_up = 1'000, longest_history = 4'096;  // bytes

struct Order {  // ESC [ number letter
  std::size_t number = 0;
  bool numbered = false;
  char letter = 0;
  std::size_t bytes = 0;
};

std::optional<Order> order_at(std::string_view text) {
  if (text.size() < 3 || text[0] != '\x1b' || text[1] != '[') return std::nullopt;
  Order order;
  std::size_t at = 2;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    order.number =
        std::min<std::size_t>(order.number * 10 + static_cast<std::size_t>(text[at] - '0'), most_rows_up);
    order.numbered = true;
  }
  if (at == text.size() || !std::strchr("ABEFJK", text[at])) return std::nullopt;
  order.letter = text[at];
  order.bytes = at + 1;
  return order;
}

class Rows {
 public:
  void write(std::string_view text) {
    if (text.empty()) return;
    std::string& row = rows_[at_];
    if (again_ && !row.empty()) write_over(row);
    again_ = false;
    row += text;
  }

  void line_end() {
    move(at_ + 1);
    if (at_ == rows_.size()) {
      rows_.emplace_back();
      again_ = false;
    }
  }

  void obey(const Order& order) {
    const std::size_t n = std::max<std::size_t>(order.number, 1);
    switch (order.letter) {
      case 'A':
      case 'F': return move(at_ - std::min(at_, n));
      case 'B':
      case 'E': return move(std::min(at_ + n, rows_.size() - 1));
      case 'J':
        if (order.number == 0) {
          rows_.resize(at_ + 1);
          erase(order);
        }
        return;
      default: return erase(order);
    }
  }

  std::string joined() && {
    while (rows_.size() > at_ + 1 && rows_.back().empty() && rows_[rows_.size() - 2].empty())
      rows_.pop_back();
    std::string out = std::move(rows_[0]);
    for (std::size_t i = 1; i < rows_.size(); ++i) out.append("\n").append(rows_[i]);
    return out;
  }

 private:
  void move(std::size_t row) {
    at_ = row;
    again_ = true;
  }

  // Of the states before, a line keeps so much that it stays small however often it is written.
  static void write_over(std::string& row) {
    while (!row.empty() && row.back() == '\r') row.pop_back();
    if (row.size() > longest_history) {
      if (const std::size_t last = row.rfind('\r'); last != row.npos) row.erase(0, last + 1);
      row.resize(utf8_floor(row, std::min(row.size(), longest_history)));
    }
    row += '\r';
  }

  // To the end of the line, or all of it.
  void erase(const Order& order) {
    const bool begin = again_ || rows_[at_].empty() || rows_[at_].back() == '\r';
    if (order.letter == 'K' ? order.number == 2 || (order.number == 0 && begin) : begin) rows_[at_].clear();
  }

  std::vector<std::string> rows_{1};
  std::size_t at_ = 0;
  bool again_ = false;  // the cursor came back to the begin of this line
};

}  // namespace

bool goes_back_up(std::string_view text) {
  for (std::size_t at = text.find("\x1b["); at != text.npos; at = text.find("\x1b[", at + 2)) {
    const auto order = order_at(text.substr(at));
    if (order && (order->letter == 'A' || order->letter == 'F')) return true;
  }
  return false;
}

std::string last_screen(std::string_view text) {
  if (!goes_back_up(text)) return std::string(text);
  Rows rows;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\x1b"), text.size());
    rows.write(text.substr(0, end));
    text.remove_prefix(end);
    if (text.empty()) break;
    const auto order = order_at(text);
    if (order)
      rows.obey(*order);
    else if (text[0] == '\n')
      rows.line_end();
    else
      rows.write(text.substr(0, 1));
    text.remove_prefix(order ? order->bytes : 1);
  }
  return std::move(rows).joined();
}

}  // namespace tern
