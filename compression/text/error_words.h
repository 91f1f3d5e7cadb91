// The words by which tools say that something went wrong, and a quick look that most words of a text fail.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "compression/text/name_letters.h"

namespace tern::name_letters {

inline bool same_word(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return low(a) == b; });
}

// Words by which tools say that something went wrong; "found" and "such" count behind a "not" or "no", which
// is for later.
constexpr std::string_view bad_words[] = {"error", "errors", "exception", "fail",   "failed",    "failure",
                                          "fatal", "panic",  "undefined", "cannot", "traceback", "denied"};
constexpr std::string_view negations[] = {"not", "no"}, negated_words[] = {"found", "such"};
constexpr std::string_view bad_stem = "assert";
constexpr std::size_t longest_bad = 16;

// By first letter, as bits: the lengths such a word may have, and its second letters. Most words of a text
// stop here.
struct BadStart {
  std::uint32_t lengths = 0, seconds = 0;
};
constexpr auto bad_starts = [] {
  std::array<BadStart, 26> table{};
  const auto add = [&](std::string_view text, std::size_t size) {
    auto& start = table[text[0] - 'a'];
    start.lengths |= 1u << size;
    start.seconds |= 1u << (text[1] - 'a');
  };
  for (const auto text : bad_words) add(text, text.size());
  for (const auto text : negations) add(text, text.size());
  for (const auto text : negated_words) add(text, text.size());
  for (std::size_t size = bad_stem.size(); size <= longest_bad; ++size) add(bad_stem, size);
  return table;
}();

inline bool may_be_bad(const char* text, std::size_t size) {
  if (size < 2 || size > longest_bad || !is(text[1], lower | upper)) return false;
  const auto& start = bad_starts[static_cast<std::size_t>(low(text[0]) - 'a')];
  return (start.lengths >> size & 1) && (start.seconds >> (low(text[1]) - 'a') & 1);
}

inline bool one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view other) { return same_word(text, other); });
}

}  // namespace tern::name_letters
