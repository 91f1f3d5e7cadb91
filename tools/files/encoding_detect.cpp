#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>

#include "tools/files/encoding.h"
#include "tools/files/encoding_common.h"
#include "tools/files/encoding_forms.h"

namespace tern {

namespace {

constexpr std::size_t sample_bytes = 1 << 20;

// How a character is used in the language of an encoding; `neutral` says nothing either way.
enum class Use { common, usual, rare, neutral };

Use use_in_gbk(unsigned a, unsigned b, std::size_t n) {
  if (n != 2 || b < 0xA1) return Use::rare;
  if (std::binary_search(std::begin(common_gbk), std::end(common_gbk), a << 8 | b)) return Use::common;
  return (a >= 0xB0 && a <= 0xD7) || (a >= 0xA1 && a <= 0xA3) || a == 0xA9 ? Use::usual : Use::rare;
}

Use use_in_euc_kr(unsigned a, unsigned b, std::size_t) {
  if (b < 0xA1) return Use::rare;
  if (std::binary_search(std::begin(common_euc_kr), std::end(common_euc_kr), a << 8 | b)) return Use::common;
  return (a >= 0xB0 && a <= 0xC8) || (a >= 0xA1 && a <= 0xA3) ? Use::usual : Use::rare;
}

Use use_in_sjis(unsigned a, unsigned b, std::size_t n) {
  if (n == 1) return Use::neutral;
  if ((a == 0x82 && b >= 0x9F && b <= 0xF1) || (a == 0x83 && b >= 0x40 && b <= 0x96)) return Use::common;
  bool sign = a == 0x81 ? b <= 0xAC : a == 0x82 && b >= 0x4F;
  return sign || (a >= 0x88 && a <= 0x97) || (a == 0x98 && b <= 0x72) ? Use::usual : Use::rare;
}

struct Form {
  Encoding encoding;
  std::size_t (*length)(std::string_view, std::size_t);
  Use (*use)(unsigned, unsigned, std::size_t);
};
constexpr Form forms[] = {{Encoding::gbk, gbk_length, use_in_gbk},
                          {Encoding::euc_kr, euc_kr_length, use_in_euc_kr},
                          {Encoding::shift_jis, sjis_length, use_in_sjis}};

bool is_letter(unsigned c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

// What speaks for one of the double-byte encodings. A character alone between ASCII letters ("Gr\xf6\xdfe")
// speaks against it: that is how accented letters stand, and hardly ever how hanzi do.
class Reading {
 public:
  Reading(std::string_view text, const Form& form, bool cut) {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t n = form.length(text, at);
      if (n == 0 || at + n > text.size()) {
        valid_ = cut && text.size() - at < 4;  // a sample may end inside a character
        break;
      }
      if (byte_at(text, at) >= 0x80) {
        if (word_.size == 0) word_.begin = at;
        add(form.use(byte_at(text, at), byte_at(text, at + 1), n));
      } else {
        end_word(text, at);
      }
      at += n;
    }
    end_word(text, text.size());
  }

  bool plausible() const { return valid_ && evidence_ > 1 && usual_ * 10 > characters_ * 7; }
  bool mostly_common() const { return common_ * 4 >= characters_; }
  double evidence() const { return evidence_; }

 private:
  struct Word {
    std::size_t begin = 0, size = 0, common = 0, usual = 0;
  };

  void add(Use use) {
    ++word_.size;
    if (use == Use::neutral) return;
    ++characters_;
    word_.common += use == Use::common;
    word_.usual += use == Use::usual;
  }

  void end_word(std::string_view text, std::size_t end) {
    if (word_.size == 0) return;
    bool before = word_.begin > 0 && is_letter(byte_at(text, word_.begin - 1)),
         after = is_letter(byte_at(text, end));
    std::string_view bytes = text.substr(word_.begin, end - word_.begin);
    bool accents =
        std::all_of(bytes.begin(), bytes.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xC0; });
    if (word_.size > 1) {
      double each = accents && bytes.size() <= 4 ? (before && after ? 0 : 0.5) : 1;
      evidence_ += 1.5 * static_cast<double>(word_.common) + each * static_cast<double>(word_.usual);
    } else if (word_.common) {
      evidence_ += 2 - before - after;
    } else if (before || after || accents) {
      evidence_ -= before && after;
    } else {
      evidence_ += word_.usual ? 0.5 : 0;
    }
    common_ += word_.common;
    usual_ += word_.common + word_.usual;
    word_ = {};
  }

