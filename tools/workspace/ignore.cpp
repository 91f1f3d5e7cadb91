#include "tools/workspace/ignore.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace tern {

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

// Follows git's dowild, so that every pattern means what it means to git; but where a pattern has many stars,
// what was found for a tail of it and a tail of the text is kept, so that no pattern takes more than their
// product.
class Wildmatch {
 public:
  Wildmatch(std::string_view pattern, std::string_view text, bool pathname)
      : whole_(pattern), text_(text), pathname_(pathname) {
    if (std::count(pattern.begin(), pattern.end(), '*') > 3) {
      known_.resize((pattern.size() + 1) * (text.size() + 1), static_cast<char>(-1));
    }
  }
  bool match() { return tail(0, 0) == Wild::match; }

 private:
  Wild tail(std::size_t at, std::size_t ti) {
    if (known_.empty()) return wild(at, ti);
    char& known = known_[at * (text_.size() + 1) + ti];
    if (known == static_cast<char>(-1)) known = static_cast<char>(wild(at, ti));
    return static_cast<Wild>(known);
  }

  // whole_[at] is a "*".
  Wild star(std::size_t at, std::size_t ti) {
    std::size_t start = at;
    while (at < whole_.size() && whole_[at] == '*') ++at;
    bool slashes = !pathname_;
    if (at - start > 1 && pathname_) {
      bool left = start == 0 || whole_[start - 1] == '/';
      bool right = at == whole_.size() || whole_[at] == '/';
      if (left && right) {
        slashes = true;
        if (at < whole_.size() && tail(at + 1, ti) == Wild::match) return Wild::match;
      }
    }
    if (at == whole_.size())
      return slashes || text_.find('/', ti) == text_.npos ? Wild::match : Wild::stop_star;
    if (!slashes && whole_[at] == '/') {
      std::size_t slash = text_.find('/', ti);
      return slash == text_.npos ? Wild::stop_all : tail(at, slash);
    }
    for (; ti < text_.size(); ++ti) {
      Wild w = tail(at, ti);
      if (w == Wild::match || w == Wild::stop_all || (w == Wild::stop_star && !slashes)) return w;
      if (w == Wild::no && !slashes && text_[ti] == '/') return Wild::stop_star;
    }
    return Wild::stop_all;
  }

  Wild wild(std::size_t at, std::size_t ti) {
    while (at < whole_.size()) {
      char c = whole_[at];
      if (c == '*') return star(at, ti);
      if (ti >= text_.size()) return Wild::stop_all;
      if (c == '?') {
        if (pathname_ && text_[ti] == '/') return Wild::no;
        ++at;
      } else if (c == '[') {
        bool matched = false;
        if (!bracket(whole_, ++at, static_cast<unsigned char>(text_[ti]), matched)) return Wild::stop_all;
        if (!matched || (pathname_ && text_[ti] == '/')) return Wild::no;
      } else {
        if (c == '\\') {
          if (++at >= whole_.size()) return Wild::no;
          c = whole_[at];
        }
        if (c != text_[ti]) return Wild::no;
        ++at;
      }
      ++ti;
    }
    return ti == text_.size() ? Wild::match : Wild::no;
  }

  std::string_view whole_, text_;
  bool pathname_;
  std::string known_;  // per tail of the pattern and tail of the text
};

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

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?[\\") != std::string_view::npos;
}

}  // namespace

bool wildmatch(std::string_view pattern, std::string_view text, bool pathname) {
  return Wildmatch(pattern, text, pathname).match();
}

bool IgnoreRules::take_line(std::string_view line, Rule& rule) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  while (!line.empty() && line.back() == ' ' && !(line.size() > 1 && line[line.size() - 2] == '\\'))
    line.remove_suffix(1);
  if (line.empty() || line[0] == '#') return false;
  if (line[0] == '!') {
    rule.negated = true;
    line.remove_prefix(1);
  }
  return take_pattern(line, rule);
}

bool IgnoreRules::take_pattern(std::string_view line, Rule& rule) {
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
    if (take_line(text.substr(at, end - at), rule)) rules.rules_.push_back(std::move(rule));
    at = end + 1;
  }
  return rules;
}

