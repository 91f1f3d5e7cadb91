#include "compression/names.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tern {

namespace {

enum Bits : std::uint8_t { lower = 1, upper = 2, digit = 4, under = 8, joint = 16, hex = 32, starts_bad = 64 };
constexpr std::uint8_t word = lower | upper | digit | under, letter = lower | upper, piece = word | joint;

constexpr std::array<std::uint8_t, 256> make_bits() {
  std::array<std::uint8_t, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = c <= 'f' ? lower | hex : lower;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = upper;
  for (int c = '0'; c <= '9'; ++c) table[c] = digit | hex;
  for (const char c : {'.', '/', '-', '@', '+', '~'}) table[static_cast<unsigned char>(c)] = joint;
  table['_'] = under;
  for (const char c : {'a', 'c', 'd', 'e', 'f', 'n', 'p', 's', 't', 'u'}) {
    table[static_cast<unsigned char>(c)] |= starts_bad;
    table[static_cast<unsigned char>(c - 32)] |= starts_bad;
  }
  return table;
}
constexpr auto bits = make_bits();

bool is(char c, std::uint8_t kind) { return (bits[static_cast<unsigned char>(c)] & kind) != 0; }

const char* run_of(const char* p, const char* end, std::uint8_t kind) {
  while (p < end && is(*p, kind)) ++p;
  return p;
}

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

constexpr std::uint64_t packed(std::string_view text) {
  std::uint64_t sum = 0;
  for (const char c : text) sum = sum << 8 | static_cast<unsigned char>(c);
  return sum;
}

constexpr std::string_view known =
    "bash c cc cfg cjs conf cpp cs css csv cxx diff fish go h hpp html ini java js json jsonl jsx kt lock log lua m md "
    "mdx mjs mm mod nu patch php pony proto ps1 py rb rs scss sh snap sql sum svelte swift toml ts tsx txt vue xml yaml yml zsh ";
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

char low(char c) { return is(c, upper) ? static_cast<char>(c + 32) : c; }

bool same_word(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(), [](char a, char b) { return low(a) == b; });
}

// Words by which tools say that something went wrong; "not found" is looked for apart.
bool bad_word(std::string_view text) {
  switch (low(text.front())) {
    case 'e': return same_word(text, "error") || same_word(text, "errors") || same_word(text, "exception");
    case 'f':
      return same_word(text, "fail") || same_word(text, "failed") || same_word(text, "failure") || same_word(text, "fatal");
    case 'p': return same_word(text, "panic");
    case 'u': return same_word(text, "undefined");
    case 'c': return same_word(text, "cannot");
    case 't': return same_word(text, "traceback");
    case 'd': return same_word(text, "denied");
    case 'n': return same_word(text, "not") || same_word(text, "no");
    case 'a': return text.size() >= 6 && same_word(text.substr(0, 6), "assert");
    default: return false;
  }
}

class Scanner {
 public:
  Scanner(std::string_view line, Escapes escapes, std::vector<Name>& out)
      : p_(line.data()), end_(line.data() + line.size()), escapes_(escapes), out_(out) {}

  bool run() {
    while (p_ < end_) {
      const char* p = p_;
      while (p < end_ && !(bits[static_cast<unsigned char>(*p)] & piece) && *p != '#' && *p != '\\') ++p;
      if ((p_ = p) == end_) break;
      if (is(*p_, piece))
        one_piece();
      else if (*p_ == '#')
        issue();
      else
        p_ += *p_ == '\\' && escapes_ == Escapes::json && p_ + 1 < end_ ? 2 : 1;
    }
    return error_;
  }

 private:
  void add(NameKind kind, const char* begin, const char* end) { out_.push_back({kind, between(begin, end)}); }

  void issue() {
    const char* start = p_++;
    p_ = run_of(p_, end_, digit);
    if (p_ - start >= 3) add(NameKind::number, start, p_);
  }

  void one_piece() {
    const char* start = p_;
    const char* p = start;  // in a register: a member would be stored for every byte
    std::uint8_t seen = 0;
    for (std::uint8_t kind; p < end_ && ((kind = bits[static_cast<unsigned char>(*p)]) & piece); ++p) seen |= kind;
    p_ = p;
    error_ = error_ || bad_piece(start, seen);
    if (*start == 'h' && end_ - p_ > 3 && std::memcmp(p_, "://", 3) == 0) return url(start);
    if (!(seen & (upper | digit | under | joint)) || p_ - start < 3) return;
    if (seen & joint) return joined_piece(start, seen);
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
    const char* stop = p_;
    while (stop > start && (stop[-1] == '.' || stop[-1] == '-')) --stop;
    if (slash)
      path(start, stop);
    else if (dot > start)
      file(start, stop);
    if (start[0] == '-' && stop - start > 4 && start[1] == '-' && is(start[2], lower)) flag(start + 2, stop);
    if (seen & (upper | digit | under)) words(start, stop);
  }

