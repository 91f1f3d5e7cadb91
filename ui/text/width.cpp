#include "ui/text/width.h"

#include <utf8proc.h>

#include <algorithm>

#include "ui/text/plain_ascii.h"

namespace tern {
namespace {

int ambiguous_columns = 1;

struct Point {
  utf8proc_int32_t code = -1;
  std::size_t bytes = 0;
};

Point decode(std::string_view text, std::size_t at) {
  Point point;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at;
  const auto read = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - at), &point.code);
  point.bytes = read > 0 ? static_cast<std::size_t>(read) : 1;
  if (read <= 0) point.code = 0xFFFD;
  return point;
}

// Blocks whose East Asian width is "ambiguous" and which terminals really draw wide when told to.
bool ambiguous(utf8proc_int32_t c) {
  static constexpr struct {
    utf8proc_int32_t first, last;
  } blocks[] = {{0xA1, 0xA1},     {0xA4, 0xA4},     {0xA7, 0xA8},     {0xB0, 0xB4},     {0xB6, 0xBA},
                {0xBC, 0xBF},     {0xD7, 0xD7},     {0xF7, 0xF7},     {0x391, 0x3C9},   {0x401, 0x451},
                {0x2010, 0x2027}, {0x2030, 0x203E}, {0x2103, 0x2109}, {0x2160, 0x217B}, {0x2190, 0x21FF},
                {0x2200, 0x22BF}, {0x2460, 0x24FF}, {0x2500, 0x257F}, {0x2580, 0x2595}, {0x25A0, 0x25EF},
                {0x2605, 0x2606}, {0x2660, 0x266F}, {0x2776, 0x277F}};
  const auto* block = std::upper_bound(std::begin(blocks), std::end(blocks), c,
                                       [](utf8proc_int32_t value, const auto& b) { return value < b.first; });
  return block != std::begin(blocks) && c <= std::prev(block)->last;
}

// Emoji of later Unicode versions than the library's tables: unassigned there, wide on every terminal that
// has them.
bool later_emoji(utf8proc_int32_t c) { return c >= 0x1FA70 && c <= 0x1FAFF; }

bool regional(utf8proc_int32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }
bool skin_tone(utf8proc_int32_t c) { return c >= 0x1F3FB && c <= 0x1F3FF; }
bool jamo_vowel_or_tail(utf8proc_int32_t c) {
  return (c >= 0x1160 && c <= 0x11FF) || (c >= 0xD7B0 && c <= 0xD7FB);
}

int point_columns(utf8proc_int32_t c) {
  if (later_emoji(c)) return 2;
  if (ambiguous_columns == 2 && ambiguous(c)) return 2;
  const int columns = std::clamp(utf8proc_charwidth(c), 0, 2);
  if (columns > 0) return columns;
  // The library draws these onto their neighbours; terminals give them a cell.
  const utf8proc_property_t* property = utf8proc_get_property(c);
  return property->category == UTF8PROC_CATEGORY_MC || property->boundclass == UTF8PROC_BOUNDCLASS_PREPEND;
}

bool pictographic(utf8proc_int32_t c) {
  return later_emoji(c) || utf8proc_get_property(c)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

// Letters and symbols that U+FE0F turns into a picture of two columns (emoji-variation-sequences).
bool has_picture(utf8proc_int32_t c) {
  static constexpr struct {
    utf8proc_int32_t first, last;
  } ranges[] = {{'#', '#'},       {'*', '*'},       {'0', '9'},       {0xA9, 0xA9},     {0xAE, 0xAE},
                {0x203C, 0x203C}, {0x2049, 0x2049}, {0x2122, 0x2122}, {0x2139, 0x2139}, {0x2194, 0x2199},
                {0x21A9, 0x21AA}, {0x231A, 0x231B}, {0x2328, 0x2328}, {0x23CF, 0x23CF}, {0x23E9, 0x23F3},
                {0x23F8, 0x23FA}, {0x24C2, 0x24C2}, {0x25AA, 0x25AB}, {0x25B6, 0x25B6}, {0x25C0, 0x25C0},
                {0x25FB, 0x25FE}, {0x2600, 0x2604}, {0x260E, 0x260E}, {0x2611, 0x2611}, {0x2614, 0x2615},
                {0x2618, 0x2618}, {0x261D, 0x261D}, {0x2620, 0x2620}, {0x2622, 0x2623}, {0x2626, 0x2626},
                {0x262A, 0x262A}, {0x262E, 0x262F}, {0x2638, 0x263A}, {0x2640, 0x2640}, {0x2642, 0x2642},
                {0x2648, 0x2653}, {0x265F, 0x2660}, {0x2663, 0x2663}, {0x2665, 0x2666}, {0x2668, 0x2668},
                {0x267B, 0x267B}, {0x267E, 0x267F}, {0x2692, 0x2697}, {0x2699, 0x2699}, {0x269B, 0x269C},
                {0x26A0, 0x26A1}, {0x26A7, 0x26A7}, {0x26AA, 0x26AB}, {0x26B0, 0x26B1}, {0x26BD, 0x26BE},
                {0x26C4, 0x26C5}, {0x26C8, 0x26C8}, {0x26CE, 0x26CF}, {0x26D1, 0x26D1}, {0x26D3, 0x26D4},
                {0x26E9, 0x26EA}, {0x26F0, 0x26F5}, {0x26F7, 0x26FA}, {0x26FD, 0x26FD}, {0x2702, 0x2702},
                {0x2705, 0x2705}, {0x2708, 0x270D}, {0x270F, 0x270F}, {0x2712, 0x2712}, {0x2714, 0x2714},
                {0x2716, 0x2716}, {0x271D, 0x271D}, {0x2721, 0x2721}, {0x2728, 0x2728}, {0x2733, 0x2734},
                {0x2744, 0x2744}, {0x2747, 0x2747}, {0x274C, 0x274C}, {0x274E, 0x274E}, {0x2753, 0x2755},
                {0x2757, 0x2757}, {0x2763, 0x2764}, {0x2795, 0x2797}, {0x27A1, 0x27A1}, {0x27B0, 0x27B0},
                {0x2934, 0x2935}, {0x2B05, 0x2B07}, {0x2B1B, 0x2B1C}, {0x2B50, 0x2B50}, {0x2B55, 0x2B55},
                {0x3030, 0x3030}, {0x303D, 0x303D}, {0x3297, 0x3297}, {0x3299, 0x3299}};
  if (c >= 0x1F000) return pictographic(c);
  const auto* range = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                       [](utf8proc_int32_t value, const auto& r) { return value < r.first; });
  return range != std::begin(ranges) && c <= std::prev(range)->last;
}

