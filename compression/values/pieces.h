// What a text is made of, as tokenizers see it: how often each kind of piece occurs. One pass, 64 bytes at a
// time.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tern {

enum class Piece : std::uint8_t {
  word,  // capitals, then small letters; a capital after a small letter starts the next one
  glued_word,
  capital_word,
  letter_after_4,
  letter_after_7,
  letter_after_10,
  more_capitals,
  rare_letter,
  vowel,
  two_letter_word,
  lone_small_word,  // not behind a space or a letter
  lone_capital_word,
  camel_word,
  word_after_underscore,
  letter_after_digit,
  digit,
  digit_group,  // of three
  digit_run,
  digit_after_letter,
  digit_after_space,
  mark,
  mark_run,
  mark_after_space,
  doubled_mark,
  closing_after_mark,
  quote_beside_mark,
  quote,
  underscore,
  slash,
  bracket,
  dot,
  dash,
  colon,
  line,
  line_run,
  line_after_mark,
  indent,
  blank_run,
  more_blanks,
  tab,
  han_easy,  // one token for every tokenizer
  han_of_claude,
  han_of_cl100k,
  han_known,  // one token for those of today
  han_rare,
  han_run,
  pair_easy,  // two that make one token
  pair_of_claude,
  pair_of_cl100k,
  pair_of_today,
  cjk_mark,
  full_width,
  kana,
  hangul,
  accented,
  two_bytes,  // of another script
  three_bytes,
  four_bytes,
  end
};
constexpr auto piece_kinds = static_cast<std::size_t>(Piece::end);

struct Pieces {
  std::array<std::uint32_t, piece_kinds> counts{};
  Pieces& operator+=(const Pieces& more) {
    for (std::size_t i = 0; i < piece_kinds; ++i) counts[i] += more.counts[i];
    return *this;
  }
};

Pieces count_pieces(std::string_view text);

}  // namespace tern
