#include "compression/text/names.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "compression/text/bytes64.h"
#include "compression/text/error_words.h"
#include "compression/text/name_letters.h"

namespace tern {

using namespace name_letters;

namespace {

constexpr std::uint64_t packed(std::string_view text) {
  std::uint64_t sum = 0;
  for (const char c : text) sum = sum << 8 | static_cast<unsigned char>(c);
  return sum;
}

constexpr std::string_view known =
    "bash c cc cfg cjs conf cpp cs css csv cxx diff fish go h hpp html ini java js json jsonl jsx kt lock "
    "log lua m md "
    "mdx mjs mm mod nu patch php pony proto ps1 py rb rs scss sh snap sql sum svelte swift toml ts tsx txt "
    "vue xml yaml yml zsh ";
constexpr auto extensions = [] {
  std::array<std::uint64_t, std::count(known.begin(), known.end(), ' ')> table{};
  std::size_t at = 0;
  for (auto& entry : table) {
    const auto end = known.find(' ', at);
    entry = packed(known.substr(at, end - at));
    at = end + 1;
  }
  std::sort(table.begin(), table.end());
  return table;
}();

bool known_extension(std::string_view text) {
  if (text.empty() || text.size() > 6 || !is(text.front(), lower)) return false;
  return std::binary_search(extensions.begin(), extensions.end(), packed(text));
}

// The end of "name.ext" inside a file-like piece, or null: `main.go`, but not `object.method`.
const char* end_of_file(std::string_view text) {
  const auto dot = text.rfind('.');
  if (dot == text.npos || dot == 0) return nullptr;
  const char* start = text.data() + dot + 1;
  const char* end = run_of(start, text.data() + text.size(), word);
  return known_extension(between(start, end)) ? end : nullptr;
}

bool no_name(std::string_view part) { return part == "." || part == ".." || part == "~"; }

void look_at(NameText& t, std::size_t block) {
  const Bytes64 bytes(t.text, block);
  t.block = block;
  t.upper = bytes.in('A', 'Z');
  t.digit = bytes.in('0', '9');
  t.under = bytes.equal('_');
  t.joint = bytes.in('-', '/') | bytes.equal('+') | bytes.equal('@') | bytes.equal('~');
  t.special = t.upper | t.digit | t.under | t.joint;
  t.piece = bytes.in('a', 'z') | t.special;
  t.mark = bytes.equal('#') | bytes.equal('\\');
}

class Scanner {
 public:
  Scanner(NameText& text, std::size_t begin, std::size_t end, std::vector<Name>& out)
      : text_(text), p_(text.text.data() + begin), end_(text.text.data() + end), out_(out) {}

  bool run() {
    while (p_ < end_) in_block();
    return error_;
  }

 private:
  void add(NameKind kind, const char* begin, const char* end) { out_.push_back({kind, between(begin, end)}); }

  void issue() {
    const char* start = p_++;
    p_ = run_of(p_, end_, digit);
    if (p_ - start >= 3) add(NameKind::number, start, p_);
  }

  std::size_t place_of(const char* p) const { return static_cast<std::size_t>(p - text_.text.data()); }

  // Where `p` stands in its block, which is looked at when it is not the last one.
  unsigned enter(const char* p) {
    const std::size_t at = place_of(p);
    if (const std::size_t block = at & ~std::size_t{63}; block != text_.block) look_at(text_, block);
    return at & 63;
  }

  // What begins in the block of p_; a piece may lead out of it.
  void in_block() {
    const unsigned from = enter(p_);
    const char* const base = p_ - from;
    const std::uint64_t found = text_.piece | text_.mark, other = ~text_.piece;
    for (std::uint64_t rest = found >> from << from; rest != 0;) {
      const int at = std::countr_zero(rest);
      if ((p_ = base + at) >= end_) return;
      const std::uint64_t behind = other >> at << at;
      const int stop = behind ? std::countr_zero(behind) : 64;
      if (stop == at)
        mark();
      else if (stop == 64 || base + stop > end_)
        return long_piece();
      else if (const std::uint64_t here = (std::uint64_t{1} << stop) - (std::uint64_t{1} << at);
               text_.special & here)
        p_ = base + stop, one_piece(base + at, kinds_in(here));
      else
        p_ = base + stop, plain_word(base + at);
      if (p_ >= base + 64) return;
      rest = found >> (p_ - base) << (p_ - base);
    }
    p_ = base + 64;
  }

