#include "compression/text/sentences.h"

#include "compression/text/prose.h"

namespace tern {

namespace {

constexpr std::size_t least = 12;

std::string_view trimmed_lines(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

// "- ", "* ", "> ", "## ": a mark is no part of what is said.
std::string_view without_mark(std::string_view sentence) {
  const auto mark = sentence.find_first_not_of("-*>#");
  if (mark == 0 || mark == sentence.npos || sentence[mark] != ' ') return sentence;
  return trimmed_lines(sentence.substr(mark));
}

}  // namespace

std::vector<std::string_view> sentences_in(std::string_view text) {
  std::vector<std::string_view> found;
  bool fenced = false;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = end_of_sentence(text, at);
    auto sentence = trimmed_lines(text.substr(at, end - at));
    at = end;
    if (sentence.starts_with("```")) {
      fenced = !fenced;
      sentence = fenced ? std::string_view() : trimmed_lines(sentence.substr(3));  // "``` is the code"
    }
    if (!fenced) {
      if (const auto bare = without_mark(sentence); bare.size() >= least) found.push_back(bare);
    }
  }
  return found;
}

}  // namespace tern