constexpr int most_points = 10;  // the longest emoji sequence in use

// A cluster as it grows by one code point after the other.
class Growing {
 public:
  explicit Growing(utf8proc_int32_t first) : base_(first), previous_(first), columns_(point_columns(first)) {}

  // False when `c` begins the next cluster.
  bool takes(utf8proc_int32_t c) {
    if (points_ == most_points || utf8proc_grapheme_break_stateful(previous_, c, &state_) || !widen(c))
      return false;
    ++points_;
    previous_ = c;
    return true;
  }
  int columns() const { return columns_; }

 private:
  bool widen(utf8proc_int32_t c) {
    const utf8proc_int32_t before = previous_;
    if (c == 0xFE0F || regional(c) || (before == 0x200D && pictographic(c))) {
      if (c != 0xFE0F || (points_ == 1 && has_picture(base_))) columns_ = 2;
      return true;
    }
    if (skin_tone(c)) {
      const bool person = pictographic(before) || (points_ == 2 && before == 0xFE0F && pictographic(base_));
      if (person) columns_ = 2;
      return person;
    }
    if (jamo_vowel_or_tail(c)) return true;
    const int more = point_columns(c);
    if (columns_ + more > 2) return false;
    columns_ += more;
    return true;
  }

  utf8proc_int32_t base_, previous_, state_ = 0;
  int points_ = 1, columns_;
};

// Frames and rules are in every picture, and long.
constexpr std::string_view frame_piece = "─";

bool frame_line(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (!rest.starts_with(frame_piece)) return false;
  const std::string_view next = rest.substr(frame_piece.size());
  return next.empty() || plain_ascii(next[0]) || next.starts_with(frame_piece);
}

}  // namespace

Cluster next_cluster(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  if (plain_cluster(text, at)) return {1, 1};
  if (frame_line(text, at)) return {frame_piece.size(), ambiguous_columns};
  Point point = decode(text, at);
  Growing cluster(point.code);
  std::size_t bytes = point.bytes;
  while (at + bytes < text.size()) {
    point = decode(text, at + bytes);
    if (!cluster.takes(point.code)) break;
    bytes += point.bytes;
  }
  return {bytes, cluster.columns()};
}

int most_columns(std::string_view cluster) {
  int columns = 0;
  for (std::size_t at = 0; at < cluster.size();) {
    const Point point = decode(cluster, at);
    const bool joins = at > 0 && jamo_vowel_or_tail(point.code);
    columns += joins ? 0 : point_columns(point.code);
    at += point.bytes;
  }
  return columns;
}

bool is_mark(std::uint32_t code) {
  if (code < 0x300 || (code >= 0x3400 && code < 0xA000)) return false;
  const auto c = static_cast<utf8proc_int32_t>(code);
  const auto category = utf8proc_get_property(c)->category;
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
         category == UTF8PROC_CATEGORY_ME || jamo_vowel_or_tail(c);
}

std::size_t previous_boundary(std::string_view text, std::size_t at) {
  if (at == 0) return 0;
  // Clusters are short: start at most 64 bytes back, on a code point that is no mark of an endless run.
  const auto begins = [&](std::size_t i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) return false;
    return plain_ascii(text[i]) || !is_mark(static_cast<std::uint32_t>(decode(text, i).code));
  };
  std::size_t start = at > 64 ? at - 64 : 0;
  while (start > 0 && !begins(start)) --start;
  std::size_t boundary = start;
  while (start < at) {
    boundary = start;
    start += next_cluster(text, start).bytes;
  }
  return boundary;
}

int width(std::string_view text) {
  int columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Cluster cluster = plain_cluster(text, at) ? Cluster{1, 1} : next_cluster(text, at);
    columns += cluster.columns;
    at += cluster.bytes;
  }
  return columns;
}

std::size_t fit(std::string_view text, int columns) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Cluster cluster = next_cluster(text, at);
    if (cluster.columns > columns) break;
    columns -= cluster.columns;
    at += cluster.bytes;
  }
  return at;
}

std::string shorten(std::string_view text, int columns) {
  if (fit(text, columns) == text.size()) return std::string(text);
  if (columns <= 0) return {};
  return std::string(text.substr(0, fit(text, columns - 1))) + "…";
}

std::string shorten_middle(std::string_view text, int columns) {
  const int whole = width(text);
  if (whole <= columns) return std::string(text);
  if (columns < 5) return shorten(text, columns);
  const int tail = (columns - 1) * 3 / 4;
  const std::size_t head = fit(text, columns - 1 - tail);
  std::size_t from = fit(text, whole - tail);
  if (width(text.substr(from)) > tail) from += next_cluster(text, from).bytes;
  return std::string(text.substr(0, head)) + "…" + std::string(text.substr(from));
}

void set_ambiguous_width(int columns) { ambiguous_columns = columns == 2 ? 2 : 1; }

}  // namespace tern
