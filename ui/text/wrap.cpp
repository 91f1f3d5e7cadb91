#include "ui/text/wrap.h"

#include <algorithm>
#include <string>

#include "ui/text/plain_ascii.h"
#include "ui/text/width.h"

namespace tern {
namespace {

// Where the next piece of at most `columns` ends, and where the one after begins (the blank between is
// dropped).
struct Cut {
  std::size_t end = 0, next = 0;
};

Cut cut_at(std::string_view text, std::size_t from, int columns) {
  std::size_t at = from;
  std::size_t blank = 0;
  bool seen_word = false;
  for (int left = columns; at < text.size();) {
    const Cluster cluster = plain_cluster(text, at) ? Cluster{1, 1} : next_cluster(text, at);
    if (cluster.columns > left) {
      if (text[at] == ' ') return {at, at + 1};
      if (blank > from) return {blank, blank + 1};
      return at > from ? Cut{at, at} : Cut{at + cluster.bytes, at + cluster.bytes};
    }
    if (text[at] == ' ' && seen_word) blank = at;
    if (text[at] != ' ') seen_word = true;
    if (cluster.columns == 2 && at > from) blank = 0;  // wide letters may break anywhere: fill the line
    left -= cluster.columns;
    at += cluster.bytes;
  }
  return {at, at};
}

}  // namespace

void wrap_into(Rows& out, const Row& row, int width, std::string_view first, std::string_view rest,
               Style gutter_style) {
  std::size_t from = 0;
  bool wrapped = false, blank_lost = false;
  do {
    const std::string_view gutter = wrapped ? rest : first;
    Row made = RowBuilder().gutter(gutter, gutter_style).take();
    const Cut cut = cut_at(row.text, from, std::max(1, width - tern::width(gutter)));
    append(made, row, from, cut.end);
    made.continued = wrapped;
    made.blank_lost = blank_lost;
    made.fill = row.fill;
    out.push_back(std::move(made));
    from = cut.next;
    blank_lost = cut.next > cut.end;
    wrapped = true;
  } while (from < row.text.size());
}

void wrap_text(Rows& out, std::string_view safe, int width, const WrapStyle& look) {
  bool start = true;
  for (std::size_t at = 0; at <= safe.size();) {
    const std::size_t end = std::min(safe.find('\n', at), safe.size());
    Row line = RowBuilder().add(safe.substr(at, end - at), look.text).take();
    line.fill = look.text.bg;
    wrap_into(out, line, width, start ? look.first : look.rest, look.rest, look.gutter);
    start = false;
    at = end + 1;
  }
}

std::string_view without_last_newline(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

}  // namespace tern
