#include "tools/ignore.h"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

namespace tern {

namespace fs = std::filesystem;

namespace {

enum class Wild { match, no, stop_star, stop_all };  // stop_*: no later "*" can succeed either

// A POSIX class by name; nullopt: there is no such class.
std::optional<bool> in_class(std::string_view name, unsigned char c) {
  if (name == "alnum") return std::isalnum(c) != 0;
  if (name == "alpha") return std::isalpha(c) != 0;
  if (name == "blank") return c == ' ' || c == '\t';
  if (name == "cntrl") return std::iscntrl(c) != 0;
  if (name == "digit") return std::isdigit(c) != 0;
  if (name == "graph") return std::isgraph(c) != 0;
  if (name == "lower") return std::islower(c) != 0;
  if (name == "print") return std::isprint(c) != 0;
  if (name == "punct") return std::ispunct(c) != 0;
  if (name == "space") return std::isspace(c) != 0;
  if (name == "upper") return std::isupper(c) != 0;
  if (name == "xdigit") return std::isxdigit(c) != 0;
  return std::nullopt;
}

// p[at] is just behind '['. Sets `matched`, moves `at` behind ']'; false when the bracket never closes.
bool bracket(std::string_view p, std::size_t& at, unsigned char c, bool& matched) {
  bool negated = at < p.size() && (p[at] == '!' || p[at] == '^');
  if (negated) ++at;
  matched = false;
  unsigned char previous = 0;
  bool first = true, have_previous = false;
  while (true) {
    if (at >= p.size()) return false;
    auto x = static_cast<unsigned char>(p[at]);
    if (x == ']' && !first) break;
    first = false;
    std::size_t close = x == '[' && at + 1 < p.size() && p[at + 1] == ':' ? p.find(']', at + 2) : 0;
    if (close == p.npos) return false;
    if (close > at + 2 && p[close - 1] == ':') {
      auto inside = in_class(p.substr(at + 2, close - at - 3), c);
      if (!inside) return false;
      matched |= *inside;
      at = close + 1;
      have_previous = false;
      continue;
    }
    if (x == '-' && have_previous && at + 1 < p.size() && p[at + 1] != ']') {
      ++at;
      if (p[at] == '\\' && ++at >= p.size()) return false;
      auto high = static_cast<unsigned char>(p[at++]);
      matched |= c >= previous && c <= high;
      have_previous = false;
      continue;
    }
    if (x == '\\') {
      if (++at >= p.size()) return false;
      x = static_cast<unsigned char>(p[at]);
    }
    matched |= x == c;
    previous = x;
    have_previous = true;
    ++at;
  }
  ++at;
  if (negated) matched = !matched;
  return true;
}

Wild wild(std::string_view p, std::string_view t, bool pathname, std::string_view whole);

// p[at] is a "*". Follows git's dowild, so that every pattern means what it means to git.
Wild star(std::string_view p, std::size_t at, std::string_view t, bool pathname, std::string_view whole) {
  std::size_t start = at;
  while (at < p.size() && p[at] == '*') ++at;
  bool slashes = !pathname;
  if (at - start > 1 && pathname) {
    std::size_t here = whole.size() - p.size() + start;  // p is always a tail of the whole pattern
    bool left = here == 0 || whole[here - 1] == '/';
    bool right = at == p.size() || p[at] == '/';
    if (left && right) {
      slashes = true;
      if (at < p.size() && wild(p.substr(at + 1), t, pathname, whole) == Wild::match) return Wild::match;
    }
  }
  if (at == p.size()) return slashes || t.find('/') == std::string_view::npos ? Wild::match : Wild::stop_star;
  if (!slashes && p[at] == '/') {
    std::size_t slash = t.find('/');
    return slash == std::string_view::npos ? Wild::stop_all : wild(p.substr(at), t.substr(slash), pathname, whole);
  }
  for (std::size_t i = 0; i < t.size(); ++i) {
    Wild w = wild(p.substr(at), t.substr(i), pathname, whole);
    if (w == Wild::match || w == Wild::stop_all || (w == Wild::stop_star && !slashes)) return w;
    if (w == Wild::no && !slashes && t[i] == '/') return Wild::stop_star;
  }
  return Wild::stop_all;
}

Wild wild(std::string_view p, std::string_view t, bool pathname, std::string_view whole) {
  std::size_t ti = 0;
  for (std::size_t at = 0; at < p.size();) {
    char c = p[at];
    if (c == '*') return star(p, at, t.substr(ti), pathname, whole);
    if (ti >= t.size()) return Wild::stop_all;
    if (c == '?') {
      if (pathname && t[ti] == '/') return Wild::no;
      ++at;
    } else if (c == '[') {
      bool matched = false;
      if (!bracket(p, ++at, static_cast<unsigned char>(t[ti]), matched)) return Wild::stop_all;
      if (!matched || (pathname && t[ti] == '/')) return Wild::no;
    } else {
      if (c == '\\') {
        if (++at >= p.size()) return Wild::no;
        c = p[at];
      }
      if (c != t[ti]) return Wild::no;
      ++at;
    }
    ++ti;
  }
  return ti == t.size() ? Wild::match : Wild::no;
}

std::string read_text(const fs::path& path) {
  std::error_code ec;
  if (!fs::is_regular_file(path, ec)) return {};
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path global_excludes() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config && *config) return fs::path(config) / "git/ignore";
  const char* home = std::getenv("HOME");
  return home && *home ? fs::path(home) / ".config/git/ignore" : fs::path();
}

std::vector<std::string> split_patterns(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth <= 0 && (c == ' ' || c == ',')) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  std::erase_if(parts, [](const auto& part) { return part.empty(); });
  return parts;
}

