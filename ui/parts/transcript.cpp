#include "ui/parts/transcript.h"

#include <algorithm>
#include <utility>

#include "ui/parts/selection.h"
#include "ui/parts/text_search.h"
#include "ui/text/width.h"

namespace tern {
namespace {

constexpr std::size_t most_cached_rows = 40'000;

enum class Kind { person, words, work };
Kind kind_of(const Cell& cell) {
  if (std::holds_alternative<UserCell>(cell.body)) return Kind::person;
  return std::holds_alternative<AssistantCell>(cell.body) ? Kind::words : Kind::work;
}

}  // namespace

void Transcript::catch_up() {
  if (view_) sync(*view_, options_, height_);
}

// How many cells of the view stand in front of the one that was first.
std::size_t Transcript::came_above(const ViewState& view) const {
  if (entries_.empty() || view.cells.size() <= entries_.size() || view.cells[0].id == entries_[0].id)
    return 0;
  const auto first = std::find_if(view.cells.begin(), view.cells.end(),
                                  [&](const Cell& c) { return c.id == entries_[0].id; });
  return first == view.cells.end() ? 0 : static_cast<std::size_t>(first - view.cells.begin());
}

// Whatever names a row moves along, so that the same rows stay in sight.
void Transcript::insert_above(std::size_t count) {
  std::vector<Entry> entries(count);
  std::move(entries_.begin(), entries_.end(), std::back_inserter(entries));
  entries_ = std::move(entries);
  Entry& first = entries_[count];  // had no blank line above itself as long as it was the first
  const bool gap = first.counted && first.height > 0 && gap_above(count);
  first.height += gap;
  if (seen_cells_ > 0) seen_cells_ += count;
  if (seen_cells_ == count + 1) seen_rows_ += gap;
  const auto move = [&](Place& place) {
    if (place.cell == 0) place.row += gap;
    place.cell += count;
  };
  move(top_);
  if (from_) move(from_->place);
  if (to_) move(to_->place);
  for (auto* place : {&hit_, &mark_, &mark_end_})
    if (*place) move(**place);
}

void Transcript::sync(const ViewState& view, RowOptions options, int height) {
  view_ = &view;
  const std::size_t above = came_above(view);
  if (above > 0) insert_above(above);
  const bool rewrap = options.width != options_.width || options.unfold_all != options_.unfold_all;
  const bool restarted = above == 0 && (view.cells.size() < entries_.size() ||
                                        (!entries_.empty() && entries_[0].id != view.cells[0].id));
  if (rewrap || restarted) {
    // The anchor keeps its cell; the row inside it is kept in proportion.
    const bool keep = !restarted && top_.cell < entries_.size() && entries_[top_.cell].counted;
    const double share =
        keep ? static_cast<double>(top_.row) / std::max<std::uint32_t>(1, entries_[top_.cell].height) : 0;
    entries_.clear();
    cached_rows_ = 0;
    end_marking();
    hit_.reset();
    options_ = options;
    entries_.resize(view.cells.size());
    if (restarted) to_end();
    if (keep) top_.row = static_cast<std::size_t>(share * static_cast<double>(height_at(top_.cell)));
  }
  options_ = options;
  height_ = height;
  entries_.resize(view.cells.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Cell& cell = view.cells[i];
    Entry& entry = entries_[i];
    if (entry.id == cell.id && entry.version == cell.version && entry.unfolded == cell.unfolded) continue;
    cached_rows_ -= std::min(cached_rows_, entry.rows.size());
    if (entry.id != cell.id) entry.stream = {};
    entry.id = cell.id;
    entry.version = cell.version;
    entry.unfolded = cell.unfolded;
    entry.made = entry.counted = false;
    entry.rows.clear();
  }
  count_new();
  forget_far();
}

const Rows& Transcript::rows_at(std::size_t cell) {
  Entry& entry = entries_[cell];
  const auto* answer = std::get_if<AssistantCell>(&view_->cells[cell].body);
  const bool streaming = answer && answer->streaming;
  if (!entry.made) {
    if (streaming) {
      stream_rows(entry.stream, *answer, options_);
    } else {
      entry.stream = {};
      entry.rows = rows_of(view_->cells[cell], options_);
    }
    entry.made = true;
    cached_rows_ += entry.rows.size();
    const Rows& rows = streaming ? entry.stream.rows : entry.rows;
    entry.height = static_cast<std::uint32_t>(rows.size()) + (gap_above(cell) && !rows.empty() ? 1 : 0);
    entry.counted = true;
  }
  return streaming ? entry.stream.rows : entry.rows;
}

std::size_t Transcript::height_at(std::size_t cell) {
  if (!entries_[cell].counted) rows_at(cell);
  return entries_[cell].height;
}

bool Transcript::gap_above(std::size_t cell) const {
  if (cell == 0) return false;
  const Kind above = kind_of(view_->cells[cell - 1]), here = kind_of(view_->cells[cell]);
  return here == Kind::person || above == Kind::person || (here == Kind::words && above == Kind::work);
}

Transcript::Place Transcript::step(Place from, long rows) {
  while (rows < 0) {
    if (from.row > 0) {
      const auto back = std::min<long>(-rows, static_cast<long>(from.row));
      from.row -= static_cast<std::size_t>(back);
      rows += back;
    } else if (from.cell == 0) {
      return {0, 0};
    } else {
      from.row = height_at(--from.cell);
    }
  }
  while (rows > 0 && from.cell < entries_.size()) {
    const std::size_t left = height_at(from.cell) - std::min(from.row, height_at(from.cell));
    if (static_cast<std::size_t>(rows) < left) {
      from.row += static_cast<std::size_t>(rows);
      return from;
    }
    if (from.cell + 1 >= entries_.size()) return {from.cell, height_at(from.cell)};
    rows -= static_cast<long>(left);
    from = {from.cell + 1, 0};
  }
  return from;
}

Transcript::Place Transcript::last_top() {
  if (entries_.empty()) return {};
  const std::size_t last = entries_.size() - 1;
  return step({last, height_at(last)}, -height_);
}

const Rows& Transcript::visible() {
  shown_.clear();
  shown_places_.clear();
  if (entries_.empty()) return shown_;
  if (following_ || top_ > last_top()) top_ = last_top();
  for (Place place = top_; shown_.size() < static_cast<std::size_t>(height_) && place.cell < entries_.size();
       ++place.cell, place.row = 0) {
    const Rows& rows = rows_at(place.cell);
    const std::size_t gap = height_at(place.cell) - rows.size();
    for (; place.row < rows.size() + gap && shown_.size() < static_cast<std::size_t>(height_); ++place.row) {
      Row row = place.row < gap ? Row{} : rows[place.row - gap];
      paint_selection(row, place);
      if (picked_ != 0 && place.row >= gap) paint_picked(row, entries_[place.cell].id, place.row == gap);
      const bool hit_here = hit_ && hit_->cell == place.cell && hit_->row >= gap;
      if (place.row >= gap)
        mark_hits(row, rows, place.row - gap, query_,
                  hit_here ? std::optional(hit_->row - gap) : std::nullopt);
      shown_.push_back(std::move(row));
      shown_places_.push_back(place);
    }
  }
  return shown_;
}

void Transcript::hold() {
  if (entries_.empty() || !following_) return;
  top_ = last_top();
  following_ = false;
  seen_cells_ = entries_.size();
  seen_rows_ = height_at(seen_cells_ - 1);
}

void Transcript::scroll(int rows) {
  if (entries_.empty() || (following_ && rows >= 0)) return;
  const Place end = last_top();
  hold();
  top_ = step(top_, rows);
  if (top_ >= end) to_end();
}

void Transcript::to_end() {
  following_ = true;
  new_rows_ = 0;
}

void Transcript::to_begin() {
  if (entries_.empty()) return;
  scroll(-1);
  top_ = {};
}

void Transcript::count_new() {
  new_rows_ = 0;
  if (following_ || seen_cells_ == 0 || seen_cells_ > entries_.size()) return;
  const std::size_t grown = height_at(seen_cells_ - 1);
  new_rows_ = grown > seen_rows_ ? grown - seen_rows_ : 0;
  for (std::size_t i = seen_cells_; i < entries_.size(); ++i) new_rows_ += height_at(i);
}

std::optional<std::size_t> Transcript::cell_at(int y) const {
  if (y < 0 || static_cast<std::size_t>(y) >= shown_places_.size()) return std::nullopt;
  return shown_places_[static_cast<std::size_t>(y)].cell;
}

// Rows far from the view are made again when somebody goes there; their height stays known.
void Transcript::forget_far() {
  if (cached_rows_ <= most_cached_rows) return;
  const std::size_t centre = following_ ? entries_.size() : top_.cell;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::size_t distance = i > centre ? i - centre : centre - i;
    if (distance < 200 || !entries_[i].made) continue;
    cached_rows_ -= std::min(cached_rows_, entries_[i].rows.size());
    entries_[i].made = false;
    Rows().swap(entries_[i].rows);
  }
}

