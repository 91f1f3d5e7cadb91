#include <initializer_list>

#include "compression/text/lines.h"
#include "compression/text/source_words.h"
#include "compression/values/describe.h"

namespace tern {

namespace {

struct Extension {
  std::string_view extension, language;
};
constexpr Extension extensions[] = {
    {"py", "Python"},      {"pyi", "Python"},     {"js", "JavaScript"}, {"jsx", "JavaScript"},
    {"mjs", "JavaScript"}, {"cjs", "JavaScript"}, {"ts", "TypeScript"}, {"tsx", "TypeScript"},
    {"mts", "TypeScript"}, {"java", "Java"},      {"c", "C"},           {"h", "C++"},
    {"cpp", "C++"},        {"cc", "C++"},         {"cxx", "C++"},       {"hpp", "C++"},
    {"hh", "C++"},         {"inc", "C++"},        {"cs", "C#"},         {"go", "Go"},
    {"rs", "Rust"},        {"php", "PHP"},        {"rb", "Ruby"},       {"kt", "Kotlin"},
    {"kts", "Kotlin"},     {"swift", "Swift"},    {"sh", "Shell"},      {"bash", "Shell"},
    {"scala", "Scala"},    {"lua", "Lua"},        {"md", "Markdown"},   {"json", "JSON"},
    {"yaml", "YAML"},      {"yml", "YAML"},       {"toml", "TOML"},     {"toml", "TOML"},
    {"html", "HTML"},      {"css", "CSS"},        {"sql", "SQL"},       {"xml", "XML"},
    {"cmake", "CMake"},    {"txt", "text"},
};

class Reader {
 public:
  explicit Reader(std::string_view language) : language_(language) {
    c_like_ = language == "C" || language == "C++";
    script_ = language == "JavaScript" || language == "TypeScript";
    for (const auto& opening : openings) {
      if (opening.language == language) openings_.push_back(opening);
    }
    members_ = language == "Java" || language == "C#" || language == "PHP" || language == "Kotlin" ||
               language == "Swift" || language == "Ruby";
  }

  void line(std::string_view raw) {
    const auto text = numbered_line(raw).text;
    const bool indented = !text.empty() && (text.front() == ' ' || text.front() == '\t');
    auto code = trimmed(text);
    if (code.empty() || is_comment(code) || (indented && !members_)) return;
    const bool exported = code.starts_with("export ");
    const bool open = take_modifiers(code) || !indented;
    if (definition(code)) return;
    if (exported && script_) return add(What::function, leading_name(after(code, {"let ", "var "})));
    if (c_like_ || ((language_ == "Java" || language_ == "C#") && open)) return call_like(code);
    if (language_ == "Shell" && code.find("()") != code.npos) add(What::function, leading_name(code));
  }

  SourceNames names;

 private:
  static bool is_comment(std::string_view code) {
    return code.starts_with("//") || code.starts_with("#") || code.starts_with("*") ||
           code.starts_with("/*") || code.starts_with("}") || code.starts_with("@");
  }

  static std::string_view after(std::string_view code, std::initializer_list<std::string_view> words) {
    for (const auto word : words) take(code, word);
    return code;
  }

  bool definition(std::string_view code) {
    for (const auto& opening : openings_) {
      if (!code.starts_with(opening.words)) continue;
      auto rest = code.substr(opening.words.size());
      if (language_ == "Go" && rest.starts_with("("))
        rest = trimmed(rest.substr(std::min(rest.find(')') + 1, rest.size())));
      if (language_ == "C++" && opening.words == "using " && rest.find('=') == rest.npos) return true;
      if (opening.what == What::type && c_like_ && code.ends_with(";") && opening.words != "using ")
        return true;  // declared elsewhere
      const auto name = leading_name(rest);
      if (is_private(name)) return true;
      add(opening.what, name);
      return true;
    }
    return false;
  }

  bool is_private(std::string_view name) const {
    if (language_ == "Go") return name.empty() || name.front() < 'A' || name.front() > 'Z';
    return language_ == "Python" && name.starts_with("_");
  }

  // `type name(arguments) {`: the name before the first parenthesis.
  void call_like(std::string_view code) {
    const auto open = code.find('(');
    if (open == code.npos || open == 0 || code.find('=') < open) return;
    std::size_t start = open;
    while (start > 0 && (is_name_char(code[start - 1]) || code[start - 1] == ':' || code[start - 1] == '~'))
      --start;
    const auto name = code.substr(start, open - start);
    if (start == 0 || name.empty() || is_one_of(name, not_functions) ||
        is_one_of(leading_name(code), not_functions))
      return;
    add(What::function, name);
  }

  void add(What what, std::string_view name) {
    add_once(what == What::function ? names.functions : names.types, name);
  }

  std::string_view language_;
  std::vector<Opening> openings_;
  bool c_like_ = false, script_ = false, members_ = false;
};

}  // namespace

std::string_view language_of(std::string_view path) {
  if (path.ends_with("CMakeLists.txt")) return "CMake";
  const auto dot = path.rfind('.');
  if (dot == path.npos)
    return path.ends_with("Makefile") ? "Make" : path.ends_with("Dockerfile") ? "Docker" : "";
  for (const auto& [extension, language] : extensions) {
    if (path.substr(dot + 1) == extension) return language;
  }
  return {};
}

SourceNames source_names(std::string_view text, std::string_view language) {
  Reader reader(language);
  each_line_of(text, [&](std::string_view line) { reader.line(line); });
  return std::move(reader.names);
}

std::string describe_source(std::string_view text, std::string_view language) {
  constexpr std::size_t shown = 4;
  const SourceNames names = source_names(text, language);
  std::string out = joined(names.functions, shown, "()");
  if (names.types.empty()) return out;
  if (!out.empty()) out += ", ";
  if (names.functions.empty()) return out + joined(names.types, shown);
  return out + (names.types.size() == 1 ? "type " + std::string(names.types.front())
                                        : std::to_string(names.types.size()) + " types");
}

}  // namespace tern
