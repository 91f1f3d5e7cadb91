// The conversation as something to scroll through: which rows are on screen, what is selected, where a search
// hit is. Rows are made when first looked at and kept per cell, version and width, so a frame costs the same
// at 100 and at 100,000 lines. The position is an anchor in a cell: it never moves because something was
// added below. Owned by the UI thread.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ui/parts/rows.h"
#include "ui/parts/view.h"

namespace tern {

class Transcript {
 public:
  // Call before anything else of a frame. Unchanged cells cost nothing.
  void sync(const ViewState& view, RowOptions options, int height);
  const Rows& visible();  // exactly the rows of this height, or fewer

  void scroll(int rows);  // negative: towards the past
  void to_end();
  void hold();  // stays where it is when something above the end grows
  void to_begin();
  bool near_begin() const { return !following_ && top_.cell < 20; }
  void catch_up();  // before keys act on a view that changed since the last frame
  bool following() const { return following_; }
  std::size_t new_rows() const { return new_rows_; }  // came below while the person reads above
  std::size_t shown_rows() const { return shown_places_.size(); }
  std::optional<std::size_t> cell_at(int y) const;  // index of the cell shown on that line

  // Finds the next row with the query, from the last hit or else the view upwards (older) or downwards, and
  // shows it. A hit that is on screen already moves nothing.
  bool search(std::string_view query, bool older);
  void end_search();

  void press(int x, int y);
  void drag(int x, int y);  // beyond an edge scrolls
  std::string release();    // the selected text; empty for a click
  void clear_selection();
  std::string selected() const;

  // Selecting by keys, whole rows: from the row of the last hit, or else the last one on screen.
  void begin_marking();
  void move_mark(int rows);
  bool marking() const { return mark_.has_value(); }
  void end_marking();

  // Cells picked to act on, by their ids: one is shown as a whole, others with a mark. Zero: none is.
  void pick(std::uint64_t cell, std::set<std::uint64_t> marked);
  std::uint64_t picked() const { return picked_; }
  void show_cell(std::size_t cell);  // scrolls until it is in sight, no further than needed

 private:
  struct Entry {
    std::uint64_t id = 0;
    std::uint32_t version = 0;
    bool made = false, unfolded = false;
    std::uint32_t height = 0;  // with the blank line above; valid when counted
    bool counted = false;
    StreamRows stream;
    Rows rows;
  };
  struct Place {  // a row of a cell; row 0 may be the blank above
    std::size_t cell = 0, row = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct Spot {  // a byte in a row
    Place place;
    std::size_t byte = 0;
    auto operator<=>(const Spot&) const = default;
  };
  struct Letter {  // what is under the pointer; nothing in a gutter
    Spot begin, end;
  };

  const Rows& rows_at(std::size_t cell);
  std::size_t height_at(std::size_t cell);
  bool gap_above(std::size_t cell) const;
  Place step(Place from, long rows);  // clamped to the transcript
  Place last_top();                   // the top place when the end is at the bottom of the view
  std::size_t came_above(const ViewState& view) const;
  void insert_above(std::size_t count);
  void count_new();
  void forget_far();
  Letter letter_at(int x, int y);
  std::optional<Place> find_from(Place begin, bool older, bool inclusive);
  void paint_selection(Row& row, const Place& place) const;
  void paint_picked(Row& row, std::uint64_t cell, bool first_row) const;

  const ViewState* view_ = nullptr;
  RowOptions options_;
  int height_ = 0;
  std::vector<Entry> entries_;
  std::size_t cached_rows_ = 0;
  bool following_ = true;
  Place top_;
  std::size_t seen_cells_ = 0, seen_rows_ = 0, new_rows_ = 0;
  Rows shown_;
  std::vector<Place> shown_places_;
  std::optional<Spot> from_, to_;
  Letter pressed_;                        // where the drag began: selected whichever way it goes
  std::optional<Place> mark_, mark_end_;  // where marking began, and the row it has come to
  std::uint64_t picked_ = 0;
  std::set<std::uint64_t> picked_too_;
  std::string query_;
  std::optional<Place> hit_;  // the row of the last search
};

}  // namespace tern