  bool valid_ = true;
  std::size_t characters_ = 0, usual_ = 0, common_ = 0;
  double evidence_ = 0;
  Word word_;
};

// Nothing but half-width kana: runs of them, with every voicing mark behind a kana that takes one.
bool half_width_kana(std::string_view text) {
  std::size_t high = 0, runs = 0, marks = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned before = i ? byte_at(text, i - 1) : 0, c = byte_at(text, i);
    if (c < 0x80) continue;
    if (c < 0xA1 || c > 0xDF) return false;
    ++high;
    runs += before < 0x80;
    bool takes_half = before >= 0xCA && before <= 0xCE;
    bool takes = takes_half || before == 0xB3 || (before >= 0xB6 && before <= 0xC4);
    if ((c == 0xDE && !takes) || (c == 0xDF && !takes_half)) return false;
    marks += c >= 0xDE || (c == 0xB0 && before >= 0xA6);
  }
  return marks > 0 && high >= 3 * runs;
}

Charset detect_legacy(std::string_view bytes) {
  std::string_view sample = bytes.substr(0, sample_bytes);
  bool lower =
      std::any_of(sample.begin(), sample.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xE0; });
  std::optional<Encoding> best;
  double most = 0;
  for (const Form& form : forms) {
    Reading reading(sample, form, sample.size() < bytes.size());
    bool trusted = form.encoding == Encoding::shift_jis || lower || reading.mostly_common();
    double lead =
        form.encoding == Encoding::euc_kr && best ? 1 : 0;  // a few hanzi may be common syllables by chance
    if (!reading.plausible() || !trusted || reading.evidence() <= most + lead) continue;
    best = form.encoding;
    most = reading.evidence();
  }
  if (best) return {.encoding = *best};
  if (half_width_kana(sample)) return {.encoding = Encoding::shift_jis};
  for (char c : bytes) {
    auto b = static_cast<unsigned char>(c);
    if (b >= 0x80 && b < 0xA0 && cp1252_high[b - 0x80] == 0) return {.encoding = Encoding::latin1};
  }
  return {.encoding = Encoding::cp1252};
}

std::optional<Charset> detect_utf16(std::string_view bytes) {
  if (bytes.size() < 4 || bytes.size() % 2) return std::nullopt;
  std::size_t even = 0, odd = 0, pairs = std::min<std::size_t>(bytes.size(), 8192) / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    even += bytes[2 * i] == 0;
    odd += bytes[2 * i + 1] == 0;
    if (bytes[2 * i] == 0 && bytes[2 * i + 1] == 0) return std::nullopt;
  }
  if (odd * 2 > pairs && even * 20 <= pairs) return Charset{.encoding = Encoding::utf16le};
  if (even * 2 > pairs && odd * 20 <= pairs) return Charset{.encoding = Encoding::utf16be};
  return std::nullopt;
}

}  // namespace

Charset detect(std::string_view bytes) {
  if (bytes.substr(0, 2) == "\xff\xfe" && bytes.size() % 2 == 0)
    return {.encoding = Encoding::utf16le, .mark = 2};
  if (bytes.substr(0, 2) == "\xfe\xff" && bytes.size() % 2 == 0)
    return {.encoding = Encoding::utf16be, .mark = 2};
  if (bytes.substr(0, 65536).find('\0') != std::string_view::npos) {
    return detect_utf16(bytes).value_or(Charset{.encoding = Encoding::binary});
  }
  std::size_t mark = bytes.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0;
  std::size_t broken = 0, multi = 0;
  for (std::size_t at = mark; at < bytes.size();) {
    if (static_cast<unsigned char>(bytes[at]) < 0x80) {
      ++at;
      continue;
    }
    std::size_t n = utf8_length(bytes, at);
    n ? ++multi : ++broken;
    at += n ? n : 1;
  }
  if (broken == 0 || mark || multi > 4 * broken)
    return {.encoding = Encoding::utf8, .mark = mark, .broken = broken};
  std::size_t control = static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && !std::strchr("\t\n\r\f\b\x1b\x0b", c);
  }));
  if (control * 50 > bytes.size()) return {.encoding = Encoding::binary};
  return detect_legacy(bytes);
}

Charset charset_as(std::string_view bytes, Encoding encoding) {
  Charset charset{.encoding = encoding};
  Charset found = detect(bytes);
  if (found.encoding == encoding) return found;
  if (encoding == Encoding::utf8) to_valid_utf8(bytes, &charset.broken);
  return charset;
}

}  // namespace tern
