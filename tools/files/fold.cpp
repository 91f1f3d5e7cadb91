#include "tools/files/fold.h"

#include <algorithm>

#include "tools/files/encoding.h"

namespace tern {

namespace {

struct Twin {
  std::string_view fancy, plain;
};
constexpr Twin twins[] = {
    {"\u2018", "'"},  {"\u2019", "'"},  {"\u201a", "'"},  {"\u201b", "'"},  {"\u2032", "'"}, {"\u201c", "\""},
    {"\u201d", "\""}, {"\u201e", "\""}, {"\u201f", "\""}, {"\u2033", "\""}, {"\u2010", "-"}, {"\u2011", "-"},
    {"\u2012", "-"},  {"\u2013", "-"},  {"\u2014", "-"},  {"\u2015", "-"},  {"\u2212", "-"}, {"\u00a0", " "},
    {"\u2002", " "},  {"\u2003", " "},  {"\u2004", " "},  {"\u2005", " "},  {"\u2006", " "}, {"\u2007", " "},
    {"\u2008", " "},  {"\u2009", " "},  {"\u200a", " "},  {"\u202f", " "},  {"\u205f", " "}, {"\u3000", " "},
    {"\u200b", ""},   {"\ufeff", ""},
};

const Twin* twin_at(std::string_view text) {
  if (text.empty() || (text[0] != '\xe2' && text[0] != '\xc2' && text[0] != '\xe3' && text[0] != '\xef'))
    return nullptr;
  for (const auto& twin : twins) {
    if (text.substr(0, twin.fancy.size()) == twin.fancy) return &twin;
  }
  return nullptr;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::size_t character_length(std::string_view text, std::size_t at) {
  if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') return 2;
  return std::max<std::size_t>(1, utf8_length(text, at));
}

}  // namespace

Folded::Folded(std::string_view text, Fold how) : source_(text) {
  text_.reserve(text.size());
  begins_.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t n = character_length(text, at);
    std::string_view out = text.substr(at, n);
    const Twin* twin = how == Fold::line_endings ? nullptr : twin_at(text.substr(at));
    if (twin) out = twin->plain;
    if (text[at] == '\r') out = "\n";
    if (out == "\n" && how == Fold::line_ends) drop_blanks();
    text_ += out;
    begins_.insert(begins_.end(), out.size(), static_cast<std::uint32_t>(at));
    at += n;
  }
  if (how == Fold::line_ends) drop_blanks();
  begins_.push_back(static_cast<std::uint32_t>(text.size()));
}

void Folded::drop_blanks() {
  while (!text_.empty() && is_blank(text_.back())) {
    text_.pop_back();
    begins_.pop_back();
  }
}

std::size_t Folded::end_of(std::size_t position) const {
  if (position == 0) return begins_[0];
  std::size_t begin = begins_[position - 1];
  return begin + character_length(source_, begin);
}

std::string fold(std::string_view text, Fold how) { return Folded(text, how).text(); }

std::string_view Line::indent() const {
  std::size_t n = 0;
  while (n < body.size() && is_blank(body[n])) ++n;
  return body.substr(0, n);
}

bool uses_only_cr(std::string_view text) {
  return text.find('\r') != std::string_view::npos && text.find('\n') == std::string_view::npos;
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  char mark = uses_only_cr(text) ? '\r' : '\n';
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find(mark, at);
    if (end == std::string_view::npos) {
      lines.push_back({text.substr(at), {}});
      break;
    }
    std::size_t body = end > at && mark == '\n' && text[end - 1] == '\r' ? end - 1 : end;
    lines.push_back({text.substr(at, body - at), text.substr(body, end + 1 - body)});
    at = end + 1;
  }
  if (lines.empty()) lines.push_back({});
  return lines;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\r' || text.back() == '\n'))
    text.remove_suffix(1);
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

}  // namespace tern
