#include "compression/values/pieces.h"

#include <bit>
#include <optional>

#include "compression/text/bytes64.h"

namespace tern {
namespace {

#include "compression/values/han_tables.inc"

constexpr std::uint32_t first_han = 0x4E00, end_han = 0xA000;

// How common a Han character is, and which two make one token.
class HanTables {
 public:
  HanTables() {
    bands_.fill(Piece::han_rare);
    band(known_today, Piece::han_known);
    band(easy_for_claude, Piece::han_of_claude);
    band(easy_for_cl100k, Piece::han_of_cl100k);
    band(easy_everywhere, Piece::han_easy);
    put(pairs_everywhere, Piece::pair_easy);
    put(pairs_of_claude, Piece::pair_of_claude);
    put(pairs_of_cl100k, Piece::pair_of_cl100k);
    put(pairs_today, Piece::pair_of_today);
  }

  Piece band(std::uint32_t han) const { return bands_[han - first_han]; }

  std::optional<Piece> pair(std::uint32_t first, std::uint32_t second) const {
    const std::uint32_t both = first << 16 | second;
    for (auto at = slot(both); keys_[at]; at = next(at))
      if (keys_[at] == both) return kinds_[at];
    return std::nullopt;
  }

 private:
  static constexpr std::size_t slots = 4096;
  static std::size_t slot(std::uint32_t both) { return both * 2654435761u >> 20; }
  static std::size_t next(std::size_t at) { return (at + 1) % slots; }

  void band(std::u16string_view characters, Piece kind) {
    for (const char16_t c : characters) bands_[c - first_han] = kind;
  }
  void put(std::u16string_view pairs, Piece kind) {
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      const std::uint32_t both = std::uint32_t{pairs[i]} << 16 | pairs[i + 1];
      auto at = slot(both);
      while (keys_[at]) at = next(at);
      keys_[at] = both;
      kinds_[at] = kind;
    }
  }

  std::array<Piece, end_han - first_han> bands_{};
  std::array<std::uint32_t, slots> keys_{};
  std::array<Piece, slots> kinds_{};
};

const HanTables& han_tables() {
  static const HanTables tables;
  return tables;
}

// Every count is that of the bits of some mask. Each mask remembers its last block, so that bit i of
// `x.before(n)` tells about the byte n places ahead of byte i.
class PieceCounter {
 public:
  explicit PieceCounter(std::string_view text) : text_(text) {}

  Pieces run() {
    for (std::size_t at = 0; at < text_.size(); at += 64) take(at);
    return pieces_;
  }

 private:
  using Bits = std::uint64_t;
  struct Mask {
    Bits bits = 0, old = 0;
    void next(Bits now) { old = bits, bits = now; }
    Bits before(int n) const { return bits << n | old >> (64 - n); }
  };

  void add(Piece kind, Bits bits) {
    pieces_.counts[static_cast<std::size_t>(kind)] += static_cast<std::uint32_t>(std::popcount(bits));
  }
  void add_one(Piece kind) { ++pieces_.counts[static_cast<std::size_t>(kind)]; }

  void take(std::size_t at) {
    const std::size_t left = text_.size() - at;
    const Bits valid = left >= 64 ? ~Bits{0} : (Bits{1} << left) - 1;
    const Bytes64 bytes(text_, at);
    upper_.next(bytes.in('A', 'Z'));
    lower_.next(bytes.in('a', 'z'));
    letter_.next(lower_.bits | upper_.bits);
    digit_.next(bytes.in('0', '9'));
    space_.next(bytes.equal(' '));
    line_.next(bytes.equal('\n'));
    white_.next(space_.bits | bytes.in('\t', '\r'));
    high_.next(bytes.high());
    mark_.next(valid & ~(letter_.bits | digit_.bits | white_.bits | high_.bits));
    words(bytes);
    digits();
    marks(bytes);
    blanks(bytes);
    if (high_.bits) characters(at, bytes.in(0x80, 0xBF));
  }

  void words(const Bytes64& bytes) {
    start_.next((letter_.bits & ~letter_.before(1)) | (upper_.bits & lower_.before(1)));
    const Bits lone = start_.bits & ~space_.before(1) & ~letter_.before(1);
    underscore_.next(bytes.equal('_'));
    add(Piece::word, start_.bits);
    add(Piece::glued_word, start_.bits & (letter_.before(1) | digit_.before(1)));
    add(Piece::capital_word, start_.bits & upper_.bits);
    add(Piece::lone_small_word, lone & lower_.bits);
    add(Piece::lone_capital_word, lone & upper_.bits);
    add(Piece::camel_word, upper_.bits & lower_.before(1));
    add(Piece::word_after_underscore, start_.bits & underscore_.before(1));
    add(Piece::letter_after_digit, letter_.bits & digit_.before(1));
    add(Piece::more_capitals, upper_.bits & upper_.before(1));
    add(Piece::two_letter_word, start_.before(2) & letter_.before(1) & ~letter_.bits);
    add(Piece::vowel,
        bytes.equal('a') | bytes.equal('e') | bytes.equal('i') | bytes.equal('o') | bytes.equal('u'));
    add(Piece::rare_letter, bytes.in('j', 'k') | bytes.equal('q') | bytes.in('v', 'x') | bytes.equal('z'));
    Bits first = start_.bits;
    int n = 1;
    for (; n < 4; ++n) first |= start_.before(n);
    add(Piece::letter_after_4, letter_.bits & ~first);
    for (; n < 7; ++n) first |= start_.before(n);
    add(Piece::letter_after_7, letter_.bits & ~first);
    for (; n < 10; ++n) first |= start_.before(n);
    add(Piece::letter_after_10, letter_.bits & ~first);
  }

