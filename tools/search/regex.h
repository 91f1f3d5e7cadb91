// Regular expressions for search: PCRE2 with JIT, matched line by line, with a literal that must occur used
// to skip ahead; \w, \d and \b mean what Unicode says. The only owner of PCRE2. A Regex may be shared; each
// thread has its own Matcher.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tern {

struct RegexOptions {
  bool ignore_case = false;
  bool literal = false;    // no metacharacters
  bool multiline = false;  // matches may span lines, "." matches a newline
};

class Regex {
 public:
  // `error` says what is wrong with the pattern, and where.
  static std::optional<Regex> compile(std::string_view pattern, const RegexOptions& options,
                                      std::string& error);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

 private:
  friend class Matcher;
  struct State;
  explicit Regex(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct Match {
  std::size_t begin, end;
};

class Matcher {
 public:
  explicit Matcher(const Regex& regex);
  Matcher(Matcher&&) noexcept;
  ~Matcher();

  // The first match at or after `from`; a text is begun with `from` 0. Without multiline it lies in one line,
  // and "^" and "$" mean that line's ends.
  std::optional<Match> find(std::string_view text, std::size_t from);
  // The match limits were hit somewhere: results may be incomplete.
  bool gave_up() const { return gave_up_; }

 private:
  std::optional<Match> run(std::string_view text, std::size_t from, bool ascii);
  std::optional<Match> run_whole(std::string_view text, std::size_t from);
  std::optional<Match> find_in_line(std::string_view text, std::size_t line_begin, std::size_t line_end,
                                    std::size_t from);
  struct Scratch;
  const Regex::State* state_;
  std::unique_ptr<Scratch> scratch_;
  bool gave_up_ = false;
  std::string_view known_;  // the text at hand, only to know it again
  bool known_ascii_ = false;
};

// A piece of text that every match of the pattern contains; empty when there is none to be sure of.
std::string required_literal(std::string_view pattern);

}  // namespace tern
