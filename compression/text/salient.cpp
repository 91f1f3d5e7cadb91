#include "compression/text/salient.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "compression/text/utf8.h"

namespace tern {

namespace {

struct Pattern {
  std::string_view text;  // lower case, at least five bytes
  bool strong;
};
// The stronger form stands before the weaker one it contains.
constexpr Pattern patterns[] = {
    {"error:", true},
    {"error[", true},
    {"errors:", true},
    {"error ", true},
    {"error", false},
    {"failed", true},
    {"failure", true},
    {"fail ", true},
    {"fail:", true},
    {"fails", true},
    {"failing", true},
    {"fail\n", true},
    {"fatal", true},
    {"panic", true},
    {"traceback", true},
    {"exception", true},
    {"assert", true},
    {"exit code", true},
    {"exit status", true},
    {"exited with", true},
    {"segmentation", true},
    {"t found", false},
    {"denied", false},
    {"cannot", false},
    {"refused", false},
    {"timed out", false},
    {"killed", false},
    {"aborted", true},
    {"unable to", false},
    {"undefined reference", true},
    {"undefined", false},
    {"not ok ", true},
    {"such file", false},
    {"rspec ./", true},
    {" \xE2\x9C\x95 ", true} /* ✕ */,
    {" \xE2\x9C\x97 ", true} /* ✗ */,
    {" \xE2\x9C\x98 ", true} /* ✘ */,
    {" \xE2\x97\x8F ", false} /* ● */,
    {"  \xC3\x97 ", false} /* × */,
    {"  1) ", false} /* mocha counts what fails within its tree */,
    {"  2) ", false},
    {"  3) ", false},
    {"  4) ", false},
    {"  5) ", false},
    {"  6) ", false},
    {"  7) ", false},
    {"  8) ", false},
    {"  9) ", false},
    {"test::test", false} /* phpunit: 1) App\FooTest::testBar */,
    {"\xE9\x94\x99\xE8\xAF\xAF", false} /* 错误 */,
    {"\xE5\xA4\xB1\xE8\xB4\xA5", false} /* 失败 */,
};
constexpr std::size_t window = 5;  // bytes of each pattern that the skip table looks at
constexpr std::size_t block = 3;   // bytes the table is asked about at once
constexpr std::size_t most_skip = window - block + 1;

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Three bytes in any case, hashed; reads a fourth.
std::uint32_t block_at(const char* p) {
  std::uint32_t bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  return (((bytes & 0x00FFFFFFu) | 0x00202020u) * 2654435761u) >> 19;
}

// How far the window may move on when it ends in these three bytes (Wu and Manber's table).
std::array<std::uint8_t, 8192> make_skips() {
  std::array<std::uint8_t, 8192> skips;
  skips.fill(most_skip);
  for (const auto& pattern : patterns) {
    for (std::size_t i = 0; i < most_skip; ++i) {
      char bytes[4] = {};
      std::copy_n(pattern.text.data() + i, block, bytes);
      auto& skip = skips[block_at(bytes)];
      skip = std::min(skip, static_cast<std::uint8_t>(most_skip - 1 - i));
    }
  }
  return skips;
}

bool starts_with_lowered(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (lowered(text[i]) != pattern[i]) return false;
  }
  return true;
}

const Pattern* match(std::string_view text) {
  for (const auto& pattern : patterns) {
    if (starts_with_lowered(text, pattern.text)) return &pattern;
  }
  return nullptr;
}

// "0 failed", "no errors", "without error".
bool counts_nothing(std::string_view before) {
  const auto ends = [&](std::string_view tail) {
    if (before.size() < tail.size()) return false;
    return starts_with_lowered(before.substr(before.size() - tail.size()), tail);
  };
  if (ends("no ") || ends("without ")) return true;
  return ends("0 ") &&
         (before.size() < 3 || before[before.size() - 3] < '0' || before[before.size() - 3] > '9');
}

class Scan {
 public:
  Scan(std::string_view text, std::size_t most) : text_(text), most_(most) {}

  std::vector<SalientLine> run() {
    static const auto skips = make_skips();
    const char* const data = text_.data();
    std::size_t at = 0;
    for (; at + window < text_.size() && found_.size() < most_;) {
      const std::uint8_t skip = skips[block_at(data + at + window - block)];
      at = skip == most_skip ? at + most_skip : skip > 0 ? at + skip : look(at);
    }
    while (at + 1 < text_.size() && found_.size() < most_) at = look(at);
    return std::move(found_);
  }

 private:
  std::size_t look(std::size_t at) {
    const Pattern* pattern = match(text_.substr(at));
    if (!pattern || counts_nothing(text_.substr(at < 16 ? 0 : at - 16, std::min<std::size_t>(at, 16))))
      return at + 1;
    return take(at, *pattern);
  }

  // The whole line counts; the scan goes on behind it, unless a stronger word may follow.
  std::size_t take(std::size_t at, const Pattern& pattern) {
    if (at < end_) {
      found_.back().strong |= pattern.strong;
    } else {
      const auto before = text_.rfind('\n', at);
      const std::size_t start = before == text_.npos ? 0 : before + 1;
      end_ = std::min(text_.find('\n', at), text_.size());
      line_ += count_newlines(text_.substr(counted_, start - counted_));
      counted_ = start;
      found_.push_back({line_, text_.substr(start, end_ - start), pattern.strong});
    }
    return pattern.strong ? end_ : at + 1;
  }

  std::string_view text_;
  std::size_t most_, line_ = 0, counted_ = 0, end_ = 0;  // end_: where the last line found ends
  std::vector<SalientLine> found_;
};

}  // namespace

std::vector<SalientLine> salient_lines(std::string_view text, std::size_t most) {
  return Scan(text, most).run();
}

}  // namespace tern
