// From a command's text to the prompt it stands for, in one pass, so that what is put in is never looked at
// again.
#include <algorithm>
#include <utility>

#include "agent/extend/user_command.h"
#include "compression/text/lines.h"

namespace tern {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Expansion {
 public:
  Expansion(const UserCommand& command, std::string_view arguments, const CommandWorld& world)
      : command_(command), arguments_(trimmed(arguments)), words_(argument_words(arguments)), world_(world) {}

  std::string markdown() {
    std::string_view rest = command_.body;
    while (!rest.empty()) step(rest);
    return finished();
  }

  std::string toml() {
    std::string_view rest = command_.body;
    while (!rest.empty()) {
      if (tern::take(rest, "{{args}}"))
        put(arguments_);
      else if (rest.starts_with("!{"))
        shell(shell_text(braced(rest)));
      else if (rest.starts_with("@{"))
        inline_file(braced(rest));
      else
        plain(rest);
    }
    return finished();
  }

 private:
  void step(std::string_view& rest) {
    const bool line_begin = out_.empty() || out_.back() == '\n';
    if (line_begin && rest.starts_with("```")) fenced_ = !fenced_;
    if (rest.front() == '$' && argument(rest)) return;
    if (!fenced_ && !quoted_ && rest.starts_with("!`") && backticked(rest)) return;
    if (!fenced_ && !quoted_ && rest.front() == '@' && (out_.empty() || blank(out_.back())) &&
        mentioned(rest))
      return;
    if (rest.front() == '`' && !fenced_) quoted_ = !quoted_;
    if (rest.front() == '\n') quoted_ = false;
    plain(rest);
  }

  void plain(std::string_view& rest) {
    out_ += rest.front();
    rest.remove_prefix(1);
  }
  void put(std::string_view text) {
    used_ = true;
    out_ += text;
  }
  std::string_view word(std::size_t n) const {
    return n >= 1 && n <= words_.size() ? std::string_view(words_[n - 1]) : "";
  }

  // "$ARGUMENTS", "$@", "$1", "$name", "${1:-default}". True when it was one.
  bool argument(std::string_view& rest) {
    if (tern::take(rest, "$ARGUMENTS") || tern::take(rest, "$@")) return put(arguments_), true;
    if (rest.size() > 1 && is_digit(rest[1]) && rest[1] != '0') {
      put(word(static_cast<std::size_t>(rest[1] - '0')));
      rest.remove_prefix(2);
      return true;
    }
    if (rest.size() > 5 && rest[1] == '{' && is_digit(rest[2]) && rest.substr(3, 2) == ":-") {
      const auto close = rest.find('}');
      if (close == rest.npos) return false;
      const auto given = word(static_cast<std::size_t>(rest[2] - '0'));
      put(given.empty() ? rest.substr(5, close - 5) : given);
      rest.remove_prefix(close + 1);
      return true;
    }
    const auto name = leading_name(rest.substr(1));
    const auto& names = command_.argument_names;
    const auto found = std::find(names.begin(), names.end(), name);
    if (name.empty() || found == names.end()) return false;
    put(word(static_cast<std::size_t>(found - names.begin()) + 1));
    rest.remove_prefix(1 + name.size());
    return true;
  }

  // The text of a shell command with its arguments put in.
  std::string with_arguments(std::string_view text) {
    std::string before = std::exchange(out_, {});
    while (!text.empty())
      if (text.front() != '$' || !argument(text)) plain(text);
    return std::exchange(out_, std::move(before));
  }

  bool backticked(std::string_view& rest) {
    const auto close = rest.find('`', 2);
    if (close == rest.npos || close == 2 || rest.substr(0, close).find('\n') != rest.npos) return false;
    shell(with_arguments(rest.substr(2, close - 2)));
    rest.remove_prefix(close + 1);
    return true;
  }

  bool mentioned(std::string_view& rest) {
    std::string_view text = rest.substr(1);
    text = text.substr(0, std::min(text.find_first_of(" \t\r\n,;)`"), text.size()));
    const auto length = text.size() + 1;
    auto path = with_arguments(text);
    while (path.ends_with('.') || path.ends_with(':')) path.pop_back();
    if (path.empty()) return false;
    const auto content = world_.read(path);
    if (!content) return false;
    out_ += "@" + with_arguments(text);
    files_ +=
        "\n\n<file path=\"" + path + "\">\n" + *content + (content->ends_with('\n') ? "" : "\n") + "</file>";
    rest.remove_prefix(length);
    return true;
  }

  void shell(const std::string& line) {
    auto said = world_.run(line);
    while (said.ends_with('\n')) said.pop_back();
    out_ += said;
  }

  void inline_file(std::string_view path) {
    const auto content = world_.read(std::string(trimmed(path)));
    out_ += content ? *content : "[there is no file " + std::string(trimmed(path)) + "]";
  }

  // What stands in "!{…}" or "@{…}", its own braces in pairs.
  static std::string_view braced(std::string_view& rest) {
    int depth = 0;
    std::size_t end = 1;
    for (; end < rest.size(); ++end) {
      depth += rest[end] == '{' ? 1 : rest[end] == '}' ? -1 : 0;
      if (depth == 0) break;
    }
    const auto inside = rest.substr(2, std::min(end, rest.size()) - 2);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return inside;
  }

  // In a shell line the arguments are one word, whatever they hold.
  std::string shell_text(std::string_view line) {
    std::string quoted = "'";
    for (const char c : arguments_) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    quoted += '\'';
    std::string text;
    while (!line.empty()) {
      if (tern::take(line, "{{args}}")) {
        used_ = true;
        text += quoted;
      } else {
        text += line.front();
        line.remove_prefix(1);
      }
    }
    return text;
  }

  // What a command has no place for is not lost.
  std::string finished() {
    while (!out_.empty() && blank(out_.back())) out_.pop_back();
    if (!used_ && !arguments_.empty()) out_ += "\n\nArguments: " + std::string(arguments_);
    return out_ + files_;
  }

  const UserCommand& command_;
  std::string_view arguments_;
  std::vector<std::string> words_;
  const CommandWorld& world_;
  std::string out_, files_;
  bool used_ = false, fenced_ = false, quoted_ = false;
};

}  // namespace

std::string expand(const UserCommand& command, std::string_view arguments, const CommandWorld& world) {
  Expansion expansion(command, arguments, world);
  return command.form == UserCommand::Form::toml ? expansion.toml() : expansion.markdown();
}

std::vector<std::string> argument_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
      inside = true;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      inside = true;
    } else if (!quote && blank(c)) {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

}  // namespace tern
