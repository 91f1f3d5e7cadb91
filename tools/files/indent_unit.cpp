#include "tools/files/indent_unit.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <numeric>
#include <set>

#include "tools/files/fold.h"

namespace tern {

namespace {

constexpr std::size_t most_looked_at = 4 << 20;

bool all(std::string_view text, char c) { return text.find_first_not_of(c) == text.npos; }

// " * text" of a block comment stands one blank in, whatever the unit.
bool comment_star(const Line& line) { return line.rest().starts_with("*"); }

// How deep lines step in, most often; 0 when no step is more frequent than all others together.
class Steps {
 public:
  void add(std::size_t indent) {
    if (indent > last_) ++(counts_[indent - last_]), ++all_;
    last_ = indent;
  }
  std::size_t usual() const {
    for (const auto& [step, count] : counts_)
      if (step >= 2 && step <= 8 && count * 2 > all_) return step;
    return 0;
  }

 private:
  std::map<std::size_t, std::size_t> counts_;
  std::size_t last_ = 0, all_ = 0;
};

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) ++found;
  return found;
}

constexpr std::array<std::string_view, 4> long_quotes = {"`", "\"\"\"", "'''", "R\""};

// Inside a string that began on a line before, or not surely outside.
bool maybe_in_string(std::string_view before) {
  for (std::string_view quote : {long_quotes[0], long_quotes[1], long_quotes[2]})
    if (count(before, quote) % 2 != 0) return true;
  for (std::size_t at = before.rfind("R\""); at != before.npos;) {
    const std::size_t open = before.find('(', at);
    const std::string end =
        ")" + std::string(before.substr(at + 2, open == before.npos ? 0 : open - at - 2)) + "\"";
    return open == before.npos || before.find(end, open) == before.npos;
  }
  return false;
}

bool continues(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line.ends_with('\\');
}

std::string_view line_before(std::string_view text, std::size_t line_start) {
  if (line_start == 0) return {};
  const std::size_t end = line_start - 1;
  const std::size_t begin = end == 0 ? text.npos : text.rfind('\n', end - 1);
  return text.substr(begin == text.npos ? 0 : begin + 1, end - (begin == text.npos ? 0 : begin + 1));
}

// Tabs before the code of the nearest line that has any, from the one `begin` stands in upwards.
std::size_t depth_at(std::string_view text, std::size_t begin) {
  while (true) {
    const std::size_t start = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
    const std::string_view line = text.substr(start, text.find('\n', start) - start);
    if (!trimmed(line).empty()) return std::min(line.find_first_not_of('\t'), line.size());
    if (start == 0) return 0;
    begin = start - 1;
  }
}

// More than a brace: lines that could be the same one before and after.
bool says_something(std::string_view rest) {
  return std::any_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isalnum(c) || c >= 0x80; });
}

// The lines of new_text that are not old ones, with an indentation of blanks or of tabs.
struct NewLines {
  bool blanks = false, tabs = false, mixed = false, reindents = false, continued = false;
  std::size_t step = 0, first = 0;  // common divisor of the blanks; those of the first such line
};

NewLines look_at(const std::vector<Line>& fresh, const std::vector<Line>& old, bool at_line_start) {
  std::set<std::string_view> bodies, rests;
  for (const Line& line : old) {
    bodies.insert(line.body);
    if (says_something(line.rest())) rests.insert(line.rest());
  }
  NewLines seen;
  for (std::size_t i = at_line_start ? 0 : 1; i < fresh.size(); ++i) {
    const Line& line = fresh[i];
    seen.continued = seen.continued || line.body.ends_with('\\');
    if (line.rest().empty() || bodies.count(line.body)) continue;
    seen.reindents = seen.reindents || rests.count(line.rest());
    const std::string_view indent = line.indent();
    if (indent.empty() || comment_star(line)) continue;
    const bool blanks = all(indent, ' '), tabs = all(indent, '\t');
    if (blanks && !seen.blanks) seen.first = indent.size();
    if (blanks) seen.step = std::gcd(seen.step, indent.size());
    seen.blanks |= blanks, seen.tabs |= tabs, seen.mixed |= !blanks && !tabs;
  }
  return seen;
}

