// The programs whose words only their own reading tells whether they look: sed, test, ps, tar, --version.
#include <algorithm>
#include <cctype>

#include "agent/gate/command_kinds.h"
#include "agent/gate/programs.h"

namespace tern {

namespace {

bool simple_address(std::string_view& s) {
  if (!s.empty() && s.front() == '$') return s.remove_prefix(1), true;
  if (!s.empty() && s.front() == '/') {
    std::size_t end = 1;
    while (end < s.size() && s[end] != '/') end += s[end] == '\\' ? 2 : 1;
    if (end >= s.size()) return false;
    return s.remove_prefix(end + 1), true;
  }
  std::size_t digits = 0;
  while (digits < s.size() && std::isdigit(static_cast<unsigned char>(s[digits])) != 0) ++digits;
  s.remove_prefix(digits);
  return digits > 0;
}

// "10,20p", "/a/,/b/p", "$p", "5d", "s/a/b/g": prints, deletes lines or replaces text on the way through;
// nothing else.
bool simple_sed(std::string_view script) {
  if (script.find('\n') != script.npos) return false;
  if (simple_address(script) && !script.empty() && script.front() == ',') {
    script.remove_prefix(1);
    if (!simple_address(script)) return false;
  }
  if (script == "p" || script == "d" || script == "=" || script == "q") return true;
  if (script.size() < 4 || script.front() != 's' ||
      std::isalnum(static_cast<unsigned char>(script[1])) != 0 || script[1] == '\\' || script[1] == ' ')
    return false;
  const char delimiter = script[1];
  std::size_t at = 2;
  for (int part = 0; part < 2; ++part, ++at) {
    while (at < script.size() && script[at] != delimiter) at += script[at] == '\\' ? 2 : 1;
    if (at >= script.size()) return false;
  }
  return script.find_first_not_of("gpiI0123456789", at) == script.npos;
}

std::string check_sed(const ShellCommand& command, const CommandPlace& place) {
  bool script = false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i].text;
    if (!script &&
        (word == "-n" || word == "-E" || word == "-r" || word == "-nE" || word == "-En" || word == "-ne")) {
      continue;
    } else if (!script) {
      for (std::size_t begin = 0; begin <= word.size();) {
        if (word.empty()) return "sed without a script";
        const std::size_t end = word.front() == 's' || word.front() == '/'
                                    ? word.size()
                                    : std::min(word.find(';', begin), word.size());
        if (!simple_sed(std::string_view(word).substr(begin, end - begin)))
          return "this sed script may write files or run programs";
        begin = end + 1;
      }
      script = true;
    } else if (word[0] == '-') {
      return "sed " + word + " isn't on the read-only list";
    } else {
      const std::string why = why_not_readable(place.locate(command.words[i]), place.workspace);
      if (!why.empty()) return why;
    }
  }
  return script ? std::string() : "sed without a script";
}

std::string check_test(const ShellCommand& command, const CommandPlace& place) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i].text;
    // "test -v 'a[$(x)]'" runs x, however it is quoted.
    if (in_list(word, "-v -R")) return "test " + word + " evaluates what it is given";
    if (word.empty() || word[0] == '-' || all_digits(word) || in_list(word, "] = == != ! ( )") ||
        word.find('/') == std::string::npos)
      continue;
    const std::string why = why_not_readable(place.locate(command.words[i]), place.workspace);
    if (!why.empty()) return why;
  }
  return {};
}

// "pid,rss=MEM,-vsz", or numbers of processes.
bool known_value(std::string_view list, bool numbers) {
  static const Program& ps = *program_of("ps");
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string_view name = list.substr(begin, end - begin);
    name.remove_prefix(std::min(name.find_first_not_of("+-"), name.size()));
    if (numbers ? !all_digits(name) : !in_list(name.substr(0, name.find('=')), ps.settings)) return false;
    begin = end + 1;
  }
  return true;
}

// "ps e" shows the environment of every process, keys included, and whenever ps cannot make sense of "-abc"
// it reads it as "abc". So the words are known as a whole, not letter by letter.
std::string check_ps(const ShellCommand& command) {
  static const Program& ps = *program_of("ps");
  bool every = false, more = false;  // "-e" in some form; anything that could disagree with it
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i].text;
    const std::string next = i + 1 < command.words.size() ? command.words[i + 1].text : std::string();
    if (in_list(word, "-w -ww --forest --no-headers") ||
        (word.starts_with("--sort=") && known_value(std::string_view(word).substr(7), false)))
      continue;
    const bool all = word.starts_with("-e");
    if (all && every) return "ps with two words for every process";
    every = every || all;
    more = more || !all;
    const bool valued = in_list(word, ps.valued);
    if (valued ? !known_value(next, word.find('p') != word.npos)
               : !in_list(word, ps.alone) && !all_digits(word))
      return "ps " + word + " may show more than processes";
    if (valued) ++i;
  }
  return every && more ? "ps with these words may show more than processes" : "";
}

// A list of what an archive holds: "tar tzf x", "tar -tvf x a/b". Only these letters, the file behind the
// last.
std::string check_tar(const ShellCommand& command, const CommandPlace& place) {
  const auto text = [&](std::size_t i) { return std::string_view(command.words[i].text); };
  std::string_view letters = command.words.size() > 2 ? text(1) : "";
  if (letters.starts_with("-")) letters.remove_prefix(1);
  const bool lists = letters.find('t') != letters.npos && letters.find('f') + 1 == letters.size() &&
                     letters.find_first_not_of("tvzjJf") == letters.npos;
  if (!lists || text(2).find(':') != letters.npos) return "tar is read-only only as tar -tf FILE";
  for (std::size_t i = 2; i < command.words.size(); ++i)
    if (text(i).starts_with("-")) return "tar " + command.words[i].text + " isn't on the read-only list";
  return why_not_readable(place.locate(command.words[2]), place.workspace);
}

}  // namespace

bool asks_for_version(const ShellCommand& command) {
  if (command.words.size() != 2) return false;
  const std::string& name = command.words[0].text;
  const std::string& word = command.words[1].text;
  // "ctest -V" runs the tests, "ninja -v" builds: each word only for whom it is a question.
  const Program* program = program_of(name);
  return program != nullptr && in_list(word, program->version);
}

std::string why_not_harmless_words(const ShellCommand& command, const CommandPlace& place, bool& known) {
  const std::string& name = command.words.front().text;
  known = true;
  if (name == "sed") return check_sed(command, place);
  if (name == "test" || name == "[") return check_test(command, place);
  if (name == "ps") return check_ps(command);
  if (name == "tar") return check_tar(command, place);
  known = false;
  return {};
}

}  // namespace tern
