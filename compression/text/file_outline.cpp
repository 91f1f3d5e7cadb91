#include "compression/text/file_outline.h"

#include <optional>
#include <vector>

#include "compression/text/source_words.h"
#include "compression/text/utf8.h"

namespace tern {

namespace {

constexpr std::size_t line_bytes = 120;
constexpr int data_depth = 2;  // of keys: the outermost three levels

// More openings than a one-line description wants.
struct Landmark {
  std::string_view language, words;
};
constexpr Landmark landmarks[] = {
    {"C++", "namespace "}, {"C#", "namespace "},      {"Rust", "impl "},  {"Rust", "impl<"},
    {"Rust", "mod "},      {"Rust", "macro_rules! "}, {"Swift", "init("}, {"Swift", "extension "},
    {"PHP", "enum "},      {"TypeScript", "module "},
};

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

// How deep a line is among those given before it, by its indent.
class Nesting {
 public:
  int depth(std::size_t indent) {
    while (!open_.empty() && open_.back() >= indent) open_.pop_back();
    open_.push_back(indent);
    return static_cast<int>(open_.size()) - 1;
  }

 private:
  std::vector<std::size_t> open_;
};

// --- the kinds: each takes line after line and gives the depth of one that belongs into the outline
// ------------------------

class Headings {
 public:
  std::optional<int> line(std::string_view text) {
    const auto code = trimmed(text);
    if (code.starts_with("```") || code.starts_with("~~~")) fenced_ = !fenced_;
    const auto level = std::min(code.find_first_not_of('#'), code.size());
    if (fenced_ || level == 0 || level > 6 || level == code.size() || code[level] != ' ') return std::nullopt;
    return static_cast<int>(level) - 1;
  }

 private:
  bool fenced_ = false;
};

class Keys {
 public:
  explicit Keys(std::string_view language) : json_(language == "JSON"), toml_(language == "TOML") {}

  std::optional<int> line(std::string_view text) {
    const auto code = trimmed(text);
    if (toml_) return toml(code);
    if (!(json_ ? is_json_key(code) : is_yaml_key(code))) return std::nullopt;
    const int depth = nesting_.depth(indent_of(text));
    return depth <= data_depth ? std::optional(depth) : std::nullopt;
  }

 private:
  static bool is_json_key(std::string_view code) {
    if (!code.starts_with("\"")) return false;
    std::size_t i = 1;
    while (i < code.size() && code[i] != '"') i += code[i] == '\\' ? 2 : 1;
    return i < code.size() && trimmed(code.substr(i + 1)).starts_with(":");
  }

  static bool is_yaml_key(std::string_view code) {
    take(code, "- ");
    const auto colon = code.find(':');
    if (colon == code.npos || colon == 0 || code.starts_with("#")) return false;
    if (colon + 1 < code.size() && code[colon + 1] != ' ') return false;
    return code.substr(0, colon).find_first_of(" {[,") == code.npos;
  }

  std::optional<int> toml(std::string_view code) {
    if (code.starts_with("[")) {
      const auto name = code.substr(0, std::min(code.find(']'), code.size()));
      section_ = 1 + static_cast<int>(std::count(name.begin(), name.end(), '.'));
      return section_ - 1;
    }
    const auto equals = code.find('=');
    if (code.starts_with("#") || equals == code.npos || leading_name(code).empty()) return std::nullopt;
    return section_;
  }

  bool json_, toml_;
  int section_ = 0;
  Nesting nesting_;
};

// Functions and types at any indent. What looks like a C-like function may be a call: inside a body it is
// one.
class Definitions {
 public:
  explicit Definitions(std::string_view language) : language_(language) {
    c_like_ = language == "C" || language == "C++";
    script_ = language == "JavaScript" || language == "TypeScript";
    typed_ = c_like_ || language == "Java" || language == "C#";
    for (const auto& opening : openings) {
      if (opening.language == language) openings_.push_back(opening.words);
    }
    for (const auto& landmark : landmarks) {
      if (landmark.language == language) openings_.push_back(landmark.words);
    }
  }