// What one step is in blanks that stand for tabs.
std::size_t width_of(const NewLines& seen, std::size_t depth) {
  const std::size_t width = seen.step % 4 == 0 ? 4 : seen.step == 2 || seen.step == 3 ? seen.step : 0;
  if (width == 0) return 0;
  const std::size_t first = seen.first / width;
  return first <= depth + 1 && first + 1 >= depth ? width : 0;
}

bool has_long_quote(std::string_view text) {
  return std::any_of(std::begin(long_quotes), std::end(long_quotes),
                     [&](std::string_view quote) { return text.find(quote) != text.npos; });
}

// All new lines are indented with blanks in a file of tabs, or the other way round, and say where they
// belong.
bool uses_the_other(const NewLines& seen, const IndentUnit& unit) {
  if (seen.mixed || seen.reindents || seen.continued) return false;
  return unit.tabs ? seen.blanks && !seen.tabs : seen.tabs && !seen.blanks;
}

bool is_foreign(const Line& line, const IndentUnit& unit) {
  if (line.indent().empty() || line.rest().empty() || comment_star(line)) return false;
  return all(line.indent(), unit.tabs ? ' ' : '\t');
}

// The same depth; `width` blanks are a step.
std::string indent_in(const IndentUnit& unit, std::size_t given, std::size_t width) {
  return unit.tabs ? std::string(given / width, '\t') : std::string(given * width, ' ');
}

}  // namespace

std::string to_string(const IndentUnit& unit) {
  return unit.tabs ? "tabs" : std::to_string(unit.width) + " blanks";
}

bool has_one_unit(std::string_view file_name) {
  const std::size_t dot = file_name.rfind('.');
  if (dot == file_name.npos) return false;
  const std::string_view end = file_name.substr(dot + 1);
  static const std::set<std::string_view> ends = {"c",    "h",     "cc",  "cpp",   "cxx", "hh",  "hpp", "hxx",
                                                  "java", "js",    "jsx", "ts",    "mjs", "cjs", "tsx", "go",
                                                  "cs",   "swift", "kt",  "scala", "m",   "mm",  "py",  "pyi",
                                                  "dart", "proto", "css", "scss",  "json"};
  return ends.count(end) > 0;
}

std::optional<IndentUnit> unit_of(std::string_view text) {
  if (text.size() > most_looked_at || uses_only_cr(text)) return std::nullopt;
  std::size_t tabs = 0, blanks = 0;
  Steps steps;
  for (const Line& line : lines_of(text)) {
    if (line.rest().empty()) continue;
    const std::string_view indent = line.indent();
    if (comment_star(line) && indent.find('\t') == indent.npos) continue;
    if (!indent.empty() && indent.front() == '\t') ++tabs;
    if (!indent.empty() && indent.front() == ' ') ++blanks;
    if (tabs > 0 && blanks > 0) return std::nullopt;
    if (blanks > 0 && indent.find('\t') != indent.npos) return std::nullopt;
    steps.add(indent.size());
  }
  if (tabs >= 2) return IndentUnit{true, 0};
  const std::size_t width = blanks >= 2 ? steps.usual() : 0;
  return width > 0 ? std::optional<IndentUnit>({false, width}) : std::nullopt;
}

std::string in_unit(std::string_view text, std::size_t begin, std::string_view old_text,
                    std::string_view new_text, const IndentUnit& unit) {
  const std::string same(new_text);
  if (has_long_quote(new_text) || has_long_quote(old_text)) return same;
  const std::size_t start = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
  const bool at_line_start = start == begin;
  const auto fresh = lines_of(new_text), old = lines_of(old_text);
  const NewLines seen = look_at(fresh, old, at_line_start);
  if (!uses_the_other(seen, unit)) return same;
  const std::size_t width = unit.tabs ? width_of(seen, depth_at(text, begin)) : unit.width;
  if (width == 0 || continues(line_before(text, start)) || maybe_in_string(text.substr(0, begin)))
    return same;
  std::set<std::string_view> old_bodies;
  for (const Line& line : old) old_bodies.insert(line.body);
  std::string out;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    const Line& line = fresh[i];
    const bool taken = (i > 0 || at_line_start) && is_foreign(line, unit) && !old_bodies.count(line.body);
    out += taken ? indent_in(unit, line.indent().size(), width) : std::string(line.indent());
    out.append(line.rest()).append(line.ending);
  }
  return out;
}

}  // namespace tern
