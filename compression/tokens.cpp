#include "compression/tokens.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_set>

namespace tern {

namespace {

enum Class : std::uint8_t { lower, upper, digit, space, blank, punct, high };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> table{};
  for (int c = 0; c < 256; ++c) {
    if (c >= 'a' && c <= 'z')
      table[c] = lower;
    else if (c >= 'A' && c <= 'Z')
      table[c] = upper;
    else if (c >= '0' && c <= '9')
      table[c] = digit;
    else if (c == ' ')
      table[c] = space;
    else if (c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f')
      table[c] = blank;
    else
      table[c] = c < 0x80 ? punct : high;
  }
  return table;
}
constexpr auto classes = make_classes();

// Weights in hundredths of a token, fitted against two public tokenizers over code, logs, JSON, prose and base64.
struct Weights {
  int word = 97, long_letter = 5, digit_group = 135, punct_run = 76, punct_more = 24, space_run = 138, cjk = 79, other = 95,
      glued = 41, space_before_digit = 22;
};
constexpr Weights weight;
constexpr int free_letters = 6;  // letters of a word that cost nothing extra

using Byte = const unsigned char*;

Byte run_of(Byte p, Byte end, std::uint8_t kind) {
  while (p < end && classes[*p] == kind) ++p;
  return p;
}

// A word: capitals, then small letters; a capital after a small letter starts the next one.
Byte end_of_word(Byte p, Byte end) { return run_of(run_of(p, end, upper), end, lower); }

std::int64_t word_cost(std::ptrdiff_t letters) {
  return weight.word + weight.long_letter * std::max<std::ptrdiff_t>(0, letters - free_letters);
}

// Han, kana, hangul and their punctuation are three-byte sequences from U+2E80 on.
bool is_cjk(unsigned char lead, unsigned char next) {
  return (lead > 0xE2 && lead < 0xEE) || lead == 0xEF || (lead == 0xE2 && next >= 0xBA);
}

}  // namespace

Tokens estimate(std::string_view text) {
  auto p = reinterpret_cast<Byte>(text.data());
  const Byte end = p + text.size();
  std::int64_t sum = 0;
  bool glue = false;  // the piece before was a word or a number
  while (p < end) {
    const Byte start = p;
    switch (classes[*p]) {
      case lower:
      case upper:
        p = end_of_word(p, end);
        sum += word_cost(p - start) + (glue ? weight.glued : 0);
        glue = true;
        break;
      case digit:
        p = run_of(p, end, digit);
        sum += (p - start + 2) / 3 * weight.digit_group + (glue ? weight.glued : 0);
        glue = true;
        break;
      case space:
      case blank:
        while (p < end && (classes[*p] == space || classes[*p] == blank)) ++p;
        if (p - start > 1 || *start != ' ')
          sum += weight.space_run;
        else if (p < end && classes[*p] == digit)
          sum += weight.space_before_digit;
        glue = false;
        break;
      case punct:
        p = run_of(p, end, punct);
        sum += weight.punct_run + weight.punct_more * (p - start - 1);
        glue = false;
        break;
      default:
        sum += is_cjk(*p, p + 1 < end ? p[1] : 0) ? weight.cjk : weight.other;
        for (++p; p < end && (*p & 0xC0) == 0x80;) ++p;
        glue = false;
    }
  }
  return (sum + 99) / 100;
}

namespace {

constexpr Tokens role_tokens = 3, frame_tokens = 4, call_tokens = 10, result_tokens = 5, image_tokens = 765, unknown_tokens = 10;
constexpr Tokens page_tokens = 1'000, page_bytes = 50'000, most_image_tokens = 1'600, pixels_per_token = 750;

int big_endian(std::string_view bytes, std::size_t at, int count) {
  int value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// Pixels from the header of a PNG or a JPEG; zero when it is neither.
std::int64_t pixels(std::string_view blob) {
  if (blob.substr(0, 4) == "\x89PNG" && blob.size() >= 24) {
    return std::int64_t{big_endian(blob, 16, 4)} * big_endian(blob, 20, 4);
  }
  if (blob.substr(0, 2) != "\xFF\xD8") return 0;
  for (std::size_t at = 2; at + 9 < blob.size() && blob[at] == '\xFF';) {
    const auto marker = static_cast<unsigned char>(blob[at + 1]);
    const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (frame) return std::int64_t{big_endian(blob, at + 5, 2)} * big_endian(blob, at + 7, 2);
    at += 2 + big_endian(blob, at + 2, 2);
  }
  return 0;
}

Tokens image_cost(const Image& image) {
  const Tokens cost = pixels(image.blob) / pixels_per_token;
  return cost > 0 ? std::min(cost, most_image_tokens) : image_tokens;
}

Tokens document_cost(const Document& document) {
  return (static_cast<Tokens>(document.blob.size()) + page_bytes - 1) / page_bytes * page_tokens;
}

}  // namespace

Tokens estimate(const Block& block) {
  return std::visit(overloaded{
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
