#include "compression/values/tokens.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_set>

#include "compression/text/bytes64.h"
#include "compression/text/image_size.h"

namespace tern {

namespace {

// Weights in hundredths of a token, fitted against two public tokenizers over code, logs, JSON, prose and
// base64.
struct Weights {
  int word = 97, long_letter = 5, digit_group = 135, punct_run = 76, punct_more = 24, space_run = 138,
      cjk = 79, other = 95, glued = 41, space_before_digit = 22;
};
constexpr Weights weight;
constexpr int free_letters = 6;  // letters of a word that cost nothing extra

// Han, kana, hangul and their punctuation are three-byte sequences from U+2E80 on.
bool is_cjk(unsigned char lead, unsigned char next) {
  return (lead > 0xE2 && lead < 0xEE) || lead == 0xEF || (lead == 0xE2 && next >= 0xBA);
}

// Counts the pieces of a text, 64 bytes at a time: every count is that of the bits of some mask. Each mask
// remembers its last block, so that bit i of `x.before(n)` tells about the byte n places ahead of byte i.
class PieceCount {
 public:
  explicit PieceCount(std::string_view text) : text_(text) {}

  Tokens run() {
    for (std::size_t at = 0; at < text_.size(); at += 64) take(at);
    if (ends_in_single_space()) sum_ -= weight.space_run;  // it was taken for a run
    return (sum_ + 99) / 100;
  }

 private:
  using Bits = std::uint64_t;
  struct Mask {
    Bits bits = 0, old = 0;
    void next(Bits now) { old = bits, bits = now; }
    Bits before(int n) const { return bits << n | old >> (64 - n); }
  };

  bool ends_in_single_space() const {
    const std::size_t n = text_.size();
    return text_.ends_with(' ') &&
           (n == 1 || std::string_view(" \t\n\v\f\r").find(text_[n - 2]) == std::string_view::npos);
  }

  void add(Bits bits, int cost) { sum_ += std::int64_t{std::popcount(bits)} * cost; }

  void take(std::size_t at) {
    const std::size_t left = text_.size() - at;
    const Bits valid = left >= 64 ? ~Bits{0} : (Bits{1} << left) - 1;
    const Bytes64 bytes(text_, at);
    const Bits upper = bytes.in('A', 'Z');
    lower_.next(bytes.in('a', 'z'));
    letter_.next(lower_.bits | upper);
    digit_.next(bytes.in('0', '9'));
    space_.next(bytes.equal(' '));
    white_.next(space_.bits | bytes.in('\t', '\r'));
    high_.next(bytes.high());
    punct_.next(valid & ~(letter_.bits | digit_.bits | white_.bits | high_.bits));
    words(upper);
    digits();
    blanks(valid);
    const Bits runs = punct_.bits & ~punct_.before(1);
    add(runs, weight.punct_run - weight.punct_more);
    add(punct_.bits, weight.punct_more);
    if (high_.bits) characters(at, bytes.in(0x80, 0xBF));
  }

  // A word: capitals, then small letters; a capital after a small letter starts the next one.
  void words(Bits upper) {
    start_.next((letter_.bits & ~letter_.before(1)) | (upper & lower_.before(1)));
    add(start_.bits, weight.word);
    add(start_.bits & (letter_.before(1) | digit_.before(1)), weight.glued);
    Bits first = start_.bits | start_.before(1);
    for (int n = 2; n < free_letters; ++n) first |= start_.before(n);
    add(letter_.bits & ~first, weight.long_letter);
  }

  // Digits cost by groups of three from where they start.
  void digits() {
    const Bits starts = digit_.bits & ~digit_.before(1);
    const Bits three = digit_.bits & digit_.before(1) & digit_.before(2);
    group_.next(starts);
    for (Bits more; (more = group_.before(3) & three & ~group_.bits) != 0;) group_.bits |= more;
    add(group_.bits, weight.digit_group);
    add(starts & letter_.before(1), weight.glued);
  }

  // A single space belongs to the word behind it; any other run of blanks is a piece.
  void blanks(Bits valid) {
    add(white_.bits & ~white_.before(1), weight.space_run);
    const Bits behind_single = valid & ~white_.bits & space_.before(1) & ~white_.before(2);
    add(behind_single, -weight.space_run);
    add(behind_single & digit_.bits, weight.space_before_digit);
  }

  void characters(std::size_t at, Bits continuation) {
    for (Bits starts = high_.bits & ~(continuation & high_.before(1)); starts; starts &= starts - 1) {
      const std::size_t i = at + static_cast<std::size_t>(std::countr_zero(starts));
      const auto lead = static_cast<unsigned char>(text_[i]);
      sum_ += is_cjk(lead, i + 1 < text_.size() ? static_cast<unsigned char>(text_[i + 1]) : 0)
                  ? weight.cjk
                  : weight.other;
    }
  }