  // "not found" and "no such" need the word before.
  bool bad_piece(const char* start, std::uint8_t seen) {
    const bool negated = std::exchange(negated_, false);
    if (!is(*start, starts_bad) && !(seen & joint)) return false;
    if (!(seen & (joint | under | digit))) return bad_text(between(start, p_), negated);
    bool bad = false;
    for (const char* p = start; p < p_ && !bad;) {  // "err.Error", "FAIL-fast"
      const char* stop = run_of(p, p_, letter);
      bad = stop > p && bad_text(between(p, stop), negated);
      p = run_of(std::max(stop, p + 1), p_, joint | under | digit);
    }
    return bad;
  }

  bool bad_text(std::string_view text, bool negated) {
    if (text.size() < 2 || text.size() > 16) return false;
    if (negated && (same_word(text, "found") || same_word(text, "such"))) return true;
    if (!bad_word(text)) return false;
    negated_ = low(text.front()) == 'n';
    return !negated_;
  }

  void url(const char* start) {
    while (p_<end_&& static_cast<unsigned char>(*p_)> ' ' && !std::strchr("\"'<>)]}`\\", *p_)) ++p_;
    const char* stop = p_;
    while (stop > start && std::strchr(".,;:", stop[-1])) --stop;
    add(NameKind::url, start, stop);
  }

  // The last two parts tell one file from another; what stands before is the same for most of a project.
  void path(const char* start, const char* stop) {
    while (stop > start && stop[-1] == '/') --stop;
    const char* last = stop;
    while (last > start && last[-1] != '/') --last;
    const char* before = last > start ? last - 1 : start;
    while (before > start && before[-1] != '/') --before;
    const bool two = last > start && last - 1 > before && !no_name(between(before, last - 1));
    if (two && std::any_of(last, stop, [](char c) { return is(c, letter); })) add(NameKind::path, before, stop);
    if (const char* end = end_of_file(between(last, stop))) add_file(last, end);
  }

  void file(const char* start, const char* stop) {
    if (const char* end = end_of_file(between(start, stop))) add_file(start, end);
  }

  void add_file(const char* start, const char* stop) {
    add(NameKind::file, start, stop);
    if (stop + 1 < end_ && *stop == ':' && is(stop[1], digit)) add(NameKind::place, start, run_of(stop + 1, end_, digit));
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
    return std::any_of(p, end, [](char c) { return is(c, digit); }) && std::any_of(p, end, [](char c) { return is(c, lower); });
  }

  void ident(const char* p, const char* end, const char* stop) {
    if (is_hash(p, end)) return add(NameKind::number, p, end);
    if (end - p >= 5 && end - p <= 64 && has_hump(p, end)) return add(NameKind::ident, p, end);
    const bool key = end - p >= 2 && end - p <= 8 && end + 1 < stop && *end == '-' && is(end[1], digit);
    if (key && run_of(p, end, upper) == end) add(NameKind::number, p, run_of(end + 1, stop, digit));
  }

  void number(const char* p, const char* end, const char* start, const char* stop) {
    const bool free = (p == start || p[-1] != '.') && (end == stop || *end != '.');
    if (is_hash(p, end) || (free && end - p >= 4 && run_of(p, end, digit) == end)) return add(NameKind::number, p, end);
    int dots = 0;  // a version: three numbers with dots between
    const char* q = p;
    if (p > start && p[-1] == '.') return;
    while (q < stop && (is(*q, digit) || (*q == '.' && q + 1 < stop && is(q[1], digit)))) dots += *q++ == '.';
    if (dots >= 2) add(NameKind::number, p, q);
  }

  const char* p_;
  const char* end_;
  Escapes escapes_;
  std::vector<Name>& out_;
  bool error_ = false, negated_ = false;
};

}  // namespace

bool scan_names(std::string_view line, Escapes escapes, std::vector<Name>& out) { return Scanner(line, escapes, out).run(); }

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
    if (++n >= words && static_cast<std::size_t>(p - starts[n % words]) >= least) {
      out.push_back({NameKind::error, between(starts[n % words], p)});
    }
  }
}

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t h = 0x9E3779B97F4A7C15ull ^ (text.size() * 0xC2B2AE3D27D4EB4Full);
  const char* p = text.data();
  std::size_t left = text.size();
  const auto mix = [&h](std::uint64_t chunk) {
    h = (h ^ chunk) * 0xD6E8FEB86659FD93ull;
    h ^= h >> 32;
  };
  for (; left >= 8; left -= 8, p += 8) {
    std::uint64_t chunk;
    std::memcpy(&chunk, p, 8);
    mix(chunk);
  }
  std::uint64_t rest = 0;
  if (left) std::memcpy(&rest, p, left);
  mix(rest);
  return h;
}

std::uint64_t key_of(const Name& name) {
  return hash_text(name.text) + static_cast<std::uint64_t>(name.kind) * 0x9E3779B97F4A7C15ull;
}

}  // namespace tern
