// A light lexer for code on screen: comments, strings, numbers, keywords. One table row a language; state is
// carried from line to line for block comments and long strings. Unknown languages get strings and numbers
// only.
#include <algorithm>
#include <array>
#include <string>

#include "ui/text/wrap.h"

namespace tern {
namespace {

struct Language {
  std::string_view names;  // space separated
  std::string_view line_comment, second_comment;
  std::string_view open, close;  // block comment
  std::string_view quotes;       // characters that begin a string
  std::string_view long_quote;   // `"""`, or "`" for JavaScript templates
  std::string_view keywords;     // space separated, with a space at both ends
  // What is told apart beside words, strings and numbers: types, the program a line of shell runs, keys,
  // tags.
  enum class Kind { plain, typed, shell, data, markup } kind = Kind::plain;
};
using Kind = Language::Kind;

constexpr std::string_view c_words =
    " alignas alignof auto bool break case catch char class concept const consteval constexpr constinit "
    "continue co_await "
    "co_return "
    "co_yield decltype default delete do double dynamic_cast else enum explicit export extern false float "
    "for friend if inline "
    "int long "
    "mutable namespace new noexcept nullptr operator override private protected public register "
    "reinterpret_cast requires return "
    "short "
    "signed sizeof static static_assert static_cast struct switch template this throw true try typedef "
    "typename union unsigned "
    "using "
    "virtual void volatile wchar_t while size_t uint8_t uint32_t uint64_t int64_t #include #define #ifdef "
    "#ifndef #endif #pragma "
    "#if #else ";
constexpr std::string_view js_words =
    " abstract any as async await boolean break case catch class const continue debugger declare default "
    "delete do else enum "
    "export "
    "extends false finally for from function get if implements import in instanceof interface keyof let "
    "namespace new null "
    "number of "
    "override private protected public readonly return set static string super switch this throw true try "
    "type typeof undefined "
    "unknown "
    "var void while with yield ";
constexpr std::string_view python_words =
    " and as assert async await break case class continue def del elif else except False finally for from "
    "global if import in is "
    "lambda "
    "match None nonlocal not or pass raise return self True try while with yield ";
constexpr std::string_view rust_words =
    " as async await bool box break const continue crate dyn else enum extern false fn for if impl in let "
    "loop match mod move "
    "mut pub ref "
    "return self Self static str String struct super trait true type u8 u16 u32 u64 i32 i64 usize unsafe use "
    "where while Some "
    "None Ok Err ";
constexpr std::string_view go_words =
    " bool break byte case chan const continue default defer else error fallthrough false for func go goto "
    "if import int int64 "
    "interface "
    "map nil package range return rune select string struct switch true type uint var ";
constexpr std::string_view java_words =
    " abstract assert boolean break byte case catch char class const continue default do double else enum "
    "extends final finally "
    "float for "
    "fun if implements import in instanceof int interface internal is long native new null object open "
    "override package private "
    "protected "
    "public record return sealed short static string super switch synchronized this throw throws true false "
    "try using val var "
    "virtual "
    "void volatile when while foreach namespace async await bool decimal get set out ref ";
constexpr std::string_view shell_words =
    " if then else elif fi for in do done while until case esac function return local export readonly "
    "declare unset shift exit "
    "break "
    "continue set source echo cd test true false sudo ";
constexpr std::string_view ruby_words =
    " alias and begin break case class def defined do else elsif end ensure false for if in module next nil "
    "not or redo rescue "
    "retry "
    "return self super then true undef unless until when while yield require attr_accessor puts ";
constexpr std::string_view php_words =
    " abstract and array as break case catch class const continue declare default do echo else elseif "
    "extends final finally fn "
    "for "
    "foreach function global if implements include instanceof interface match namespace new null or private "
    "protected public "
    "require "
    "return static switch throw trait true false try use var while yield ";
constexpr std::string_view sql_words =
    " SELECT FROM WHERE INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE INDEX VIEW DROP ALTER ADD PRIMARY "
    "KEY FOREIGN "
    "REFERENCES JOIN "
    "LEFT RIGHT INNER OUTER ON AS AND OR NOT NULL IS IN LIKE BETWEEN ORDER BY GROUP HAVING LIMIT OFFSET "
    "UNION ALL DISTINCT BEGIN "
    "COMMIT "
    "ROLLBACK CASE WHEN THEN ELSE END TEXT INTEGER select from where insert into values update set delete "
    "create table join on "
    "as and or "
    "not null order by group limit ";
constexpr std::string_view data_words = " true false null yes no on off ";
constexpr std::string_view cmake_words =
    " if else elseif endif foreach endforeach function endfunction macro endmacro set add_library "
    "add_executable "
    "target_link_libraries "
    "include project find_package all clean install ifeq ifneq endef define export .PHONY FROM RUN CMD COPY "
    "ADD ENV WORKDIR "
    "ENTRYPOINT ARG "
    "EXPOSE USER ";
constexpr std::string_view lua_words =
    " and break do else elseif end false for function goto if in local nil not or repeat return then true "
    "until while ";

constexpr std::array languages = {
    Language{" c cpp c++ cc cxx h hpp objc cuda ", "//", "", "/*", "*/", "\"'", "", c_words, Kind::typed},
    Language{" js javascript ts typescript jsx tsx mjs ", "//", "", "/*", "*/", "\"'", "`", js_words,
             Kind::typed},
    Language{" py python python3 ", "#", "", "", "", "\"'", "\"\"\"", python_words, Kind::typed},
    Language{" rs rust ", "//", "", "/*", "*/", "\"", "", rust_words, Kind::typed},
    Language{" go golang ", "//", "", "/*", "*/", "\"'", "`", go_words, Kind::typed},
    Language{" java kotlin kt cs csharp c# scala swift dart ", "//", "", "/*", "*/", "\"'", "\"\"\"",
             java_words, Kind::typed},
    Language{" sh bash shell zsh fish console shellsession ", "#", "", "", "", "\"'", "", shell_words,
             Kind::shell},
    Language{" rb ruby ", "#", "", "=begin", "=end", "\"'", "", ruby_words, Kind::typed},
    Language{" php ", "//", "#", "/*", "*/", "\"'", "", php_words, Kind::typed},
    Language{" sql sqlite postgres mysql ", "--", "", "/*", "*/", "\"'", "", sql_words},
    Language{" json jsonc json5 ", "//", "", "/*", "*/", "\"", "", data_words, Kind::data},
    Language{" yaml yml toml ini conf ", "#", ";", "", "", "\"'", "", data_words, Kind::data},
    Language{" html xml svg vue ", "", "", "<!--", "-->", "\"", "", " ", Kind::markup},
    Language{" css scss less ", "//", "", "/*", "*/", "\"'", "", " important inherit none auto "},
    Language{" make makefile cmake dockerfile docker ", "#", "", "", "", "\"'", "", cmake_words},
    Language{" lua ", "--", "", "--[[", "]]", "\"'", "", lua_words},
};

const Language* find_language(std::string_view name) {
  if (name.empty() || name.size() > 16) return nullptr;
  std::string key = " ";
  for (const char c : name) key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  key += ' ';
  for (const Language& language : languages)
    if (language.names.find(key) != language.names.npos) return &language;
  return nullptr;
}

bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '#' || c == '$' || c < 0;
}
bool digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(std::string_view line, const Language& language, int& state)
      : line_(line), language_(language), state_(state) {}

