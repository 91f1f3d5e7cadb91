#include "agent/models/wire.h"

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "compression/text/fnv.h"
#include "tools/set/args.h"

namespace tern {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

// 0: copied as it stands; 1: needs an escape; 2: starts or continues a multi-byte character.
constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 0; c < 0x20; ++c) classes[std::size_t(c)] = 1;
  classes['"'] = classes['\\'] = classes[0x7f] = 1;
  for (int c = 0x80; c < 0x100; ++c) classes[std::size_t(c)] = 2;
  return classes;
}
constexpr auto classes = make_classes();

void append_escape(std::string& out, unsigned char c) {
  static constexpr char hex[] = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: out += "\\u00", out += hex[c >> 4], out += hex[c & 15];
  }
}

bool continues(unsigned char c) { return (c & 0xc0) == 0x80; }

// Length of the valid character at `p`, 0 when there is none.
std::size_t sequence(const unsigned char* p, const unsigned char* end) {
  const auto left = end - p;
  if (p[0] >= 0xc2 && p[0] <= 0xdf) return left >= 2 && continues(p[1]) ? 2 : 0;
  if (p[0] >= 0xe0 && p[0] <= 0xef) {
    if (left < 3 || !continues(p[1]) || !continues(p[2])) return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)) return 0;
    return 3;
  }
  if (p[0] < 0xf0 || p[0] > 0xf4 || left < 4 || !continues(p[1]) || !continues(p[2]) || !continues(p[3]))
    return 0;
  return (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f) ? 0 : 4;
}

bool id_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; }

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out.reserve(out.size() + text.size() + 2);
  out += '"';
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = p + text.size();
  const auto* run = p;
  const auto copy = [&] { out.append(reinterpret_cast<const char*>(run), std::size_t(p - run)); };
  while (p < end) {
    const auto kind = classes[*p];
    if (kind == 0) {
      ++p;
    } else if (const auto length = kind == 2 ? sequence(p, end) : 0; length) {
      p += length;
    } else {
      copy();
      if (kind == 1)
        append_escape(out, *p);
      else
        out += replacement;
      run = ++p;
    }
  }
  copy();
  out += '"';
}

std::string json_quote(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

void append_base64(std::string& out, std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out.reserve(out.size() + bytes.size() * 4 / 3 + 4);
  const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    out += digits[group >> 18];
    out += digits[group >> 12 & 63];
    out += i + 1 < bytes.size() ? digits[group >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? digits[group & 63] : '=';
  }
}

std::string object_text(std::string_view arguments) {
  const auto first = arguments.find_first_not_of(" \t\r\n");
  if (first == arguments.npos) return "{}";
  if (arguments[first] == '{' && nlohmann::json::accept(arguments) && !nests_too_deep(arguments))
    return std::string(arguments.substr(first));
  return "{\"unparsed\":" + json_quote(arguments) + "}";
}

std::string wire_id(std::string_view id) {
  std::string out(id);
  bool clean = !out.empty() && out.size() <= 64;
  for (char& c : out)
    if (!id_char(c)) c = '_', clean = false;
  if (clean) return out;
  out.resize(std::min<std::size_t>(out.size(), 40));
  static constexpr char hex[] = "0123456789abcdef";
  out += '-';
  for (auto hash = fnv1a(id), n = std::uint64_t(0); n < 16; ++n, hash >>= 4) out += hex[hash & 15];
  return out;
}

void append_joined(std::string& out, std::string_view fragment, bool& first) {
  if (fragment.empty()) return;
  if (!first) out += ',';
  first = false;
  out += fragment;
}

void FragmentCache::begin() {
  ++body_;
  std::erase_if(entries_, [&](const auto& entry) { return entry.second.used + 2 < body_; });
}

void FragmentCache::form(std::string_view name) {
  if (form_ == name) return;
  form_ = name;
  entries_.clear();
}

}  // namespace tern
