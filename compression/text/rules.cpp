#include "compression/rules.h"

#include <algorithm>
#include <array>

namespace tern {

namespace {

constexpr std::size_t least = 12, most = 400;

constexpr std::array<std::string_view, 20> words = {"must",  "never",   "always", "don't",   "dont",     "should", "shouldn't",
                                                    "only",  "instead", "please", "without", "prefer",   "need",   "not",
                                                    "avoid", "ensure",  "sure",   "longer",  "shouldnt", "cannot"};
constexpr std::array<std::string_view, 10> marks = {"必须", "不要", "不能", "应该", "只", "请", "需要", "别", "务必", "禁止"};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '\''; }

bool rule_word(std::string_view word) {
  if (word.size() < 3 || word.size() > 9) return false;
  std::array<char, 9> low{};
  std::transform(word.begin(), word.end(), low.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::find(words.begin(), words.end(), std::string_view(low.data(), word.size())) != words.end();
}

// Where a sentence ends: after . ! ? or a line end, or after 。！？ (three bytes).
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

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
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
  return std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) { return sentence.find(mark) != sentence.npos; });
}

std::vector<std::string_view> rules_in(std::string_view text) {
  std::vector<std::string_view> found;
  bool fenced = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = end_of_sentence(text, at);
    const auto sentence = trimmed(text.substr(at, end - at));
    at = end;
    if (sentence.starts_with("```"))
      fenced = !fenced;
    else if (!fenced && sentence.size() >= least && sentence.size() <= most && states_rule(sentence))
      found.push_back(sentence);
  }
  return found;
}

}  // namespace tern
