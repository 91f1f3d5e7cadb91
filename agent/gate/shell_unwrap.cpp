#include <algorithm>
#include <array>

#include "agent/gate/call_words.h"
#include "agent/gate/programs.h"
#include "agent/gate/shell_parse.h"

namespace tern {

namespace {

using Words = std::vector<std::string>;

constexpr int deepest = 8;
constexpr std::size_t most = 2000, most_words = 300;

// A redirection to or from a file, as the words ">" or "<" and its target.
void add_redirects(const ShellCommand& command, std::vector<Words>& out) {
  for (const ShellRedirect& r : command.redirects)
    if (r.writes() || r.op == "<") out.push_back({r.writes() ? ">" : "<", r.target.text});
}

void unwrap_into(const Words& words, int depth, std::vector<Words>& out);

void unwrap_text(std::string_view text, const Words& from, int depth, std::vector<Words>& out) {
  for (const ShellCommand& command : parse_shell(text).commands) {
    add_redirects(command, out);
    if (!command.words.empty() && !command.words[0].literal) out.push_back({"$", command.words[0].text});
    if (const Words inner = words_of(command); inner != from) unwrap_into(inner, depth + 1, out);
  }
}

// "env -S'rm x'", "env --split-string='rm x'": what stands behind the option, in the same word.
std::string_view split_string(std::string_view word) {
  if (word.size() < 3 || word[0] != '-') return {};
  const std::size_t at = word[1] == '-' ? word.find('=') : word.find('S');
  if (word[1] == '-' &&
      (at == word.npos || std::string_view("--split-string").substr(0, at) != word.substr(0, at)))
    return {};
  return at == word.npos ? std::string_view() : word.substr(at + 1);
}

void unwrap_shell(std::string_view name, const Words& words, int depth, std::vector<Words>& out) {
  std::string joined;
  for (std::size_t i = 1; i < words.size() && i < most_words; ++i) {
    joined.append(joined.empty() ? "" : " ").append(words[i]);
    if (name == "env")
      if (const std::string_view text = split_string(words[i]); !text.empty())
        unwrap_text(text, words, depth, out);
    // What stands in a variable is only known then.
    const bool script = i == 1
                            ? name == "eval"
                            : words[i - 1].size() > 1 && words[i - 1][0] == '-' && words[i - 1].back() == 'c';
    if (script && words[i].find_first_of("$`") < 2) out.push_back({"$", words[i]});
    unwrap_text(words[i], words, depth, out);
  }
  if (name == "eval") unwrap_text(joined, words, depth, out);
}

void unwrap_found(std::string_view name, const Words& words, int depth, std::vector<Words>& out) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (!in_list(words[i], "-exec -execdir -ok -okdir -x -X --exec --exec-batch")) continue;
    Words inner(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
    if (name != "find") inner.push_back("{}");  // fd puts it there by itself
    unwrap_into(inner, depth + 1, out);
  }
}

void unwrap_into(const Words& words, int depth, std::vector<Words>& out) {
  if (words.empty() || out.size() >= most) return;
  out.push_back(words);
  const std::string_view name = program_name(words.front());
  // "time -p rm x": the parser has taken the "time".
  const bool runs = has_role(name, role::runs_words) || words.front().starts_with("-"),
             is_shell = has_role(name, role::runs_text) || name == "env";
  if ((runs || is_shell) && (depth >= deepest || out.size() + 1 >= most))
    return out.push_back({"$", "deep inside other commands"});
  // Which of a runner's words begins the command depends on its options; every place it could be is looked
  // at.
  if (runs)
    for (std::size_t i = 1; i < words.size() && i < most_words; ++i)
      if (!words[i].empty() && words[i][0] != '-' &&
          !(name == "env" && words[i].find('=') != std::string::npos))
        unwrap_into(Words(words.begin() + static_cast<std::ptrdiff_t>(i), words.end()), depth + 1, out);
  if (is_shell) unwrap_shell(name, words, depth, out);
  if (name == "find" || name == "fd" || name == "fdfind") unwrap_found(name, words, depth, out);
}

}  // namespace

bool ShellRedirect::writes() const {
  if (op == ">&")
    return !(all_digits(target.text) || target.text == "-" ||
             (all_digits(std::string_view(target.text).substr(0, target.text.size() - 1)) &&
              target.text.back() == '-'));
  return op == ">" || op == ">>" || op == ">|" || op == "&>" || op == "&>>" || op == "<>";
}

bool ShellCommand::plain() const {
  return assignments_literal &&
         std::all_of(words.begin(), words.end(), [](const ShellWord& w) { return w.literal; });
}

std::string ShellCommand::joined() const { return tern::joined(words_of(*this)); }

std::vector<std::vector<std::string>> unwrap(const ShellCommand& command) {
  const Words words = words_of(command);
  std::vector<Words> out;
  unwrap_into(words, 0, out);
  if (!words.empty() && !command.words[0].literal) out.push_back({"$", words[0]});
  // The first word behind "sudo", "env" … that is neither an option nor a setting.
  if (!words.empty() && has_role(program_name(words[0]), role::runs_words))
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i].empty() || (words[i][0] != '-' && words[i].find('=') == std::string::npos)) {
        if (!command.words[i].literal && words[i][0] != '{') out.push_back({"$", words[i]});
        break;
      }
  add_redirects(command, out);
  return out;
}

std::vector<std::vector<std::string>> unwrap_input(const ShellCommand& shell, std::string_view text) {
  std::vector<Words> out;
  const std::vector<Words> programs = unwrap(shell);
  if (std::any_of(programs.begin(), programs.end(),
                  [](const Words& words) { return has_role(program_name(words[0]), role::runs_text); }))
    unwrap_text(text, {}, 0, out);
  return out;
}

}  // namespace tern
