#include "compression/text/prose.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tern {

namespace {

constexpr std::array<std::string_view, 27> reasons = {
    "because",    "since",     "so that",    "instead",     "rather than", "decided",   "decision",
    "chose",      "choose",    "the reason", "root cause",  "cause is",    "caused by", "problem is",
    "issue is",   "turns out", "therefore",  "which means", "trade-off",   "tradeoff",  "must not",
    "should not", "i'll",      "we will",    "we should",   "next step",   "the fix"};
constexpr std::array<std::string_view, 8> marks = {"因为",   "所以", "决定",   "原因",
                                                   "问题是", "改为", "而不是", "因此"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// `phrase` at the start of `text`, in any case, as whole words.
bool begins_with(std::string_view text, std::string_view phrase) {
  if (text.size() < phrase.size()) return false;
  for (std::size_t i = 0; i < phrase.size(); ++i)
    if (lower(text[i]) != phrase[i]) return false;
  return text.size() == phrase.size() || !is_letter(text[phrase.size()]);
}

// The first byte of a character between U+4E00 and U+9FFF, nearly.
bool opens_chinese(char c) {
  return static_cast<unsigned char>(c) >= 0xE4 && static_cast<unsigned char>(c) <= 0xE9;
}

}  // namespace

std::size_t end_of_sentence(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n' || c == '!' || c == '?') return at + 1;
    if (c == '.' && (at + 1 == text.size() || text[at + 1] == ' ' || text[at + 1] == '\n')) return at + 1;
    const auto three = text.substr(at, 3);
    if (three == "。" || three == "！" || three == "？") return at + 3;
  }
  return text.size();
}

std::size_t words_in(std::string_view text) {
  std::size_t words = 0, run = 0;
  for (const char c : text) {
    words += opens_chinese(c);
    run = is_letter(c) ? run + 1 : 0;
    words += run == 2;
  }
  return words;
}

bool gives_reason(std::string_view sentence) {
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    if (!is_letter(sentence[i]) || (i > 0 && is_letter(sentence[i - 1]))) continue;
    const auto rest = sentence.substr(i);
    if (std::any_of(reasons.begin(), reasons.end(),
                    [&](std::string_view phrase) { return begins_with(rest, phrase); }))
      return true;
  }
  return std::any_of(marks.begin(), marks.end(),
                     [&](std::string_view mark) { return sentence.find(mark) != sentence.npos; });
}

}  // namespace tern