// `down`: from the top to the walk's root, "x/y/z/". Asks for x, x/y and x/y/z by the rules above each of them.
bool is_root_ignored(const IgnoreLevel* chain, const std::string& down) {
  for (std::size_t slash = down.find('/'); slash != std::string::npos; slash = down.find('/', slash + 1)) {
    std::size_t rest = down.size() - slash;
    for (const IgnoreLevel* level = chain; level; level = level->up.get()) {
      if (level->above.size() <= rest) continue;
      Verdict3 verdict = level->rules.match(std::string_view(level->above).substr(0, level->above.size() - rest), true);
      if (verdict == Verdict3::ignored) return true;
      if (verdict == Verdict3::kept) break;
    }
  }
  return false;
}

bool has_wildcard(std::string_view pattern) { return pattern.find_first_of("*?[\\") != std::string_view::npos; }

}  // namespace

bool wildmatch(std::string_view pattern, std::string_view text, bool pathname) {
  return wild(pattern, text, pathname, pattern) == Wild::match;
}

bool IgnoreRules::parse_line(std::string_view line, Rule& rule) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  while (!line.empty() && line.back() == ' ' && !(line.size() > 1 && line[line.size() - 2] == '\\')) line.remove_suffix(1);
  if (line.empty() || line[0] == '#') return false;
  if (line[0] == '!') {
    rule.negated = true;
    line.remove_prefix(1);
  }
  if (!line.empty() && line.back() == '/') {
    rule.directory_only = true;
    line.remove_suffix(1);
  }
  if (line.empty()) return false;
  rule.whole_path = line.find('/') != std::string_view::npos;
  if (line[0] == '/') line.remove_prefix(1);
  if (line.empty()) return false;
  rule.pattern = line;
  if (!has_wildcard(line)) {
    rule.kind = Kind::literal;
  } else if (!rule.whole_path && line.size() > 1 && line[0] == '*' && !has_wildcard(line.substr(1))) {
    rule.kind = Kind::suffix;
    rule.pattern = line.substr(1);
  }
  return true;
}

IgnoreRules IgnoreRules::parse(std::string_view text) {
  IgnoreRules rules;
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    Rule rule;
    if (parse_line(text.substr(at, end - at), rule)) rules.rules_.push_back(std::move(rule));
    at = end + 1;
  }
  return rules;
}

Verdict3 IgnoreRules::match(std::string_view path, bool is_directory) const {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->directory_only && !is_directory) continue;
    std::string_view subject = rule->whole_path ? path : name, pattern = rule->pattern;
    bool hit = false;
    switch (rule->kind) {
      case Kind::literal: hit = subject == pattern; break;
      case Kind::suffix:
        hit = subject.size() >= pattern.size() && subject.back() == pattern.back() &&
              subject.substr(subject.size() - pattern.size()) == pattern;
        break;
      case Kind::wild: hit = wildmatch(pattern, subject, rule->whole_path); break;
    }
    if (hit) return rule->negated ? Verdict3::kept : Verdict3::ignored;
  }
  return Verdict3::none;
}

