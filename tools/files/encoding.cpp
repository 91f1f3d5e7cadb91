#include "tools/files/encoding.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "tools/files/encoding_forms.h"

namespace tern {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

void put_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 63));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 63));
    out += static_cast<char>(0x80 | (c & 63));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 63));
    out += static_cast<char>(0x80 | ((c >> 6) & 63));
    out += static_cast<char>(0x80 | (c & 63));
  }
}

std::uint32_t code_point(std::string_view utf8) {
  unsigned c = byte_at(utf8, 0);
  if (c < 0x80) return c;
  std::uint32_t value = c & (c >= 0xF0 ? 7u : c >= 0xE0 ? 15u : 31u);
  for (std::size_t i = 1; i < utf8.size(); ++i) value = (value << 6) | (byte_at(utf8, i) & 63u);
  return value;
}

class Converter {
 public:
  Converter(const char* to, const char* from) : handle_(iconv_open(to, from)) {}
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  ~Converter() {
    if (valid()) iconv_close(handle_);
  }
  bool valid() const { return handle_ != reinterpret_cast<iconv_t>(-1); }
  std::optional<std::string> operator()(std::string_view in) {
    if (!valid()) return std::nullopt;
    std::array<char, 16> out{};
    char* from = const_cast<char*>(in.data());
    char* to = out.data();
    std::size_t in_left = in.size(), out_left = out.size();
    iconv(handle_, nullptr, nullptr, nullptr, nullptr);
    if (iconv(handle_, &from, &in_left, &to, &out_left) != 0 || in_left) return std::nullopt;
    return std::string(out.data(), out.size() - out_left);
  }

 private:
  iconv_t handle_;
};

bool is_twin(Encoding encoding) {
  return encoding == Encoding::gbk || encoding == Encoding::shift_jis || encoding == Encoding::euc_kr;
}

// Read as the larger GB18030, written as plain GBK: a program that expects GBK must be able to read what we
// write.
const char* iconv_name(Encoding encoding, bool writing) {
  if (encoding == Encoding::gbk) return writing ? "GBK" : "GB18030";
  return encoding == Encoding::shift_jis ? "CP932" : "CP949";
}

std::size_t twin_length(Encoding encoding, std::string_view bytes, std::size_t at) {
  if (encoding == Encoding::gbk) return gbk_length(bytes, at);
  return encoding == Encoding::shift_jis ? sjis_length(bytes, at) : euc_kr_length(bytes, at);
}

