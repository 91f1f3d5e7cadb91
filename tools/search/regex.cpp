#include "tools/search/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "tools/files/encoding.h"

namespace tern {

namespace {

constexpr std::uint32_t match_limit = 5'000'000;

std::string message_of(int code) {
  std::array<unsigned char, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

// Skips a group, class or quantifier that starts at `at`; the position behind it, or npos.
std::size_t skip_class(std::string_view p, std::size_t at) {
  std::size_t i = at + 1;
  if (i < p.size() && p[i] == '^') ++i;
  if (i < p.size() && p[i] == ']') ++i;
  for (; i < p.size(); ++i) {
    if (p[i] == '\\') {
      ++i;
    } else if (p[i] == '[' && i + 1 < p.size() && p[i + 1] == ':') {
      i = p.find(":]", i);
      if (i == p.npos) return p.npos;
      ++i;
    } else if (p[i] == ']') {
      return i + 1;
    }
  }
  return p.npos;
}

std::size_t skip_group(std::string_view p, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < p.size(); ++i) {
    if (p[i] == '\\') {
      ++i;
    } else if (p[i] == '[') {
      i = skip_class(p, i);
      if (i == p.npos) return i;
      --i;
    } else if (p[i] == '(') {
      ++depth;
    } else if (p[i] == ')' && --depth == 0) {
      return i + 1;
    }
  }
  return p.npos;
}

bool is_quantifier(std::string_view p, std::size_t at) {
  if (at >= p.size()) return false;
  if (p[at] == '*' || p[at] == '+' || p[at] == '?') return true;
  if (p[at] != '{' || at + 1 >= p.size() || !std::isdigit(static_cast<unsigned char>(p[at + 1])))
    return p.substr(at, 2) == "{,";
  return true;
}

bool may_be_absent(std::string_view p, std::size_t at) {
  return is_quantifier(p, at) &&
         (p[at] == '*' || p[at] == '?' || p.substr(at, 2) == "{0" || p.substr(at, 2) == "{,");
}

std::size_t behind_quantifier(std::string_view p, std::size_t at) {
  if (!is_quantifier(p, at)) return at;
  if (p[at] == '{') at = std::min(p.find('}', at), p.size() - 1);
  ++at;
  return at < p.size() && (p[at] == '?' || p[at] == '+') ? at + 1 : at;
}

constexpr std::size_t unknown = std::string_view::npos;

// One piece of a pattern: the text it stands for, if any, and where the next one begins; unknown: nothing can
// be said of the pattern.
struct Piece {
  std::string literal;
  std::size_t next = unknown;
  bool last = false;  // what follows is its argument, and no text
};

Piece group_at(std::string_view p, std::size_t at) {
  constexpr std::string_view kinds = ":=!<P";
  const bool options = p.substr(at, 2) == "(?" && (at + 2 >= p.size() || kinds.find(p[at + 2]) == kinds.npos);
  return {{}, options ? unknown : skip_group(p, at)};  // options may change what a literal means
}

Piece escape_at(std::string_view p, std::size_t at) {
  if (at + 1 >= p.size() || p[at + 1] == 'Q' || p[at + 1] == 'E') return {};
  const char escaped = p[at + 1];
  if (!std::isalnum(static_cast<unsigned char>(escaped))) return {std::string(1, escaped), at + 2};
  return {{}, at + 2, std::strchr("xuopPgkNc01234567890", escaped) != nullptr};
}

Piece piece_at(std::string_view p, std::size_t at) {
  switch (p[at]) {
    case '|': return {};
    case '(': return group_at(p, at);
    case '[': return {{}, skip_class(p, at)};
    case '\\': return escape_at(p, at);
    case '.':
    case '^':
    case '$': return {{}, at + 1};
    default: break;
  }
  Piece piece{std::string(1, p[at]), at + 1};
  if (static_cast<unsigned char>(p[at]) < 0x80) return piece;
  while (piece.next < p.size() && (static_cast<unsigned char>(p[piece.next]) & 0xC0) == 0x80)
    piece.literal += p[piece.next++];
  return piece;
}

}  // namespace

std::string required_literal(std::string_view p) {
  std::string best, run;
  auto end_run = [&] {
    if (run.size() > best.size()) best = run;
    run.clear();
  };
  for (std::size_t at = 0; at < p.size();) {
    const Piece piece = piece_at(p, at);
    if (piece.next == unknown) return {};
    if (!piece.literal.empty() && !may_be_absent(p, piece.next)) run += piece.literal;
    if (piece.literal.empty() || is_quantifier(p, piece.next)) end_run();
    if (piece.last) return best.size() < 2 ? std::string() : best;
    at = behind_quantifier(p, piece.next);
  }
  end_run();
  return best;
}

struct Regex::State {
  struct Free {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  };
  std::unique_ptr<pcre2_code, Free> code;
  std::unique_ptr<pcre2_code, Free>
      unicode;                // the same with Unicode's classes, where that can differ: for text beyond ASCII
  std::string literal;        // must occur in every match; searched first
  bool only_literal = false;  // a match is the literal and nothing more
  bool multiline = false;
  bool crosses_lines = true;  // a match could contain a newline, so it has to be looked at again
};

Regex::Regex(std::unique_ptr<State> state) : state_(std::move(state)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

std::optional<Regex> Regex::compile(std::string_view pattern, const RegexOptions& options,
                                    std::string& error) {
  auto state = std::make_unique<State>();
  std::uint32_t flags = PCRE2_MULTILINE;
  if (options.literal) flags = PCRE2_LITERAL;
  if (options.ignore_case) flags |= PCRE2_CASELESS;
  if (options.multiline && !options.literal) flags |= PCRE2_DOTALL;
  bool plain = options.literal || (pattern.find_first_of("\\.[](){}*+?^$|") == pattern.npos);
  if (!(plain && (!options.ignore_case || is_ascii(pattern)))) flags |= PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
  if (options.ignore_case && !is_ascii(pattern)) flags |= PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
  int code = 0;
  PCRE2_SIZE offset = 0;
  std::unique_ptr<pcre2_compile_context, void (*)(pcre2_compile_context*)> context(
      pcre2_compile_context_create(nullptr), pcre2_compile_context_free);
  bool line_ends = !options.literal && pattern.find('$') != pattern.npos;
  pcre2_set_newline(context.get(), line_ends ? PCRE2_NEWLINE_ANYCRLF : PCRE2_NEWLINE_LF);
  state->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), flags, &code,
                                  &offset, context.get()));
  if (!state->code) {
    error = message_of(code) + " at offset " + std::to_string(offset);
    return std::nullopt;
  }
  pcre2_jit_compile(state->code.get(), PCRE2_JIT_COMPLETE);  // without JIT it still matches, only slower
  bool classes = pattern.find('\\') != pattern.npos || pattern.find("[:") != pattern.npos;
  if (!plain && classes && (flags & PCRE2_UTF)) {
    state->unicode.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                       flags | PCRE2_UCP, &code, &offset, context.get()));
    if (state->unicode) pcre2_jit_compile(state->unicode.get(), PCRE2_JIT_COMPLETE);
  }
  state->multiline = options.multiline;
  if (!options.ignore_case) {
    state->literal = plain ? std::string(pattern) : required_literal(pattern);
    state->only_literal = plain;
    if (state->literal.size() < 2 && !plain) state->literal.clear();
  }
  state->crosses_lines = !plain;
  return Regex(std::move(state));
}