bool is_ignored(const IgnoreLevel* level, std::string_view path, bool is_directory) {
  std::string joined;
  for (; level; level = level->up.get()) {
    std::string_view subject = path.substr(level->strip);
    if (!level->above.empty()) {
      joined = level->above + std::string(path);
      subject = joined;
    }
    Verdict3 verdict = level->rules.match(subject, is_directory);
    if (verdict != Verdict3::none) return verdict == Verdict3::ignored;
  }
  return false;
}

IgnoreChain rules_above(const fs::path& root) {
  IgnoreChain chain;
  auto add = [&](const fs::path& file, std::string above) {
    auto rules = IgnoreRules::parse(read_text(file));
    if (rules.empty()) return;
    chain = std::make_shared<const IgnoreLevel>(IgnoreLevel{chain, std::move(rules), std::move(above), 0});
  };
  std::error_code ec;
  fs::path top = root;
  while (!fs::exists(top / ".git", ec) && top.has_relative_path()) top = top.parent_path();
  if (!fs::exists(top / ".git", ec)) top = root;
  auto below = [&](const fs::path& directory) {
    std::string text = root.lexically_relative(directory).native();
    return text == "." ? std::string() : text + "/";
  };
  if (auto global = global_excludes(); !global.empty()) add(global, below(top));
  add(top / ".git/info/exclude", below(top));
  std::vector<fs::path> directories;
  for (fs::path at = root; at != top; at = at.parent_path()) directories.push_back(at.parent_path());
  for (auto at = directories.rbegin(); at != directories.rend(); ++at) {
    add(*at / ".gitignore", below(*at));
    add(*at / ".ignore", below(*at));
  }
  if (is_root_ignored(chain.get(), below(top))) return nullptr;
  return chain;
}

std::vector<std::string> expand_braces(std::string_view pattern) {
  std::size_t open = pattern.find('{');
  if (open == std::string_view::npos) return {std::string(pattern)};
  int depth = 0;
  std::size_t close = std::string_view::npos, start = open + 1;
  std::vector<std::string_view> choices;
  for (std::size_t i = open; i < pattern.size(); ++i) {
    if (pattern[i] == '{') ++depth;
    if (pattern[i] == '}' && --depth == 0) {
      choices.push_back(pattern.substr(start, i - start));
      close = i;
      break;
    }
    if (pattern[i] == ',' && depth == 1) {
      choices.push_back(pattern.substr(start, i - start));
      start = i + 1;
    }
  }
  if (close == std::string_view::npos) return {std::string(pattern)};
  std::vector<std::string> out;
  for (auto choice : choices) {
    std::string one = std::string(pattern.substr(0, open)) + std::string(choice) + std::string(pattern.substr(close + 1));
    for (auto& expanded : expand_braces(one)) {
      if (out.size() < 1000) out.push_back(std::move(expanded));
    }
  }
  return out;
}

GlobSet::GlobSet(std::string_view patterns) {
  for (const auto& part : split_patterns(patterns)) add(part);
}

GlobSet GlobSet::one(std::string_view pattern) {
  GlobSet set;
  if (!pattern.empty()) set.add(pattern);
  return set;
}

void GlobSet::add(std::string_view pattern) {
  bool leave = pattern[0] == '!';
  std::string text;
  for (auto& one : expand_braces(pattern.substr(leave))) {
    if (one.rfind("./", 0) == 0) one.erase(0, 1);
    text += one + "\n";
    if (!one.empty() && one.back() == '/') text += one + "**\n";
  }
  (leave ? leave_ : take_).push_back(IgnoreRules::parse(text));
}

bool GlobSet::match(std::string_view path) const {
  for (const auto& rules : leave_) {
    if (rules.match(path, false) == Verdict3::ignored) return false;
  }
  for (const auto& rules : take_) {
    if (rules.match(path, false) == Verdict3::ignored) return true;
  }
  return take_.empty();
}

}  // namespace tern