std::optional<std::string> encode_one(std::string_view c, Encoding encoding, Converter* converter) {
  std::uint32_t code = code_point(c);
  std::string out;
  switch (encoding) {
    case Encoding::utf8: return std::string(c);
    case Encoding::binary: return std::nullopt;
    case Encoding::utf16le:
    case Encoding::utf16be: {
      auto unit = [&](std::uint32_t u) {
        char low = static_cast<char>(u & 255), high = static_cast<char>(u >> 8);
        out += encoding == Encoding::utf16le ? low : high;
        out += encoding == Encoding::utf16le ? high : low;
      };
      if (code < 0x10000) {
        unit(code);
      } else {
        unit(0xD800 + ((code - 0x10000) >> 10));
        unit(0xDC00 + ((code - 0x10000) & 0x3FF));
      }
      return out;
    }
    case Encoding::latin1:
      return code < 256 ? std::optional(std::string(1, static_cast<char>(code))) : std::nullopt;
    case Encoding::cp1252:
      if (code < 0x80 || (code >= 0xA0 && code < 256)) return std::string(1, static_cast<char>(code));
      for (std::size_t i = 0; i < 32; ++i) {
        if (code && cp1252_high[i] == code) return std::string(1, static_cast<char>(0x80 + i));
      }
      return std::nullopt;
    case Encoding::gbk:
    case Encoding::euc_kr:
    case Encoding::shift_jis:
      if (code < 0x80) return std::string(c);
      return (*converter)(c);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Encoding encoding) {
  switch (encoding) {
    case Encoding::utf8: return "UTF-8";
    case Encoding::utf16le: return "UTF-16LE";
    case Encoding::utf16be: return "UTF-16BE";
    case Encoding::cp1252: return "Windows-1252";
    case Encoding::latin1: return "Latin-1";
    case Encoding::gbk: return "GBK";
    case Encoding::shift_jis: return "Shift-JIS";
    case Encoding::euc_kr: return "EUC-KR";
    case Encoding::binary: break;
  }
  return "binary";
}

bool is_ascii(std::string_view bytes) {
  const char* at = bytes.data();
  const char* end = at + bytes.size();
  for (std::uint64_t eight[4]; end - at >= 32; at += 32) {
    std::memcpy(eight, at, 32);
    if ((eight[0] | eight[1] | eight[2] | eight[3]) & 0x8080808080808080) return false;
  }
  return std::all_of(at, end, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::size_t utf8_length(std::string_view s, std::size_t at) {
  unsigned a = byte_at(s, at), b = byte_at(s, at + 1);
  auto follows = [&](std::size_t i) { return (byte_at(s, at + i) & 0xC0) == 0x80; };
  if (a < 0x80) return at < s.size() ? 1 : 0;
  if (a < 0xC2) return 0;
  if (a < 0xE0) return follows(1) ? 2 : 0;
  if (a < 0xF0) {
    if (!follows(1) || !follows(2) || (a == 0xE0 && b < 0xA0) || (a == 0xED && b > 0x9F)) return 0;
    return 3;
  }
  if (a > 0xF4 || !follows(1) || !follows(2) || !follows(3) || (a == 0xF0 && b < 0x90) ||
      (a == 0xF4 && b > 0x8F))
    return 0;
  return 4;
}

void TextView::add(std::string_view utf8, std::size_t source_begin) {
  text_ += utf8;
  sources_.insert(sources_.end(), utf8.size(), static_cast<std::uint32_t>(source_begin));
}

namespace {

// The character of UTF-16 at `at`, as UTF-8; its length in bytes.
std::size_t wide_character(std::string_view bytes, std::size_t at, bool little, std::string& one) {
  const auto unit = [&](std::size_t i) -> std::uint32_t {
    return little ? byte_at(bytes, i) | byte_at(bytes, i + 1) << 8
                  : byte_at(bytes, i) << 8 | byte_at(bytes, i + 1);
  };
  const std::uint32_t first = unit(at),
                      second = first >= 0xD800 && first < 0xDC00 && at + 3 < bytes.size() ? unit(at + 2) : 0;
  if (second >= 0xDC00 && second < 0xE000) {
    put_utf8(one, 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
    return 4;
  }
  if (first >= 0xD800 && first < 0xE000)
    one = replacement;
  else
    put_utf8(one, first);
  return std::min<std::size_t>(2, bytes.size() - at);
}

// Characters of one or two bytes are looked up once each.
class TwinReader {
 public:
  TwinReader(Encoding encoding, std::size_t size)
      : encoding_(encoding),
        converter_("UTF-8", iconv_name(encoding, false)),
        known_(size > 4096 ? 65536 : 0) {}

  std::size_t operator()(std::string_view bytes, std::size_t at, std::string& one) {
    const auto n = std::min(std::max<std::size_t>(1, twin_length(encoding_, bytes, at)), bytes.size() - at);
    std::string* memo = n <= 2 && !known_.empty()
                            ? &known_[byte_at(bytes, at) << 8 | (n == 2 ? byte_at(bytes, at + 1) : 0)]
                            : nullptr;
    one = memo && !memo->empty() ? *memo : converter_(bytes.substr(at, n)).value_or(std::string(replacement));
    if (memo) *memo = one;
    return n;
  }

 private:
  Encoding encoding_;
  Converter converter_;
  std::vector<std::string> known_;
};

}  // namespace

TextView::TextView(std::string_view bytes, const Charset& charset) : mark_(charset.mark) {
  if (charset.encoding == Encoding::utf8 || charset.encoding == Encoding::binary) {
    plain_ = bytes.substr(charset.mark);
    return;
  }
  own_ = true;
  const bool little = charset.encoding == Encoding::utf16le,
             wide = little || charset.encoding == Encoding::utf16be;
  std::optional<TwinReader> twin;
  if (is_twin(charset.encoding)) twin.emplace(charset.encoding, bytes.size());
  for (std::size_t at = charset.mark; at < bytes.size();) {
    std::string one;
    std::size_t n = 1;
    const unsigned b = byte_at(bytes, at);
    if (wide)
      n = wide_character(bytes, at, little, one);
    else if (b < 0x80)
      one = bytes.substr(at, 1);
    else if (twin)
      n = (*twin)(bytes, at, one);
    else
      put_utf8(one, charset.encoding == Encoding::cp1252 && b < 0xA0 ? cp1252_high[b - 0x80] : b);
    add(one, at);
    at += n;
  }
  sources_.push_back(static_cast<std::uint32_t>(bytes.size()));
}

std::size_t TextView::source(std::size_t position) const {
  return own_ ? sources_[position] : position + mark_;
}

std::optional<std::string> encode(std::string_view utf8, Encoding encoding, std::string& misfit) {
  if (encoding == Encoding::utf8) return std::string(utf8);
  bool twin = is_twin(encoding);
  Converter converter(twin ? iconv_name(encoding, true) : "UTF-8", "UTF-8");
  std::string out;
  for (std::size_t at = 0; at < utf8.size();) {
    std::size_t n = std::max<std::size_t>(1, utf8_length(utf8, at));
    auto one = encode_one(utf8.substr(at, n), encoding, &converter);
    if (!one) {
      misfit = utf8.substr(at, n);
      return std::nullopt;
    }
    out += *one;
    at += n;
  }
  return out;
}

std::string to_valid_utf8(std::string_view bytes, std::size_t* replaced) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t n = utf8_length(bytes, at);
    if (n) {
      out += bytes.substr(at, n);
    } else {
      out += replacement;
      if (replaced) ++*replaced;
    }
    at += n ? n : 1;
  }
  return out;
}

std::string name_character(std::string_view utf8) {
  std::array<char, 16> code{};
  std::snprintf(code.data(), code.size(), "U+%04X", static_cast<unsigned>(code_point(utf8)));
  return std::string(utf8) + " (" + code.data() + ")";
}

}  // namespace tern
