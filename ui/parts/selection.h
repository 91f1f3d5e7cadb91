// Text chosen with the pointer, in rows: what is under it, how it is shown, what is copied. The same in the
// transcript and on every page; gutters are ornament and never chosen.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>

#include "ui/text/style.h"

namespace tern {

struct ByteRange {
  std::size_t begin = 0, end = 0;
};
ByteRange letter_under(const Row& row, int x);  // empty in a gutter and behind the end
void paint_selected(Row& row, std::size_t from, std::size_t to);
// Appends what is chosen of a row: lines that were only wrapped become one again.
void copy_selected(std::string& text, const Row& row, std::size_t from, std::size_t to, bool first);

// What is chosen of rows that are all at hand, by their index.
class RowSelection {
 public:
  void press(const Rows& rows, std::size_t row, int x);
  void drag(const Rows& rows, std::size_t row, int x);
  bool dragging() const { return from_.has_value(); }
  std::string text(const Rows& rows) const;
  void paint(Row& row, std::size_t index) const;
  void clear();

 private:
  struct Spot {
    std::size_t row = 0, byte = 0;
    auto operator<=>(const Spot&) const = default;
  };
  bool empty() const { return !from_ || *from_ == to_; }

  Spot pressed_begin_, pressed_end_, to_;  // the letter under the press is chosen whichever way the drag goes
  std::optional<Spot> from_;
};

}  // namespace tern