// The next row with the query beyond `begin`, which is itself looked at when `inclusive`.
std::optional<Transcript::Place> Transcript::find_from(Place begin, bool older, bool inclusive) {
  const long direction = older ? -1 : 1;
  for (long cell = static_cast<long>(begin.cell); cell >= 0 && cell < static_cast<long>(entries_.size());
       cell += direction) {
    const auto index = static_cast<std::size_t>(cell);
    const Rows& rows = rows_at(index);
    const std::size_t gap = height_at(index) - rows.size();
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::size_t r = older ? rows.size() - 1 - k : k;
      const Place place{index, r + gap};
      const bool beyond = (inclusive && place == begin) || (older ? place < begin : place > begin);
      if (beyond && hit_begins(rows, r, query_)) return place;
    }
  }
  return std::nullopt;
}

bool Transcript::search(std::string_view query, bool older) {
  if (query != query_) hit_.reset();
  query_ = query;
  if (query.empty() || entries_.empty()) return false;
  const Place top = following_ ? last_top() : std::min(top_, last_top());
  const Place bottom = step(top, height_ - 1);
  const bool goes_on = hit_ && *hit_ >= top && *hit_ <= bottom;  // else somebody scrolled away from it
  const auto hit = find_from(goes_on ? *hit_ : older ? bottom : top, older, !goes_on);
  if (!hit) return false;
  hit_ = hit;
  if (*hit >= top && *hit <= bottom) return true;
  scroll(-1);
  following_ = false;
  top_ = step(*hit, -height_ / 3);  // with what was said before it
  if (top_ >= last_top()) to_end();
  return true;
}

