#include "ui/shell/words.h"

#include <charconv>

namespace tern {

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(" \t\n"); at != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(" \t\n", end);
  }
  return words;
}

std::optional<int> count_in(std::string_view text) {
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 1) return std::nullopt;
  return n;
}

int number_of(std::string_view text) {
  int n = 1;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n < 1 ? 1 : n;
}

}  // namespace tern