struct Matcher::Scratch {
  pcre2_match_data* data = nullptr;
  pcre2_match_context* context = nullptr;
  pcre2_jit_stack* stack = nullptr;
  explicit Scratch(const pcre2_code* code)
      : data(pcre2_match_data_create_from_pattern(code, nullptr)),
        context(pcre2_match_context_create(nullptr)),
        stack(pcre2_jit_stack_create(32 * 1024, 1024 * 1024, nullptr)) {
    pcre2_set_match_limit(context, match_limit);
    pcre2_jit_stack_assign(context, nullptr, stack);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    pcre2_jit_stack_free(stack);
  }
};

Matcher::Matcher(const Regex& regex)
    : state_(regex.state_.get()), scratch_(std::make_unique<Scratch>(state_->code.get())) {}
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher::~Matcher() = default;

std::optional<Match> Matcher::run(std::string_view text, std::size_t from, bool ascii) {
  const pcre2_code* code = state_->unicode && !ascii ? state_->unicode.get() : state_->code.get();
  int found = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from, 0,
                          scratch_->data, scratch_->context);
  if (found < 0) {
    gave_up_ = gave_up_ || found == PCRE2_ERROR_MATCHLIMIT || found == PCRE2_ERROR_JIT_STACKLIMIT ||
               found == PCRE2_ERROR_DEPTHLIMIT;
    return std::nullopt;
  }
  const PCRE2_SIZE* at = pcre2_get_ovector_pointer(scratch_->data);
  return Match{at[0], std::max(at[0], at[1])};
}

std::optional<Match> Matcher::run_whole(std::string_view text, std::size_t from) {
  if (state_->unicode && (from == 0 || text.data() != known_.data() || text.size() != known_.size())) {
    known_ = text;
    known_ascii_ = is_ascii(text);
  }
  return run(text, from, known_ascii_);
}

std::optional<Match> Matcher::find_in_line(std::string_view text, std::size_t line_begin,
                                           std::size_t line_end, std::size_t from) {
  std::string_view line = text.substr(line_begin, line_end - line_begin);
  auto match = run(line, from - line_begin, state_->unicode && is_ascii(line));
  if (match) return Match{match->begin + line_begin, match->end + line_begin};
  return std::nullopt;
}

std::optional<Match> Matcher::find(std::string_view text, std::size_t from) {
  const std::string& literal = state_->literal;
  auto next_literal = [&](std::size_t at) -> std::size_t {
    if (at > text.size()) return text.npos;
    const void* hit = ::memmem(text.data() + at, text.size() - at, literal.data(), literal.size());
    return hit ? static_cast<std::size_t>(static_cast<const char*>(hit) - text.data()) : text.npos;
  };
  auto line_end_of = [&](std::size_t at) { return std::min(text.find('\n', at), text.size()); };
  auto line_begin_of = [&](std::size_t at) { return at == 0 ? 0 : text.rfind('\n', at - 1) + 1; };
  if (state_->only_literal) {
    std::size_t at = next_literal(from);
    if (at == text.npos) return std::nullopt;
    return Match{at, at + literal.size()};
  }
  if (state_->multiline) {
    if (!literal.empty() && next_literal(from) == text.npos) return std::nullopt;
    return run_whole(text, from);
  }
  while (from <= text.size()) {
    std::size_t begin = from, at = from;
    if (!literal.empty()) {
      at = next_literal(line_begin_of(from));
      if (at == text.npos) return std::nullopt;
      begin = std::max(from, line_begin_of(at));
    } else {
      auto match = run_whole(text, from);
      if (!match) return std::nullopt;
      std::size_t end = line_end_of(match->begin);
      if (match->end <= end) return match;
      begin = match->begin;  // it crosses into the next line: this line by itself decides
      at = begin;
    }
    std::size_t end = line_end_of(std::max(at, begin));
    if (auto match = find_in_line(text, line_begin_of(begin), end, begin)) return match;
    from = end + 1;
  }
  return std::nullopt;
}

}  // namespace tern