  void mark() {
    if (*p_ == '#') return issue();
    p_ += text_.escapes == Escapes::json && p_ + 1 < end_ ? 2 : 1;
  }

  std::uint8_t kinds_in(std::uint64_t here) const {
    return static_cast<std::uint8_t>((text_.upper & here ? upper : 0) | (text_.digit & here ? digit : 0) |
                                     (text_.under & here ? under : 0) | (text_.joint & here ? joint : 0));
  }

  // A piece that leads out of its block or is cut by the line's end.
  void long_piece() {
    const char* const start = p_;
    std::uint8_t seen = 0;
    while (p_ < end_) {
      const unsigned from = enter(p_);
      const std::uint64_t other = ~text_.piece >> from;
      const auto size = std::min<std::ptrdiff_t>(other ? std::countr_zero(other) : 64 - from, end_ - p_);
      if (size == 0) break;
      seen |= kinds_in(~std::uint64_t{0} >> (64 - size) << from);
      p_ += size;
    }
    one_piece(start, seen);
  }

  // Small letters only: no name, but perhaps a word that reports an error, or the beginning of an address.
  void plain_word(const char* start) {
    if (!error_) error_ = bad(start, p_, true);
    if (*start == 'h') url(start);
  }

  void one_piece(const char* start, std::uint8_t seen) {
    if (*start == 'h' && url(start)) return;
    if (seen & joint) return joined_piece(start, seen);
    if (!error_) error_ = bad(start, p_, !(seen & (under | digit)));
    if (p_ - start < 3) return;
    if (is(*start, digit))
      number(start, p_, start, p_);
    else if (seen & (under | digit) || has_inner_capital(start))
      ident(start, p_, p_);
  }

  // "Word" is no name, "wordTwo" is.
  bool has_inner_capital(const char* start) const {
    return std::any_of(start + 1, p_, [](char c) { return is(c, upper); });
  }

  void joined_piece(const char* start, std::uint8_t seen) {
    const char* slash = nullptr;
    const char* dot = nullptr;
    for (const char* p = start; p < p_; ++p) {
      if (is(*p, joint)) (*p == '/' ? slash : dot) = p;
    }
    if (!error_)
      error_ = slash ? (negated_ = false) : bad_joined(start);  // a path names things, it reports nothing
    if (p_ - start < 3) return;
    const char* stop = p_;
    while (stop > start && (stop[-1] == '.' || stop[-1] == '-')) --stop;
    if (slash)
      path(start, stop);
    else if (dot > start)
      file(start, stop);
    if (start[0] == '-' && stop - start > 4 && start[1] == '-' && is(start[2], lower)) flag(start + 2, stop);
    if (seen & (upper | digit | under)) words(start, stop);
  }

  // Whole words only: "err.Error" and "FAIL-fast" report, "parse_error" is a name. "found" and "such" need
  // the word before.
  bool bad(const char* start, const char* stop, bool letters) {
    if (is(*start, starts_bad)) return bad_word(start, stop, letters);
    return negated_ = false;
  }

  bool bad_word(const char* start, const char* stop, bool letters) {
    const bool negated = std::exchange(negated_, false);
    const auto size = static_cast<std::size_t>(stop - start);
    if (!may_be_bad(start, size)) return false;
    const auto text = between(start, stop);
    if (same_word(text.substr(0, bad_stem.size()), bad_stem)) return true;
    if (!letters) return false;
    if (negated && one_of(text, negated_words)) return true;
    negated_ = one_of(text, negations);
    return !negated_ && one_of(text, bad_words);
  }

  bool bad_joined(const char* start) {
    for (const char* p = start; p < p_; ++p) {
      const char* letters = run_of(p, p_, letter);
      const char* stop = run_of(letters, p_, word);
      if (stop > p && bad(p, stop, letters == stop)) return true;
      p = stop;
    }
    return false;
  }

  bool url(const char* start) {
    if (end_ - p_ <= 3 || std::memcmp(p_, "://", 3) != 0) return false;
    while (p_<end_&& static_cast<unsigned char>(*p_)> ' ' && !std::strchr("\"'<>)]}`\\", *p_)) ++p_;
    const char* stop = p_;
    while (stop > start && std::strchr(".,;:", stop[-1])) --stop;
    add(NameKind::url, start, stop);
    return true;
  }

