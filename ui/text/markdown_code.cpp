#include <algorithm>
#include <charconv>
#include <utility>

#include "ui/text/markdown_parts.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"
#include "ui/text/wrap.h"

namespace tern {
namespace {

constexpr Style muted{.fg = Colour::muted};

bool is_diff(std::string_view language) { return language == "diff" || language == "patch"; }

// A diff in a fence names no file, so its lines have a tint and no syntax.
void tint_change(Row& row) {
  const auto whole = [&](Style style) {
    row.spans = {{0, static_cast<std::uint32_t>(row.text.size()), style}};
  };
  if (row.text.starts_with("@@")) return whole({.fg = Colour::accent});
  if (row.text.starts_with("+++") || row.text.starts_with("---") || row.text.starts_with("diff "))
    return whole(muted);
  const bool added = row.text.starts_with("+");
  if (!added && !row.text.starts_with("-")) return;
  row.fill = added ? Colour::added_tint : Colour::removed_tint;
  const auto rest = static_cast<std::uint32_t>(row.text.size() - 1);
  row.spans = {{0, 1, Style{.fg = added ? Colour::good : Colour::bad, .bg = row.fill}},
               {1, rest, Style{.bg = row.fill}}};
}

// Code keeps its blanks: cut at the edge, never at a word.
void hard_wrap(Rows& rows, const Row& row, int width, std::string_view prefix) {
  const std::string first = std::string(prefix) + "▏ ", rest = std::string(prefix) + "↪ ";
  const int room = std::max(1, width - tern::width(first));
  std::size_t from = 0;
  do {
    const std::size_t fits = fit(std::string_view(row.text).substr(from), room);
    const std::size_t length = std::max<std::size_t>(fits, from < row.text.size() ? 1 : 0);
    Row made = RowBuilder().gutter(from > 0 ? rest : first, muted).take();
    append(made, row, from, from + length);
    made.continued = from > 0;
    made.fill = row.fill;
    rows.push_back(std::move(made));
    from += length;
  } while (from < row.text.size());
}

void name_language(Row& row, std::string_view language, int width) {
  const int space = std::min(width, longest_prose) - tern::width(row.text) - tern::width(language);
  if (language.empty() || space < 2) return;
  const std::size_t before = row.text.size();
  const Style blank{.bg = row.fill}, name{.fg = Colour::muted, .bg = row.fill};
  append(
      row,
      RowBuilder().add(std::string(static_cast<std::size_t>(space), ' '), blank).add(language, name).take());
  row.trailer = static_cast<std::uint32_t>(row.text.size() - before);
}

}  // namespace

Rows code_rows(std::string_view code, std::string_view language, int width, std::string_view prefix) {
  if (code.ends_with('\n')) code.remove_suffix(1);
  Rows rows;
  int state = 0;
  for (std::size_t at = 0; at <= code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    Row row;
    row.text = code.substr(at, end - at);
    if (is_diff(language))
      tint_change(row);
    else
      row.spans = highlight(row.text, language, state);
    hard_wrap(rows, row, width, prefix);
    at = end + 1;
  }
  if (rows.size() < 2 || !rows[1].continued)
    name_language(rows.front(), safe_text(language, Lines::one), width);
  return rows;
}

std::string entity_text(std::string_view entity) {
  static constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"amp", "&"},    {"lt", "<"},     {"gt", ">"},     {"quot", "\""},  {"apos", "'"},  {"nbsp", " "},
      {"copy", "©"},   {"reg", "®"},    {"trade", "™"},  {"hellip", "…"}, {"mdash", "—"}, {"ndash", "–"},
      {"lsquo", "‘"},  {"rsquo", "’"},  {"ldquo", "“"},  {"rdquo", "”"},  {"laquo", "«"}, {"raquo", "»"},
      {"bull", "•"},   {"middot", "·"}, {"times", "×"},  {"divide", "÷"}, {"deg", "°"},   {"plusmn", "±"},
      {"frac12", "½"}, {"frac14", "¼"}, {"frac34", "¾"}, {"micro", "µ"},  {"para", "¶"},  {"sect", "§"},
      {"euro", "€"},   {"pound", "£"},  {"yen", "¥"},    {"cent", "¢"},   {"larr", "←"},  {"rarr", "→"},
      {"uarr", "↑"},   {"darr", "↓"},   {"harr", "↔"},   {"rArr", "⇒"},   {"infin", "∞"}, {"ne", "≠"},
      {"le", "≤"},     {"ge", "≥"},     {"asymp", "≈"},  {"check", "✓"},  {"cross", "✗"}, {"szlig", "ß"},
      {"auml", "ä"},   {"ouml", "ö"},   {"uuml", "ü"},   {"Auml", "Ä"},   {"Ouml", "Ö"},  {"Uuml", "Ü"},
      {"eacute", "é"}, {"egrave", "è"}};
  std::string_view name = entity;
  if (!name.starts_with('&') || !name.ends_with(';')) return std::string(entity);
  name = name.substr(1, name.size() - 2);
  for (const auto& [from, to] : known)
    if (name == from) return std::string(to);
  if (!name.starts_with('#')) return std::string(entity);
  const bool hex = name.starts_with("#x") || name.starts_with("#X");
  const std::string_view digits = name.substr(hex ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole && code >= 0x20 && code < 0x110000 ? safe_text(utf8(code), Lines::one) : std::string(entity);
}

}  // namespace tern
