#include "ui/parts/spoken_answer.h"

#include <string>

namespace tern {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

}  // namespace

std::optional<std::size_t> choice_of(std::string_view text, const DialogChoices& choices) {
  const std::string word = lower(text);
  const std::string letter = word == "yes" ? "y" : word == "always" ? "a" : word == "no" ? "n" : word;
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (word == std::to_string(i + 1) || (!letter.empty() && choices[i].letter == letter)) return i;
  return std::nullopt;
}

bool is_unclear(std::string_view text) {
  const std::string first = lower(text.substr(0, text.find_first_of(" ,.!")));
  if (text.find(' ') == text.npos || text.starts_with('/')) return true;
  for (const std::string_view yes :
       {"1", "2", "y", "yes", "yeah", "yep", "ok", "okay", "sure", "always", "a", "allow", "approve"})
    if (first == yes) return true;
  return false;
}

}  // namespace tern
