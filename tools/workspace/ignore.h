// Git's ignore rules: patterns, their order and their anchoring, as git documents and tests them. Pure, but
// for reading the rule files themselves. A level is immutable once made and may be shared between threads.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

// Git's wildmatch. With `pathname`, "*", "?" and "[…]" do not match "/", and "**" between slashes matches any
// depth.
bool wildmatch(std::string_view pattern, std::string_view text, bool pathname);

enum class IgnoreMatch { none, ignored, kept };

class IgnoreRules {
 public:
  static IgnoreRules parse(std::string_view text);
  void add(std::string_view pattern);  // as it stands: no comment, no "!"
  // `path` relative to the directory of the rules, no leading or trailing slash. The last matching rule
  // decides.
  IgnoreMatch match(std::string_view path, bool is_directory) const;
  bool empty() const { return rules_.empty(); }

 private:
  enum class Kind : unsigned char { literal, suffix, wild };
  struct Rule {
    std::string pattern;
    Kind kind = Kind::wild;
    bool negated = false, directory_only = false, whole_path = false;
  };
  static bool take_line(std::string_view line, Rule& rule);
  static bool take_pattern(std::string_view line, Rule& rule);
  std::vector<Rule> rules_;
};

// Rules of one directory, on top of those above it.
struct IgnoreLevel {
  std::shared_ptr<const IgnoreLevel> up;
  IgnoreRules rules;
  std::string
      above;  // from the directory of the rules down to the walk's root ("src/lib/"), for rules above it
  std::size_t strip =
      0;             // length of the rules' own directory in a path of the walk, for rules below its root
  bool git = false;  // git's own (not .ignore): ends where another repository begins
  bool top = false;  // the outermost rules of a repository
};
using IgnoreChain = std::shared_ptr<const IgnoreLevel>;

// `path` relative to the walk's root.
bool is_ignored(const IgnoreLevel* chain, std::string_view path, bool is_directory);

// On top of `chain`, what holds in the repository at `top` besides its rule files: the person's excludes and
// its own info/exclude. Git's rules of an outer repository do not reach into it.
IgnoreChain rules_of_repository(const std::filesystem::path& top, IgnoreChain chain, const std::string& above,
                                std::size_t strip);

// Everything that holds at `root` from outside: the person's excludes, .git/info/exclude, rule files of the
// directories above up to the repository's top. Nothing when the root itself is ignored: then the person
// asked for what is in it.
IgnoreChain rules_above(const std::filesystem::path& root);

// "a{b,c}d" → "abd", "acd"; unbalanced braces stay as they are.
std::vector<std::string> expand_braces(std::string_view pattern);

// A file pattern as tools take it: "*.{ts,tsx}", "src/**", "!*.min.js", several separated by spaces or commas
// outside braces. Matches like a rule of an ignore file at the walk's root, so a name without "/" matches at
// any depth.
class GlobSet {
 public:
  GlobSet() = default;
  explicit GlobSet(std::string_view patterns);
  static GlobSet one(std::string_view pattern);  // blanks and commas are part of it
  // `from`: what stands before the path as seen from the working directory; patterns may be meant from there,
  // too.
  bool match(std::string_view path, std::string_view from = {}) const;
  bool empty() const { return take_.empty() && leave_.empty(); }

 private:
  void add(std::string_view pattern, bool leave);
  std::vector<IgnoreRules> take_, leave_;
};

}  // namespace tern