  std::vector<Span> run() {
    if (state_ == in_comment) comment_to(language_.close, 0);
    if (state_ == in_string) string_to(language_.long_quote, 0);
    // The prompt of a pasted session is no part of its commands.
    if (language_.kind == Kind::shell && line_.starts_with("$ ")) mark(2, Style{.fg = Colour::muted});
    while (at_ < line_.size()) step();
    return std::move(spans_);
  }

 private:
  enum State { plain, in_comment, in_string };

  void step() {
    const std::string_view rest = line_.substr(at_);
    const char c = rest[0];
    if (!language_.open.empty() && rest.starts_with(language_.open))
      return comment_to(language_.close, language_.open.size());
    if (starts_comment(rest)) return mark(line_.size(), Style{.fg = Colour::muted, .italic = true});
    if (!language_.long_quote.empty() && rest.starts_with(language_.long_quote))
      return string_to(language_.long_quote, language_.long_quote.size());
    if (language_.quotes.find(c) != language_.quotes.npos) return quoted(c);
    if (language_.kind == Kind::markup && c == '<') return tag();
    if (digit(c)) return number();
    if (letter(c)) return word();
    if (language_.kind == Kind::shell && std::string_view(";|&({`").find(c) != std::string_view::npos)
      command_ = true;
    ++at_;
  }

