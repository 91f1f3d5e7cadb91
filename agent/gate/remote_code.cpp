// Code that comes over the network and is run before anybody has seen it: "curl … | sh" and its many forms.
#include <algorithm>

#include "agent/gate/command_kinds.h"
#include "agent/gate/programs.h"

namespace tern {

namespace {

using Words = std::vector<std::string>;

// "python3.11" is python.
const Code* interpreter(std::string_view name) {
  const Program* program = program_of(name.substr(0, name.find_last_not_of("0123456789.") + 1));
  return program != nullptr && program->code ? &*program->code : nullptr;
}

bool is_stdin(const std::string& word) { return in_list(word, "- /dev/stdin /dev/fd/0 /proc/self/fd/0"); }

// What a program is given as code: its input, or a file or substitution as its first operand.
struct Given {
  bool input = false;
  std::string file;  // or "<(…)"
  std::string text;  // of "sh -c", "eval"
};

// Of a shell or an interpreter: its options are read up to the first word that is its code, or a file of it.
Given code_of(const Words& words, bool shell, const Code& options) {
  Given code;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool option = !word.empty() && (word[0] == '-' || word[0] == '+'), is_long = word.starts_with("--");
    code.input = is_stdin(word) || (shell && option && !is_long && word.find('s') != word.npos);
    if (!code.input && !option) code.file = word;
    if (code.input || !option) return code;
    if (is_long ? in_list(word.substr(0, word.find('=')), options.options)
                : word.find_first_of(options.letters, 1) != word.npos) {
      if (i + 1 < words.size()) code.text = words[i + 1];
      code.input = shell && i + 1 == words.size();  // "xargs sh -c"
      return code;
    }
    if (shell && in_list(word, "-o +o -O +O --rcfile --init-file")) ++i;
  }
  code.input = true;
  return code;
}

Given code_of(const Words& words) {
  const std::string_view name = program_name(words.front());
  if (name == "eval") return {.text = joined(words)};
  if (in_list(name, "source .")) return words.size() > 1 ? Given{is_stdin(words[1]), words[1], {}} : Given{};
  if (has_role(name, role::is_shell)) return code_of(words, true, {"c", ""});
  const Code* options = interpreter(name);
  return options != nullptr ? code_of(words, false, *options) : Given{.file = words.front()};
}

bool brings_code(const Words& words) {
  const bool connects = words.size() > 1 && in_list(words[0], "> <") && words[1].starts_with("/dev/tcp/");
  return connects || has_role(program_name(words.front()), role::fetches | role::decodes);
}

std::string_view file_name(std::string_view word) {
  word = word.substr(0, word.find_first_of("?#"));
  return word.substr(word.find_last_of('/') + 1);
}

}  // namespace

// A line runs unseen code if it fetches or decodes something and one of its programs takes as code its input,
// a substitution, or a file that the line has named before. Does not follow which bytes go where.
std::string runs_unseen(const std::vector<std::vector<std::vector<std::string>>>& started) {
  std::string source;
  for (const auto& commands : started)
    for (const Words& words : commands)
      if (source.empty() && brings_code(words)) source = joined(words);
  if (source.empty()) return {};
  std::vector<std::string_view> named;
  for (const auto& commands : started) {
    for (const Words& words : commands) {
      const Given code = code_of(words);
      const bool expands = code.text.find_first_of("$`") != code.text.npos ||
                           code.text.find("{}") != code.text.npos || code.file.find("(") != code.file.npos;
      const bool known =
          !code.file.empty() && std::find(named.begin(), named.end(), file_name(code.file)) != named.end();
      if (code.input || expands)
        return "runs code that hasn't been looked at: " + source + " | " + words.front();
      if (known && (code.file != words.front() || code.file.find('/') != code.file.npos))
        return "runs code that hasn't been looked at: " + code.file;
    }
    for (const Words& words : commands)
      for (std::size_t i = 1; i < words.size(); ++i) named.push_back(file_name(words[i]));
  }
  return {};
}

}  // namespace tern
