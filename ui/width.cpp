#include "ui/width.h"

#include <utf8proc.h>

#include <algorithm>

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

bool plain_ascii(char c) { return c >= 0x20 && c < 0x7F; }

// Blocks whose East Asian width is "ambiguous" and which terminals really draw wide when told to.
bool ambiguous(utf8proc_int32_t c) {
  static constexpr struct {
    utf8proc_int32_t first, last;
  } blocks[] = {{0xA1, 0xA1},     {0xA4, 0xA4},     {0xA7, 0xA8},     {0xB0, 0xB4},     {0xB6, 0xBA},     {0xBC, 0xBF},
                {0xD7, 0xD7},     {0xF7, 0xF7},     {0x391, 0x3C9},   {0x401, 0x451},   {0x2010, 0x2027}, {0x2030, 0x203E},
                {0x2103, 0x2109}, {0x2160, 0x217B}, {0x2190, 0x21FF}, {0x2200, 0x22BF}, {0x2460, 0x24FF}, {0x2500, 0x257F},
                {0x2580, 0x2595}, {0x25A0, 0x25EF}, {0x2605, 0x2606}, {0x2660, 0x266F}, {0x2776, 0x277F}};
  const auto* block = std::upper_bound(std::begin(blocks), std::end(blocks), c,
                                       [](utf8proc_int32_t value, const auto& b) { return value < b.first; });
  return block != std::begin(blocks) && c <= std::prev(block)->last;
}

// Emoji of later Unicode versions than the library's tables: unassigned there, wide on every terminal that has them.
bool later_emoji(utf8proc_int32_t c) { return c >= 0x1FA70 && c <= 0x1FAFF; }

int point_columns(utf8proc_int32_t c) {
  if (later_emoji(c)) return 2;
  if (ambiguous_columns == 2 && ambiguous(c)) return 2;
  return std::clamp(utf8proc_charwidth(c), 0, 2);
}

bool regional(utf8proc_int32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }

}  // namespace

Cluster next_cluster(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  if (plain_ascii(text[at]) && (at + 1 >= text.size() || plain_ascii(text[at + 1]))) return {1, 1};
  Point point = decode(text, at);
  Cluster cluster{point.bytes, point_columns(point.code)};
  const bool flag = regional(point.code);
  utf8proc_int32_t state = 0;
  utf8proc_int32_t previous = point.code;
  while (at + cluster.bytes < text.size()) {
    point = decode(text, at + cluster.bytes);
    if (utf8proc_grapheme_break_stateful(previous, point.code, &state)) break;
    cluster.bytes += point.bytes;
    if (point.code == 0xFE0F || (flag && regional(point.code))) cluster.columns = 2;
    cluster.columns = std::max(cluster.columns, point_columns(point.code));
    previous = point.code;
  }
  return cluster;
}

std::size_t previous_boundary(std::string_view text, std::size_t at) {
  if (at == 0) return 0;
  // Clusters are short: start from the last newline or at most 64 bytes back, on a code point.
  std::size_t start = at > 64 ? at - 64 : 0;
  while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) --start;
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
    const Cluster cluster = next_cluster(text, at);
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