void IgnoreRules::add(std::string_view pattern) {
  Rule rule;
  if (take_pattern(pattern, rule)) rules_.push_back(std::move(rule));
}

IgnoreMatch IgnoreRules::match(std::string_view path, bool is_directory) const {
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
    if (hit) return rule->negated ? IgnoreMatch::kept : IgnoreMatch::ignored;
  }
  return IgnoreMatch::none;
}

bool is_ignored(const IgnoreLevel* level, std::string_view path, bool is_directory) {
  std::string joined;
  bool outside = false;  // beyond the repository that holds the path
  for (; level; level = level->up.get()) {
    if (outside && level->git) continue;
    outside = outside || level->top;
    if (level->rules.empty()) continue;
    std::string_view subject = path.substr(level->strip);
    if (!level->above.empty()) {
      joined = level->above + std::string(path);
      subject = joined;
    }
    IgnoreMatch verdict = level->rules.match(subject, is_directory);
    if (verdict != IgnoreMatch::none) return verdict == IgnoreMatch::ignored;
  }
  return false;
}

namespace {

constexpr std::size_t most_choices = 1000;

void expand_into(std::string_view pattern, std::vector<std::string>& out) {
  std::size_t open = pattern.find('{'), close = std::string_view::npos, start = open + 1;
  int depth = 0;
  std::vector<std::string_view> choices;
  for (std::size_t i = open; i < pattern.size(); ++i) {
    if (pattern[i] == '{') ++depth;
    bool last = pattern[i] == '}' && --depth == 0;
    if (!last && !(pattern[i] == ',' && depth == 1)) continue;
    choices.push_back(pattern.substr(start, i - start));
    start = i + 1;
    if (last) {
      close = i;
      break;
    }
  }
  if (close == std::string_view::npos) return out.emplace_back(pattern), void();
  for (auto choice : choices) {
    if (out.size() >= most_choices) return;
    expand_into(
        std::string(pattern.substr(0, open)) + std::string(choice) + std::string(pattern.substr(close + 1)),
        out);
  }
}

// "[id].tsx" is a class to git, and the name of a file to a web framework: the pattern with its brackets
// taken literally.
std::string without_classes(std::string_view pattern) {
  std::string out;
  for (char c : pattern) out += c == '[' ? std::string("\\[") : std::string(1, c);
  return out;
}

}  // namespace

std::vector<std::string> expand_braces(std::string_view pattern) {
  std::vector<std::string> out;
  expand_into(pattern, out);
  return out;
}

GlobSet::GlobSet(std::string_view patterns) {
  for (const auto& part : split_patterns(patterns)) {
    bool leave = part[0] == '!';
    add(std::string_view(part).substr(leave), leave);
  }
}

GlobSet GlobSet::one(std::string_view pattern) {
  GlobSet set;
  if (!pattern.empty()) set.add(pattern, false);
  return set;
}

void GlobSet::add(std::string_view pattern, bool leave) {
  IgnoreRules rules;
  for (auto& one : expand_braces(pattern)) {
    if (one.rfind("./", 0) == 0) one.erase(0, 1);
    rules.add(one);
    if (one.find('[') != one.npos && one.find('\\') == one.npos) rules.add(without_classes(one));
    if (!one.empty() && one.back() == '/') rules.add(one + "**");
  }
  (leave ? leave_ : take_).push_back(std::move(rules));
}

bool GlobSet::match(std::string_view path, std::string_view from) const {
  if (empty()) return true;
  std::string whole = from.empty() ? std::string() : std::string(from) + std::string(path);
  auto hit = [&](const IgnoreRules& rules) {
    return rules.match(path, false) == IgnoreMatch::ignored ||
           (!whole.empty() && rules.match(whole, false) == IgnoreMatch::ignored);
  };
  if (std::any_of(leave_.begin(), leave_.end(), hit)) return false;
  return take_.empty() || std::any_of(take_.begin(), take_.end(), hit);
}

}  // namespace tern