  std::string_view text_;
  Mask letter_, lower_, digit_, space_, white_, punct_, high_, start_, group_;
  std::int64_t sum_ = 0;
};

}  // namespace

Tokens estimate(std::string_view text) { return PieceCount(text).run(); }

namespace {

constexpr Tokens role_tokens = 3, frame_tokens = 4, call_tokens = 10, result_tokens = 5, image_tokens = 765,
                 unknown_tokens = 10;
constexpr Tokens page_tokens = 1'000, page_bytes = 50'000, most_image_tokens = 1'600, pixels_per_token = 750;

Tokens image_cost(const Image& image) {
  const ImageSize size = image_size(image.blob);
  const Tokens cost = Tokens{size.width} * size.height / pixels_per_token;
  return cost > 0 ? std::min(cost, most_image_tokens) : image_tokens;
}

Tokens document_cost(const Document& document) {
  return (static_cast<Tokens>(document.blob.size()) + page_bytes - 1) / page_bytes * page_tokens;
}

}  // namespace

Tokens estimate(const Block& block) {
  return std::visit(
      overloaded{
          [](const Text& b) { return estimate(b.text); },
          [](const Thinking& b) { return b.redacted ? unknown_tokens : estimate(b.text); },
          [](const ToolCall& b) { return call_tokens + estimate(b.name) + estimate(b.arguments); },
          [](const ToolResult& b) { return result_tokens + estimate(b.text); },
          [](const Image& b) { return image_cost(b); },
          [](const Document& b) { return document_cost(b); },
          [](const Summary& b) { return estimate(b.text); },
      },
      block);
}

Tokens estimate(const Item& item) {
  Tokens sum = role_tokens + frame_tokens;
  for (const auto& block : item.blocks) sum += estimate(block);
  return sum;
}

Tokens count(const Conversation& conversation) {
  Tokens sum = 0;
  for (const auto& item : conversation.items) sum += item->tokens;
  return sum;
}

ItemPtr make_item(Item item) {
  item.tokens = estimate(item);
  return std::make_shared<const Item>(std::move(item));
}

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

Tokens utf16_length(std::string_view text) {
  Tokens units = 0;
  for (const unsigned char c : text) units += (c & 0xC0) != 0x80 ? (c >= 0xF0 ? 2 : 1) : 0;
  return units;
}

Tokens occurrences(std::string_view text, std::string_view what) {
  Tokens n = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

// https?://[^\s]+
Tokens urls(std::string_view text) {
  Tokens n = 0;
  for (auto at = text.find("http"); at != text.npos; at = text.find("http", at)) {
    at += 4;
    if (at < text.size() && text[at] == 's') ++at;
    if (text.substr(at, 3) != "://" || at + 3 >= text.size() || is_space(text[at + 3])) continue;
    ++n;
    while (at < text.size() && !is_space(text[at])) ++at;
  }
  return n;
}

struct Words {
  Tokens all = 0, distinct = 0;
};
Words words(std::string_view text) {
  std::unordered_set<std::string_view> seen;
  Words result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    if (at > start) ++result.all, seen.insert(text.substr(start, at - start));
    while (at < text.size() && is_space(text[at])) ++at;
  }
  result.distinct = static_cast<Tokens>(seen.size());
  return result;
}

}  // namespace

// The repetition of the formula is the share of words that stood there before.
Tokens seed_estimate(std::string_view text) {
  const Tokens base = (utf16_length(text) + 3) / 4;
  const Tokens fences = occurrences(text, "```");
  const auto [all, distinct] = words(text);
  const Tokens repeated = all > 0 ? base * (all - distinct) / (all * 10) : 0;
  return base + fences * 25 - urls(text) * 10 - repeated;
}

Tokens seed_estimate(const Item& item) {
  Tokens sum = role_tokens + frame_tokens;
  for (const auto& block : item.blocks) {
    sum += std::visit(overloaded{
                          [](const Text& b) { return seed_estimate(b.text); },
                          [](const Thinking& b) { return seed_estimate(b.text); },
                          [](const ToolCall& b) { return call_tokens + seed_estimate(b.arguments); },
                          [](const ToolResult& b) { return result_tokens + seed_estimate(b.text); },
                          [](const Image&) { return image_tokens; },
                          [](const Document& b) { return document_cost(b); },
                          [](const auto&) { return unknown_tokens; },
                      },
                      block);
  }
  return sum;
}

void Calibration::learn(Tokens estimated, Tokens reported) {
  if (estimated <= 0 || reported <= 0) return;
  constexpr double weight_of_new = 0.3;
  const double seen = static_cast<double>(reported) / static_cast<double>(estimated);
  factor_ = samples_ == 0 ? seen : factor_ + weight_of_new * (seen - factor_);
  factor_ = std::clamp(factor_, 0.5, 2.0);
  ++samples_;
}

Tokens Calibration::operator()(Tokens estimated) const {
  return static_cast<Tokens>(std::llround(static_cast<double>(estimated) * factor_));
}

}  // namespace tern