  // "<div" and "</div".
  void tag() {
    std::size_t end = at_ + 1;
    if (end < line_.size() && line_[end] == '/') ++end;
    while (end < line_.size() &&
           (letter(line_[end]) || digit(line_[end]) || line_[end] == '-' || line_[end] == ':'))
      ++end;
    mark(end, Style{.fg = Colour::keyword});
  }

  // Of data: what is before a colon or an equals sign.
  bool names_value(std::size_t end) const {
    if (language_.kind != Kind::data && language_.kind != Kind::markup) return false;
    const std::size_t next = line_.find_first_not_of(' ', end);
    if (next == line_.npos) return false;
    return line_[next] == '=' || (line_[next] == ':' && language_.kind == Kind::data);
  }

  bool starts_comment(std::string_view rest) const {
    const bool first = !language_.line_comment.empty() && rest.starts_with(language_.line_comment);
    const bool second = !language_.second_comment.empty() && rest.starts_with(language_.second_comment);
    // "#" begins a comment only after a blank: $#, ${x#y}, colours.
    return (first || second) &&
           (rest[0] != '#' || at_ == 0 || line_[at_ - 1] == ' ' || line_[at_ - 1] == '\t');
  }

  void comment_to(std::string_view close, std::size_t skip) {
    until(close, skip, in_comment, Style{.fg = Colour::muted, .italic = true});
  }
  void string_to(std::string_view close, std::size_t skip) {
    until(close, skip, in_string, Style{.fg = Colour::code});
  }

  void until(std::string_view close, std::size_t skip, State inside, Style style) {
    const std::size_t end = line_.find(close, at_ + skip);
    state_ = end == line_.npos ? inside : plain;
    mark(end == line_.npos ? line_.size() : end + close.size(), style);
  }

  void quoted(char quote) {
    std::size_t end = at_ + 1;
    while (end < line_.size() && line_[end] != quote) end += line_[end] == '\\' ? 2 : 1;
    if (end >= line_.size() && quote == '\'') {  // an apostrophe
      ++at_;
      return;
    }
    end = std::min(end + 1, line_.size());
    mark(end, Style{.fg = names_value(end) ? Colour::user : Colour::code});
  }

  void number() {
    std::size_t end = at_;
    while (end < line_.size() && (digit(line_[end]) || letter(line_[end]) || line_[end] == '.')) ++end;
    mark(end, Style{.fg = Colour::warn});
  }

  void word() {
    const bool dashes = language_.kind == Kind::data || language_.kind == Kind::markup;
    std::size_t end = at_;
    while (end < line_.size() && (letter(line_[end]) || digit(line_[end]) || (dashes && line_[end] == '-')))
      ++end;
    const std::string_view found = line_.substr(at_, end - at_);
    const bool known = keyword(found) && (language_.kind != Kind::shell || command_ || found == "in");
    if (names_value(end))
      mark(end, Style{.fg = Colour::user});
    else if (known)
      mark(end, Style{.fg = Colour::keyword});
    else if (end < line_.size() && line_[end] == '(')
      mark(end, Style{.fg = Colour::user});
    else if (language_.kind == Kind::typed && type_name(found))
      mark(end, Style{.fg = Colour::accent});
    command_ =
        known &&
        std::string_view(" if then else elif do while until sudo ").find(" " + std::string(found) + " ") !=
            std::string_view::npos;
    at_ = end;
  }

  // "Token", not "T", "TOKEN" or "token".
  static bool type_name(std::string_view word) {
    return word.size() > 1 && word[0] >= 'A' && word[0] <= 'Z' &&
           std::any_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  }

  bool keyword(std::string_view found) const {
    for (std::size_t at = language_.keywords.find(found); at != std::string_view::npos;
         at = language_.keywords.find(found, at + 1))
      if (at > 0 && language_.keywords[at - 1] == ' ' && language_.keywords[at + found.size()] == ' ')
        return true;
    return false;
  }

  void mark(std::size_t end, Style style) {
    spans_.push_back({static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end - at_), style});
    at_ = end;
  }

  std::string_view line_;
  const Language& language_;
  int& state_;
  std::size_t at_ = 0;
  bool command_ = true;  // the next word of a line of shell is run
  std::vector<Span> spans_;
};

}  // namespace

std::vector<Span> highlight(std::string_view line, std::string_view language, int& state) {
  const Language* known = find_language(language);
  if (!known || line.size() > 4'000) return {};
  return Lexer(line, *known, state).run();
}

}  // namespace tern
