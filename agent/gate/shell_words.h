// Reads one word of bash at a time: quotes, expansions, and the substitutions in it, whose commands the
// grammar reads. Internal to the parser. Where it cannot be sure it says so in the script's `unplain` or
// `error`.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "agent/gate/shell_script.h"

namespace tern {

inline constexpr int deepest_nesting = 60;

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_meta(char c) {
  return is_blank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '<' || c == '>' || c == '(' ||
         c == ')';
}
inline bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// bash expands the word behind ">&" a second time, after its quotes are gone: ">&'$(x)'" runs x.
inline bool only_name(const ShellWord& word) {
  return !word.quoted && std::all_of(word.text.begin(), word.text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_./-").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// Length of "NAME=", "NAME+=" or "NAME[…]=" at the start; 0 when there is none.
inline std::size_t assignment_prefix(std::string_view s) {
  if (s.empty() || std::isdigit(static_cast<unsigned char>(s[0])) != 0) return 0;
  std::size_t at = 0;
  while (at < s.size() && is_name(s[at])) ++at;
  if (at == 0) return 0;
  if (at < s.size() && s[at] == '[') at = std::min(s.find(']', at), s.size() - 1) + 1;
  if (at < s.size() && s[at] == '+') ++at;
  return at < s.size() && s[at] == '=' ? at + 1 : 0;
}

// One word in the making: what it says, and what speaks against taking it at its word.
struct WordBuilder {
  ShellWord word;
  std::size_t begin = 0;
  bool any = false, brace = false, brace_list = false, brace_end = false, bracket = false;
};

class WordReader {
 public:
  WordReader(std::string_view text, ShellScript& out, int depth) : text_(text), out_(out), depth_(depth) {}
  WordReader(const WordReader&) = delete;
  WordReader& operator=(const WordReader&) = delete;
  virtual ~WordReader() = default;

 protected:
  // The grammar: everything up to `closer`, which is taken; and a text of its own.
  virtual void nested(char closer, const char* why) = 0;
  virtual void run_inner(const std::string& text) = 0;

  bool failed() const { return !out_.error.empty() || out_.too_long; }
  void fail(const std::string& why) {
    if (out_.error.empty()) out_.error = why;
  }
  void note(const char* why) {
    if (std::find(out_.unplain.begin(), out_.unplain.end(), why) == out_.unplain.end())
      out_.unplain.emplace_back(why);
  }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool end() const { return at_ >= text_.size(); }
  bool take(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  // Behind "$((" or "for ((": the length up to its "))" where what is between can only be arithmetic; npos
  // where it may be commands. (A "((" alone is two subshells to dash.)
  std::size_t arithmetic_end(std::string_view also) const {
    int open = 2;
    for (std::size_t at = at_; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '(' && at > 0 && text_[at - 1] == '$') return text_.npos;
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (open == 1) return at + 1 < text_.size() && text_[at + 1] == ')' ? at - at_ : text_.npos;
      if (!is_name(c) && std::string_view(" $+-*/%<>=!&|^~?:,()").find(c) == std::string_view::npos &&
          also.find(c) == also.npos)
        return text_.npos;
    }
    return text_.npos;
  }
  bool skip_arithmetic(std::string_view also = {}) {
    const std::size_t length = arithmetic_end(also);
    if (length != text_.npos) at_ += length + 2;
    return length != text_.npos;
  }
  bool is_substitution() const { return (peek() == '<' || peek() == '>') && peek(1) == '('; }

  WordBuilder word();
  void process_substitution(WordBuilder& w);
  void word_char(WordBuilder& w, char c);
  void finish(WordBuilder& w);
  void escaped(WordBuilder& w);
  void single_quoted(WordBuilder& w);
  void double_quoted(WordBuilder& w);
  void quoted_char(WordBuilder& w);
  void dollar_or_tick(WordBuilder& w, bool in_quotes);
  void parameter(WordBuilder& w);
  void special_quotes(WordBuilder& w, char quote);
  void backtick(WordBuilder& w);

  std::string_view text_;
  ShellScript& out_;
  int depth_;
  std::size_t at_ = 0;
};

// Names a character that a person would not see, or would see elsewhere; null when there is none.
const char* unseen(std::string_view s);

}  // namespace tern