void Transcript::end_search() {
  query_.clear();
  hit_.reset();
}

Transcript::Letter Transcript::letter_at(int x, int y) {
  if (shown_places_.empty()) return {};
  const auto line = static_cast<std::size_t>(std::clamp(y, 0, static_cast<int>(shown_places_.size()) - 1));
  const Row& row = shown_[line];
  const bool below = y > static_cast<int>(line);
  const ByteRange letter = below ? ByteRange{row.text.size(), row.text.size()} : letter_under(row, x);
  return {{shown_places_[line], letter.begin}, {shown_places_[line], letter.end}};
}

void Transcript::press(int x, int y) {
  pressed_ = letter_at(x, y);
  from_ = to_ = pressed_.begin;
}

void Transcript::drag(int x, int y) {
  if (!from_) return;
  if (y < 0) scroll(-1);
  if (y >= height_) scroll(1);
  visible();
  const Letter letter = letter_at(x, y);
  const bool back = letter.begin < pressed_.begin;
  from_ = back ? pressed_.end : pressed_.begin;
  to_ = back ? letter.begin : letter.end;
}

std::string Transcript::release() {
  std::string text = selected();
  if (text.empty()) clear_selection();
  return text;
}

void Transcript::begin_marking() {
  if (shown_places_.empty()) return;
  const bool seen =
      hit_ && std::find(shown_places_.begin(), shown_places_.end(), *hit_) != shown_places_.end();
  mark_ = mark_end_ = seen ? *hit_ : shown_places_.back();
  move_mark(0);
}

void Transcript::move_mark(int rows) {
  Place to = step(*mark_end_, rows);
  to.row = std::min(to.row, std::max<std::size_t>(height_at(to.cell), 1) - 1);
  mark_end_ = to;
  from_ = Spot{std::min(*mark_, to), 0};
  to_ = Spot{std::max(*mark_, to), std::string::npos};
  const Place top = following_ ? last_top() : std::min(top_, last_top());
  if (to < top) {
    scroll(-1);
    top_ = to;
    following_ = false;
  }
  while (!following_ && step(top_, height_ - 1) < to) scroll(1);
}

void Transcript::end_marking() {
  mark_.reset();
  mark_end_.reset();
  clear_selection();
}

void Transcript::clear_selection() {
  from_.reset();
  to_.reset();
}

std::string Transcript::selected() const {
  if (!from_ || !to_ || *from_ == *to_) return {};
  auto* self =
      const_cast<Transcript*>(this);  // rows of cells off screen are made on demand; nothing visible changes
  const Spot begin = std::min(*from_, *to_), end = std::max(*from_, *to_);
  std::string text;
  bool first = true;
  for (std::size_t cell = begin.place.cell; cell <= end.place.cell && cell < entries_.size(); ++cell) {
    const Rows& rows = self->rows_at(cell);
    const std::size_t gap = self->height_at(cell) - rows.size();
    const std::size_t last = cell == end.place.cell ? end.place.row : rows.size() + gap - 1;
    for (std::size_t r = cell == begin.place.cell ? begin.place.row : 0; r <= last && r < rows.size() + gap;
         ++r) {
      const Row row = r < gap ? Row{} : rows[r - gap];
      const Place place{cell, r};
      const std::size_t from = place == begin.place ? begin.byte : 0,
                        to = place == end.place ? end.byte : row.text.size();
      copy_selected(text, row, from, to, std::exchange(first, false));
    }
  }
  return text;
}

void Transcript::paint_selection(Row& row, const Place& place) const {
  if (!from_ || !to_ || *from_ == *to_) return;
  const Spot begin = std::min(*from_, *to_), end = std::max(*from_, *to_);
  if (place < begin.place || place > end.place) return;
  paint_selected(row, place == begin.place ? begin.byte : 0, place == end.place ? end.byte : row.text.size());
}

}  // namespace tern