  std::optional<int> line(std::string_view text) {
    auto code = trimmed(text);
    if (code.empty() || is_comment(code)) return std::nullopt;
    const std::size_t indent = indent_of(text);
    if (body_ && indent <= *body_ && code.find_first_of("{):") != 0) body_.reset();
    if (code.starts_with("}")) return std::nullopt;
    const bool script_function = script_ && is_script_function(code, indent);
    take_all_modifiers(code);
    if (!script_function && !opens(code) && (body_ || !is_function(code))) return std::nullopt;
    return nesting_.depth(indent);
  }

  // After a line that was taken: what follows deeper is its body.
  void enter(std::string_view text) {
    const auto code = trimmed(text);
    const bool one_line = code.ends_with(";") || code.ends_with("}");
    if (typed_ && !body_ && !one_line && !is_type_) body_ = indent_of(text);
  }

 private:
  static bool is_comment(std::string_view code) {
    for (const std::string_view mark : {"//", "#", "*", "/*", "@", "--", "<!--"}) {
      if (code.starts_with(mark)) return true;
    }
    return false;
  }

  static void take_all_modifiers(std::string_view& code) {
    bool again = true;
    while (again) {
      again = take_modifiers(code);
      for (const std::string_view word :
           {"private ", "fileprivate ", "pub(super) ", "explicit ", "get ", "set "}) {
        again = take(code, word) || again;
      }
    }
  }

  bool opens(std::string_view code) {
    is_type_ = std::any_of(openings_.begin(), openings_.end(), [&](std::string_view words) {
      return code.starts_with(words) &&
             std::string_view("=:.,;)").find(code[std::min(words.size(), code.size() - 1)]) == code.npos;
    });
    if (!is_type_ || (body_ && typed_)) return false;
    if (code.starts_with("using ")) return code.find('=') != code.npos;
    return !c_like_ || !code.ends_with(";");  // else it is declared, or a variable of it
  }

  // `const name = (x) => {`, `name: async () => {`, `describe("name", () => {`
  static bool is_script_function(std::string_view code, std::size_t indent) {
    for (const std::string_view words : {"describe(", "it(", "test(", "describe.", "it.", "test."}) {
      if (code.starts_with(words)) return true;
    }
    take(code, "export ");
    take(code, "default ");
    const bool value = take(code, "const ") || take(code, "let ") || take(code, "var ");
    const auto name = leading_name(code);
    const auto rest = trimmed(code.substr(name.size()));
    if (name.empty() || !(rest.starts_with("=") || rest.starts_with(":"))) return false;
    const bool function = rest.find("=>") != rest.npos || rest.find("function") != rest.npos;
    return (function && (rest.ends_with("{") || rest.ends_with("("))) || (value && indent == 0);
  }

  bool is_function(std::string_view code) const {
    if (language_ == "Shell") return code.find("()") == leading_name(code).size() && !code.starts_with("(");
    return (typed_ || script_) && !is_type_ && is_call_like(code);
  }

  // `type name(arguments) {`, a constructor, a method of a script, a test.
  bool is_call_like(std::string_view code) const {
    const auto open = code.find('(');
    if (open == code.npos || open == 0 || code.find('=') < open || code.starts_with(":") ||
        code.starts_with(","))
      return false;
    std::size_t start = open;
    while (start > 0 && (is_name_char(code[start - 1]) || code[start - 1] == ':' || code[start - 1] == '~'))
      --start;
    const auto name = code.substr(start, open - start);
    const bool shouted =
        start == 0 && name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == name.npos;
    if (name.empty() ||
        (!shouted && (is_one_of(name, not_functions) || is_one_of(leading_name(code), not_functions))))
      return false;
    if (start == 0) return (c_like_ && name.find("::") != name.npos) || has_body(code);
    return typed_ && std::string_view(" *&").find(code[start - 1]) != std::string_view::npos &&
           !code.ends_with(":");
  }

