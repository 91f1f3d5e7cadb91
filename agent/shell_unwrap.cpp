#include <algorithm>
#include <array>

#include "agent/shell_parse.h"

namespace tern {

namespace {

using Words = std::vector<std::string>;

constexpr std::array runners = {"sudo",       "doas",     "env",
                                "timeout",    "nice",     "ionice",
                                "nohup",      "setsid",   "stdbuf",
                                "time",       "command",  "builtin",
                                "exec",       "xargs",    "watch",
                                "chroot",     "flock",    "strace",
                                "ltrace",     "unshare",  "nsenter",
                                "script",     "su",       "runuser",
                                "busybox",    "toybox",   "parallel",
                                "chrt",       "taskset",  "systemd-run",
                                "proot",      "fakeroot", "dbus-run-session",
                                "caffeinate", "!"};
constexpr std::array shells = {"sh",    "bash", "dash", "zsh", "ksh",    "ash",   "mksh",   "fish",
                               "rbash", "eval", "trap", "su",  "script", "watch", "source", "."};
constexpr int deepest = 8;
constexpr std::size_t most = 2000;

template <typename List>
bool contains(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

// A redirection to or from a file, as the words ">" or "<" and its target.
void add_redirects(const ShellCommand& command, std::vector<Words>& out) {
  for (const ShellRedirect& r : command.redirects)
    if (r.writes() || r.op == "<") out.push_back({r.writes() ? ">" : "<", r.target.text});
}

void unwrap_into(const Words& words, int depth, std::vector<Words>& out) {
  if (words.empty() || out.size() >= most) return;
  out.push_back(words);
  if (depth >= deepest) return;
  const std::string_view name = base_name(words.front());
  // Which of a runner's words begins the command depends on its options; every place it could be is looked at.
  if (contains(runners, name))
    for (std::size_t i = 1; i < words.size() && i < 40; ++i)
      if (!words[i].empty() && words[i][0] != '-')
        unwrap_into(Words(words.begin() + static_cast<std::ptrdiff_t>(i), words.end()), depth + 1, out);
  if (contains(shells, name) || name == "env") {
    std::string joined;
    for (std::size_t i = 1; i < words.size(); ++i) {
      joined.append(joined.empty() ? "" : " ").append(words[i]);
      for (const ShellCommand& command : parse_shell(words[i]).commands) {
        add_redirects(command, out);
        Words inner;
        for (const ShellWord& word : command.words) inner.push_back(word.text);
        if (inner != words) unwrap_into(inner, depth + 1, out);
      }
    }
    if (name == "eval")
      for (const ShellCommand& command : parse_shell(joined).commands) {
        Words inner;
        for (const ShellWord& word : command.words) inner.push_back(word.text);
        unwrap_into(inner, depth + 1, out);
      }
  }
  if (name == "find" || name == "fd" || name == "fdfind")
    for (std::size_t i = 1; i + 1 < words.size(); ++i)
      if (words[i] == "-exec" || words[i] == "-execdir" || words[i] == "-ok" || words[i] == "-okdir" || words[i] == "-x" ||
          words[i] == "-X" || words[i] == "--exec")
        unwrap_into(Words(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end()), depth + 1, out);
}

bool all_digits(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](unsigned char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool ShellRedirect::writes() const {
  if (op == ">&")
    return !(all_digits(target.text) || target.text == "-" ||
             (all_digits(std::string_view(target.text).substr(0, target.text.size() - 1)) && target.text.back() == '-'));
  return op == ">" || op == ">>" || op == ">|" || op == "&>" || op == "&>>" || op == "<>";
}

bool ShellCommand::plain() const {
  return assignments_literal && std::all_of(words.begin(), words.end(), [](const ShellWord& w) { return w.literal; });
}

std::string ShellCommand::joined() const {
  std::string text;
  for (const ShellWord& word : words) text.append(text.empty() ? "" : " ").append(word.text);
  return text;
}

std::vector<std::vector<std::string>> unwrap(const ShellCommand& command) {
  Words words;
  for (const ShellWord& word : command.words) words.push_back(word.text);
  std::vector<Words> out;
  unwrap_into(words, 0, out);
  add_redirects(command, out);
  return out;
}

}  // namespace tern