  // Groups of three from where the digits start.
  void digits() {
    const Bits starts = digit_.bits & ~digit_.before(1);
    const Bits three = digit_.bits & digit_.before(1) & digit_.before(2);
    group_.next(starts);
    for (Bits more; (more = group_.before(3) & three & ~group_.bits) != 0;) group_.bits |= more;
    add(Piece::digit, digit_.bits);
    add(Piece::digit_group, group_.bits);
    add(Piece::digit_run, starts);
    add(Piece::digit_after_letter, digit_.bits & letter_.before(1));
    add(Piece::digit_after_space, digit_.bits & single_space());
  }

  Bits single_space() const { return space_.before(1) & ~white_.before(2); }

  void marks(const Bytes64& bytes) {
    const Bits quotes = bytes.equal('"'), dots = bytes.equal('.'), commas = bytes.equal(',');
    const Bits dashes = bytes.equal('-'), equals = bytes.equal('='), slashes = bytes.equal('/');
    const Bits semicolons = bytes.equal(';');
    const Bits closing = bytes.equal(')') | bytes.equal(']') | bytes.equal('}');
    const Bits opening = bytes.equal('(') | bytes.equal('[') | bytes.equal('{');
    quote_.next(quotes);
    add(Piece::mark, mark_.bits);
    add(Piece::mark_run, mark_.bits & ~mark_.before(1));
    add(Piece::mark_after_space, mark_.bits & single_space());
    add(Piece::closing_after_mark, (closing | bytes.equal('>') | semicolons | commas) & mark_.before(1));
    add(Piece::quote_beside_mark, (quotes & mark_.before(1)) | (mark_.bits & quote_.before(1)));
    add(Piece::quote, quotes | bytes.equal('\''));
    add(Piece::underscore, underscore_.bits);
    add(Piece::slash, slashes | bytes.equal('\\'));
    add(Piece::bracket, opening | closing);
    add(Piece::dot, dots | commas);
    add(Piece::dash, dashes | equals);
    add(Piece::colon, bytes.equal(':') | semicolons);
    Bits doubled = underscore_.bits & underscore_.before(1);
    const Bits drawn[] = {dashes, equals, bytes.equal('*'), bytes.equal('#'), slashes, dots};
    for (std::size_t i = 0; i < std::size(drawn); ++i) {
      drawn_[i].next(drawn[i]);
      doubled |= drawn[i] & drawn_[i].before(1);
    }
    add(Piece::doubled_mark, doubled);
  }

  void blanks(const Bytes64& bytes) {
    add(Piece::line, line_.bits);
    add(Piece::line_run, line_.bits & ~line_.before(1));
    add(Piece::line_after_mark, white_.bits & ~space_.bits & mark_.before(1));
    add(Piece::indent, white_.bits & ~line_.bits & line_.before(1));
    add(Piece::blank_run, space_.bits & white_.before(1) & ~(space_.before(1) & white_.before(2)));
    add(Piece::more_blanks, space_.bits & space_.before(1));
    add(Piece::tab, bytes.equal('\t'));
  }

  void characters(std::size_t at, Bits continuation) {
    for (Bits starts = high_.bits & ~continuation; starts; starts &= starts - 1)
      character(at + static_cast<std::size_t>(std::countr_zero(starts)));
  }

  void character(std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text_[i]); };
    const unsigned lead = byte(at);
    if (lead < 0xCC) return add_one(Piece::accented);
    if (lead < 0xE0) return add_one(Piece::two_bytes);
    if (lead >= 0xF0) return add_one(Piece::four_bytes);
    if (at + 2 >= text_.size()) return add_one(Piece::three_bytes);
    const std::uint32_t code = (lead & 15u) << 12 | (byte(at + 1) & 63u) << 6 | (byte(at + 2) & 63u);
    if (code >= first_han && code < end_han) return han(code, at);
    if (code < 0x3000) return add_one(Piece::three_bytes);
    if (code < 0x3040) return add_one(Piece::cjk_mark);
    if (code < 0xAC00) return add_one(Piece::kana);
    if (code < 0xD7B0) return add_one(Piece::hangul);
    add_one(code >= 0xFF00 ? Piece::full_width : Piece::three_bytes);
  }

  void han(std::uint32_t code, std::size_t at) {
    add_one(tables_.band(code));
    if (at != han_ends_ || at == 0) {
      add_one(Piece::han_run);
    } else if (const auto kind = tables_.pair(last_han_, code)) {
      add_one(*kind);
    }
    last_han_ = code;
    han_ends_ = at + 3;
  }

  std::string_view text_;
  const HanTables& tables_ = han_tables();
  Pieces pieces_;
  Mask letter_, lower_, upper_, digit_, space_, line_, white_, mark_, high_, start_, group_, underscore_,
      quote_;
  Mask drawn_[6];
  std::uint32_t last_han_ = 0;
  std::size_t han_ends_ = 0;
};

}  // namespace

Pieces count_pieces(std::string_view text) { return PieceCounter(text).run(); }

}  // namespace tern