  // The last two parts tell one file from another; what stands before is the same for most of a project.
  void path(const char* start, const char* stop) {
    while (stop > start && stop[-1] == '/') --stop;
    const char* last = stop;
    while (last > start && last[-1] != '/') --last;
    const char* before = last > start ? last - 1 : start;
    while (before > start && before[-1] != '/') --before;
    const bool two = last > start && last - 1 > before && !no_name(between(before, last - 1));
    if (two && std::any_of(last, stop, [](char c) { return is(c, letter); }))
      add(NameKind::path, before, stop);
    if (const char* end = end_of_file(between(last, stop))) add_file(last, end);
  }

  void file(const char* start, const char* stop) {
    if (const char* end = end_of_file(between(start, stop))) add_file(start, end);
  }

  void add_file(const char* start, const char* stop) {
    add(NameKind::file, start, stop);
    if (stop + 1 < end_ && *stop == ':' && is(stop[1], digit))
      add(NameKind::place, start, run_of(stop + 1, end_, digit));
  }

  void flag(const char* start, const char* stop) {
    const char* end = start;
    while (end < stop && (is(*end, lower | digit) || *end == '-')) ++end;
    add(NameKind::flag, start, end);
  }

  void words(const char* start, const char* stop) {
    for (const char* p = start; p < stop;) {
      if (!is(*p, word)) {
        ++p;
        continue;
      }
      const char* end = run_of(p, stop, word);
      if (is(*p, digit))
        number(p, end, start, stop);
      else
        ident(p, end, stop);
      p = end;
    }
  }

  static bool has_hump(const char* p, const char* end) {
    for (const char* q = p + 1; q + 1 < end; ++q) {
      if (is(*q, under) && !is(q[-1], under) && !is(q[1], under)) return true;
      if (is(*q, upper) && (is(q[-1], lower | digit) || (is(q[-1], upper) && is(q[1], lower)))) return true;
    }
    return is(end[-1], upper) && is(end[-2], lower | digit);
  }

  static bool is_hash(const char* p, const char* end) {
    if (end - p < 7 || end - p > 40 || run_of(p, end, hex) != end) return false;
    return std::any_of(p, end, [](char c) { return is(c, digit); }) &&
           std::any_of(p, end, [](char c) { return is(c, lower); });
  }

  void ident(const char* p, const char* end, const char* stop) {
    if (is_hash(p, end)) return add(NameKind::number, p, end);
    if (end - p >= 5 && end - p <= 64 && has_hump(p, end)) return add(NameKind::ident, p, end);
    const bool key = end - p >= 2 && end - p <= 8 && end + 1 < stop && *end == '-' && is(end[1], digit);
    if (key && run_of(p, end, upper) == end) add(NameKind::number, p, run_of(end + 1, stop, digit));
  }

  void number(const char* p, const char* end, const char* start, const char* stop) {
    const bool free = (p == start || p[-1] != '.') && (end == stop || *end != '.');
    if (is_hash(p, end) || (free && end - p >= 4 && run_of(p, end, digit) == end))
      return add(NameKind::number, p, end);
    int dots = 0;  // a version: three numbers with dots between
    const char* q = p;
    if (p > start && p[-1] == '.') return;
    while (q < stop && (is(*q, digit) || (*q == '.' && q + 1 < stop && is(q[1], digit)))) dots += *q++ == '.';
    if (dots >= 2) add(NameKind::number, p, q);
  }

  NameText& text_;
  const char* p_;
  const char* end_;
  std::vector<Name>& out_;
  bool error_ = false, negated_ = false;
};

}  // namespace

bool scan_names(NameText& text, std::size_t begin, std::size_t end, std::vector<Name>& out) {
  return Scanner(text, begin, end, out).run();
}

bool scan_names(std::string_view line, Escapes escapes, std::vector<Name>& out) {
  NameText text{.text = line, .escapes = escapes};
  return scan_names(text, 0, line.size(), out);
}

bool reports_error(std::string_view line) {
  std::vector<Name> names;
  return scan_names(line, Escapes::plain, names);
}

void scan_error_runs(std::string_view line, std::vector<Name>& out) {
  constexpr std::size_t longest = 400, words = 4, least = 16;
  if (line.size() > longest) return;
  std::array<const char*, words> starts{};
  const char* end = line.data() + line.size();
  std::size_t n = 0;
  for (const char* p = line.data(); p < end;) {
    if (!is(*p, piece)) {
      ++p;
      continue;
    }
    starts[n % words] = p;
    p = run_of(p, end, piece);
    if (++n >= words && static_cast<std::size_t>(p - starts[n % words]) >= least)
      out.push_back({NameKind::error, between(starts[n % words], p)});
  }
}

}  // namespace tern
