#include "agent/gate/call_words.h"

namespace tern {

bool in_list(std::string_view word, std::string_view list) {
  if (word.empty() || word.find(' ') != word.npos) return false;
  for (std::size_t at = list.find(word); at != list.npos; at = list.find(word, at + 1)) {
    const bool begins = at == 0 || list[at - 1] == ' ',
               ends = at + word.size() == list.size() || list[at + word.size()] == ' ';
    if (begins && ends) return true;
  }
  return false;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::string_view program_name(std::string_view word) { return word.substr(word.find_last_of('/') + 1); }

CallWords words_of(const ShellCommand& command) {
  CallWords words;
  for (const ShellWord& word : command.words) words.push_back(word.text);
  return words;
}

ShellCommand command_of(const CallWords& words) {
  ShellCommand command;
  for (const std::string& word : words) command.words.push_back({word, true, false, false});
  return command;
}

std::string joined(const CallWords& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

bool has_letter(const CallWords& words, std::string_view letters) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.find_first_of(letters, 1) != word.npos;
  });
}

bool has_word(const CallWords& words, std::string_view list) {
  return words.size() > 1 && std::any_of(words.begin() + 1, words.end(),
                                         [&](const std::string& word) { return in_list(word, list); });
}

bool has_option(const CallWords& words, std::string_view list) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return in_list(std::string_view(word).substr(0, word.find('=')), list);
  });
}

bool line_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*')
      star = p++, from = t;
    else if (p < pattern.size() && pattern[p] == text[t])
      ++p, ++t;
    else if (star != pattern.npos)
      p = star + 1, t = ++from;
    else
      return false;
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

}  // namespace tern