  // `name(arguments) {` and no call that a lambda is given to.
  static bool has_body(std::string_view code) {
    const bool closed =
        std::count(code.begin(), code.end(), '(') == std::count(code.begin(), code.end(), ')');
    return closed && (code.ends_with("{") || (code.ends_with("}") && code.find('{') != code.npos));
  }

  std::string_view language_;
  std::vector<std::string_view> openings_;
  bool c_like_ = false, script_ = false, typed_ = false;
  bool is_type_ = false;             // the line that was just looked at
  std::optional<std::size_t> body_;  // the indent of the function whose body the lines are
  Nesting nesting_;
};

// --- the outline
// -----------------------------------------------------------------------------------------------------------

struct Entry {
  std::size_t number;
  std::string_view mark, text;
  int depth;
};

std::string shown(const Entry& entry) {
  std::string line = std::to_string(entry.number);
  line.append(entry.mark.empty() ? std::string_view(": ") : entry.mark);
  const auto last = entry.text.find_last_not_of(" \t\r");
  return line + clipped(entry.text.substr(0, last + 1), line_bytes) + '\n';
}

template <class Kind>
std::vector<Entry> entries_of(std::string_view text, std::size_t from, std::size_t to, Kind kind) {
  std::vector<Entry> found;
  std::size_t line_number = 0;
  each_line_while(text.substr(0, to), [&](std::string_view raw) {
    ++line_number;
    const auto line = numbered_line(raw);
    const auto depth = kind.line(line.text);
    if constexpr (requires { kind.enter(line.text); }) {
      if (depth) kind.enter(line.text);
    }
    if (depth && static_cast<std::size_t>(raw.data() - text.data()) >= from)
      found.push_back({line.number ? line.number : line_number, line.mark, line.text, *depth});
    return true;
  });
  return found;
}

std::vector<Entry> entries_of(std::string_view text, std::size_t from, std::size_t to,
                              std::string_view language) {
  if (language == "Markdown") return entries_of(text, from, to, Headings());
  if (language == "JSON" || language == "YAML" || language == "TOML")
    return entries_of(text, from, to, Keys(language));
  return entries_of(text, from, to, Definitions(language));
}

// Level by level while they fit `room`; of the first that does not, every so many.
std::vector<bool> chosen(const std::vector<Entry>& entries, const std::vector<std::size_t>& costs,
                         std::size_t room) {
  std::vector<bool> kept(entries.size(), false);
  int deepest = 0;
  for (const auto& entry : entries) deepest = std::max(deepest, entry.depth);
  for (int depth = 0; depth <= deepest && room > 0; ++depth) {
    std::size_t all = 0, seen = 0, spent = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) all += entries[i].depth == depth ? costs[i] : 0;
    const std::size_t share = std::min(all, room);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].depth != depth) continue;
      seen += costs[i];
      if ((spent + costs[i]) * all > seen * share) continue;
      kept[i] = true;
      spent += costs[i];
    }
    if (share < all) break;
    room -= spent;
  }
  return kept;
}

}  // namespace

std::string file_outline(std::string_view text, std::size_t from, std::size_t to, std::string_view language,
                         std::size_t limit) {
  constexpr std::size_t header_bytes = 100;
  limit = std::min(limit, count_characters(text.substr(from, to - from)) / 2);
  if (limit <= header_bytes) return {};
  const auto entries = entries_of(text, from, to, language);
  std::vector<std::size_t> costs;
  costs.reserve(entries.size());
  for (const auto& entry : entries) costs.push_back(count_characters(shown(entry)));
  const auto kept = chosen(entries, costs, limit - header_bytes);
  std::string lines;
  std::size_t n = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!kept[i]) continue;
    lines += shown(entries[i]);
    ++n;
  }
  if (n == 0) return {};
  const std::string of = n < entries.size() ? " of " + grouped(entries.size()) : "";
  return "[outline of these lines, " + grouped(n) + of +
         " entries; read what you need of them by line number]\n" + lines;
}

}  // namespace tern
