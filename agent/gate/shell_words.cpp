#include "agent/gate/shell_words.h"

namespace tern {

WordBuilder WordReader::word() {
  WordBuilder w;
  w.begin = at_;
  while (!end() && !failed()) {
    const char c = peek();
    if (is_substitution())
      process_substitution(w);
    else if (is_meta(c))
      break;
    else
      word_char(w, c);
    w.any = true;
  }
  finish(w);
  return w;
}

void WordReader::process_substitution(WordBuilder& w) {
  at_ += 2;
  nested(')', "process substitution");
  w.word.literal = false;
}

void WordReader::word_char(WordBuilder& w, char c) {
  if (c == '\\') return escaped(w);
  if (c == '\'') return single_quoted(w);
  if (c == '"') return double_quoted(w);
  if (c == '$' || c == '`') return dollar_or_tick(w, false);
  if (c == '*' || c == '?') note("glob"), w.word.literal = false;
  if (c == '[') w.bracket = true;
  if (c == '{') w.brace = true;
  if (w.brace && (c == ',' || (c == '.' && peek(1) == '.'))) w.brace_list = true;
  if (c == '}') w.brace_end = true;
  if (c == '~' && !w.any) w.word.tilde = true;
  if (c == '=' && !w.any && is_name(peek(1))) note("leading ="), w.word.literal = false;
  w.word.text += c;
  ++at_;
}

void WordReader::finish(WordBuilder& w) {
  ShellWord& word = w.word;
  if (w.bracket && word.text != "[" && word.text != "[[") note("glob"), word.literal = false;
  if (w.brace && w.brace_list && w.brace_end) note("brace expansion"), word.literal = false;
  if (word.tilde && !(word.text == "~" || word.text.rfind("~/", 0) == 0)) note("tilde"), word.literal = false;
  if (!word.literal) word.text = std::string(text_.substr(w.begin, at_ - w.begin));
}

void WordReader::escaped(WordBuilder& w) {
  if (peek(1) == '\n') {
    at_ += 2;
    return;
  }
  w.word.quoted = true;
  if (at_ + 1 >= text_.size())
    note("backslash at the end"), w.word.literal = false;
  else
    w.word.text += peek(1);
  at_ = std::min(at_ + 2, text_.size());
}

void WordReader::single_quoted(WordBuilder& w) {
  const std::size_t stop = text_.find('\'', at_ + 1);
  if (stop == text_.npos) return fail("a ' is not closed");
  w.word.text += text_.substr(at_ + 1, stop - at_ - 1);
  w.word.quoted = true;
  at_ = stop + 1;
}

void WordReader::double_quoted(WordBuilder& w) {
  ++at_;
  w.word.quoted = true;
  while (!end() && peek() != '"' && !failed()) quoted_char(w);
  if (!failed() && !take("\"")) fail("a \" is not closed");
}

void WordReader::quoted_char(WordBuilder& w) {
  if (peek() == '$' || peek() == '`') return dollar_or_tick(w, true);
  if (peek() == '\\' && at_ + 1 < text_.size()) {
    const char next = peek(1);
    if (next == '$' || next == '`' || next == '"' || next == '\\')
      w.word.text += next;
    else if (next != '\n')
      w.word.text.append(1, '\\').push_back(next);
    at_ += 2;
    return;
  }
  w.word.text += peek();
  ++at_;
}

void WordReader::dollar_or_tick(WordBuilder& w, bool in_quotes) {
  if (peek() == '`') return backtick(w);
  const char next = peek(1);
  if (next == '\\' && peek(2) == '\n') {  // the line goes on, and so does what "$" begins
    note("line break behind $"), w.word.literal = false, ++at_;
    return;
  }
  if (next == '(') {
    at_ += 2;
    w.word.literal = false;
    if (take("(")) {
      note("arithmetic");
      if (skip_arithmetic()) return;
      --at_;
    }
    return nested(')', "command substitution");
  }
  if (next == '{') return parameter(w);
  if (!in_quotes && (next == '\'' || next == '"')) return special_quotes(w, next);
  if (next == '[') return note("arithmetic"), w.word.literal = false, void(at_ += 2);
  ++at_;
  if (!is_name(next) && std::string_view("@*#?-$!").find(next) == std::string_view::npos)
    return void(w.word.text += '$');
  if (next == '\0') return void(w.word.text += '$');
  note("variable");
  w.word.literal = false;
  ++at_;
  if (std::isdigit(static_cast<unsigned char>(next)) == 0 && is_name(next))
    while (is_name(peek())) ++at_;
}

// ${…}: whatever is inside may run commands, too.
void WordReader::parameter(WordBuilder& w) {
  note("variable");
  w.word.literal = false;
  at_ += 2;
  if (++depth_ > deepest_nesting) return fail("nested too deeply");
  while (!end() && peek() != '}' && !failed()) {
    WordBuilder ignored;
    if (peek() == '"')  // a single quote may or may not quote here: nothing is skipped for one
      double_quoted(ignored);
    else
      quoted_char(ignored);
  }
  --depth_;
  if (!failed() && !take("}")) fail("a ${ is not closed");
}

void WordReader::special_quotes(WordBuilder& w, char quote) {
  note(quote == '"' ? "translated string" : "ANSI-C quoting");
  w.word.literal = false;
  w.word.quoted = true;
  ++at_;
  if (quote == '"') return double_quoted(w);
  for (++at_; !end() && peek() != '\''; ++at_)
    if (peek() == '\\') ++at_;
  at_ = std::min(at_, text_.size());
  if (!take("'")) fail("a $' is not closed");
}

void WordReader::backtick(WordBuilder& w) {
  note("command substitution");
  w.word.literal = false;
  std::string inner;
  for (++at_; !end() && peek() != '`'; ++at_) {
    if (peek() == '\\' && (peek(1) == '`' || peek(1) == '\\' || peek(1) == '$')) ++at_;
    inner += peek();
  }
  if (!take("`")) return fail("a ` is not closed");
  if (depth_ >= deepest_nesting) return fail("nested too deeply");
  run_inner(inner);
}

// Characters a person would not see, or would see elsewhere: nobody can agree to what is not on the screen.
const char* unseen(std::string_view s) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7f) return "control character";
    const auto starts = [&](std::string_view sequence) { return s.substr(i, sequence.size()) == sequence; };
    if (starts("\xc2\xa0") || starts("\xc2\xad") || starts("\xef\xbb\xbf") || starts("\xf3\xa0") ||
        starts("\xe3\x80\x80"))
      return "invisible character";
    if (c == 0xc2 && i + 1 < s.size() && static_cast<unsigned char>(s[i + 1]) < 0xa0)
      return "control character";
    if ((starts("\xe2\x80") || starts("\xe2\x81")) && i + 2 < s.size()) {
      const auto last = static_cast<unsigned char>(s[i + 2]);
      const bool general =
          s[i + 1] == '\x80' ? last <= 0x8f || (last >= 0xa8 && last <= 0xaf) : last >= 0x9f && last <= 0xaf;
      if (general) return "invisible character";
    }
  }
  return nullptr;
}

}  // namespace tern
