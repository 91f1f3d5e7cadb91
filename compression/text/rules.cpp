#include "compression/text/rules.h"

#include <algorithm>
#include <array>

#include "compression/text/plain_text.h"
#include "compression/text/sentences.h"

namespace tern {

namespace {

constexpr std::size_t most = 400;  // bytes of one rule

constexpr std::array<std::string_view, 20> words = {
    "must",    "never",  "always", "don't", "dont",  "should", "shouldn't", "only",   "instead",  "please",
    "without", "prefer", "need",   "not",   "avoid", "ensure", "sure",      "longer", "shouldnt", "cannot"};
constexpr std::array<std::string_view, 10> marks = {"必须", "不要", "不能", "应该", "只",
                                                    "请",   "需要", "别",   "务必", "禁止"};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '\''; }

bool rule_word(std::string_view word) {
  if (word.size() < 3 || word.size() > 9) return false;
  std::array<char, 9> low{};
  std::transform(word.begin(), word.end(), low.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::find(words.begin(), words.end(), std::string_view(low.data(), word.size())) != words.end();
}

}  // namespace

bool states_rule(std::string_view sentence) {
  for (std::size_t i = 0; i < sentence.size();) {
    if (!letter(sentence[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < sentence.size() && letter(sentence[end])) ++end;
    if (rule_word(sentence.substr(i, end - i))) return true;
    i = end;
  }
  return std::any_of(marks.begin(), marks.end(),
                     [&](std::string_view mark) { return sentence.find(mark) != sentence.npos; });
}

std::vector<std::string_view> rules_in(std::string_view text) {
  auto found = sentences_in(text);
  std::erase_if(found,
                [](std::string_view sentence) { return sentence.size() > most || !states_rule(sentence); });
  return found;
}

}  // namespace tern
