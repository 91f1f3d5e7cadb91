// Ignore rules as git understands them. The last case asks git itself where it is installed.
#include "tools/workspace/ignore.h"

#include <catch2/catch_test_macros.hpp>
#include <random>

#include "tests/tools/world.h"

using namespace tern;
using namespace tern::testing;

namespace {

bool ignored(std::string_view rules, std::string_view path) {
  bool directory = path.back() == '/';
  if (directory) path.remove_suffix(1);
  auto parsed = IgnoreRules::parse(rules);
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    if (parsed.match(path.substr(0, slash), true) == IgnoreMatch::ignored) return true;
  }
  return parsed.match(path, directory) == IgnoreMatch::ignored;
}

}  // namespace

TEST_CASE("wildmatch knows stars, classes and escapes") {
  struct Row {
    const char *pattern, *text;
    bool path, plain;
  };
  const Row rows[] = {
      {"*.c", "main.c", true, true},
      {"*.c", "src/main.c", false, true},
      {"src/*.c", "src/a/b.c", false, true},
      {"**/x", "x", true, false},
      {"**/x", "a/b/x", true, true},
      {"a/**/b", "a/b", true, false},
      {"a/**/b", "a/x/y/b", true, true},
      {"a/**", "a/b/c", true, true},
      {"a**b", "a/b", false, true},
      {"a?b", "a/b", false, true},
      {"a[/]b", "a/b", false, true},
      {"[!a-c]x", "dx", true, true},
      {"[!a-c]x", "bx", false, false},
      {"[]x]", "]", true, true},
      {"\\*", "*", true, true},
      {"\\*", "a", false, false},
      {"[[:digit:]]", "7", true, true},
      {"[[:nothing:]]", "7", false, false},
      {"[[:]x", "[x", true, true},
      {"[a", "a", false, false},
      {"x\\", "x\\", false, false},
      {"*a*b*c*d*e", "aaabbbcccddd", false, false},
  };
  for (const auto& row : rows) {
    INFO(row.pattern << " on " << row.text);
    CHECK(wildmatch(row.pattern, row.text, true) == row.path);
    CHECK(wildmatch(row.pattern, row.text, false) == row.plain);
  }
}

TEST_CASE("a pathological pattern ends quickly") {
  std::string pattern, text(200, 'a');
  for (int i = 0; i < 20; ++i) pattern += "*a";
  CHECK_FALSE(wildmatch(pattern + "*b", text, true));
}

TEST_CASE("rules are anchored as git anchors them") {
  CHECK(ignored("*.o\n", "deep/down/x.o"));
  CHECK(ignored("/x.o\n", "x.o"));
  CHECK_FALSE(ignored("/x.o\n", "deep/x.o"));
  CHECK(ignored("doc/*.txt\n", "doc/a.txt"));
  CHECK_FALSE(ignored("doc/*.txt\n", "x/doc/a.txt"));
  CHECK(ignored("build/\n", "a/build/x"));
  CHECK_FALSE(ignored("build/\n", "build"));
  CHECK(ignored("build/\n", "build/"));
}

TEST_CASE("the last rule decides, but not below an ignored directory") {
  CHECK_FALSE(ignored("*.log\n!keep.log\n", "keep.log"));
  CHECK(ignored("!keep.log\n*.log\n", "keep.log"));
  CHECK(ignored("logs/\n!logs/keep.log\n", "logs/keep.log"));
  CHECK_FALSE(ignored("logs/*\n!logs/keep.log\n", "logs/keep.log"));
}

TEST_CASE("comments, blanks, escapes, CRLF and a byte order mark") {
  CHECK_FALSE(ignored("#x\n", "#x"));
  CHECK(ignored("\\#x\n", "#x"));
  CHECK(ignored("\\!x\n", "!x"));
  CHECK(ignored("x   \n", "x"));
  CHECK(ignored("x\\ \n", "x "));
  CHECK(ignored("x\r\n", "x"));
  CHECK(ignored("\xef\xbb\xbfx\n", "x"));
  CHECK_FALSE(ignored("\n   \n/\n!\n", "x"));
}

TEST_CASE("file patterns of tools") {
  CHECK(GlobSet("*.{ts,tsx}").match("src/a.tsx"));
  CHECK_FALSE(GlobSet("*.{ts,tsx}").match("src/a.js"));
  CHECK(GlobSet("src/**/*.c").match("src/a.c"));
  CHECK_FALSE(GlobSet("*.js !*.min.js").match("a.min.js"));
  CHECK(GlobSet("*.js, *.ts").match("a.ts"));
  CHECK(GlobSet("!*.md").match("a.c"));
  CHECK(GlobSet("src/").match("src/deep/a.c"));
  CHECK(expand_braces("a{b,c{d,e}}f") == std::vector<std::string>{"abf", "acdf", "acef"});
  CHECK(expand_braces("a{b") == std::vector<std::string>{"a{b"});
}

TEST_CASE("rules from above the root hold, unless the root itself is ignored") {
  TempDir temp;
  put(temp.path() / ".git/info/exclude", "*.tmp\n");
  put(temp.path() / ".gitignore", "*.o\n/out/\n");
  put(temp.path() / "src/.gitignore", "/gen\n");
  fs::create_directories(temp.path() / "src/lib");
  fs::create_directories(temp.path() / "out/x");
  auto chain = rules_above(temp.path() / "src");
  CHECK(is_ignored(chain.get(), "a.o", false));
  CHECK(is_ignored(chain.get(), "b.tmp", false));
  CHECK_FALSE(is_ignored(chain.get(), "a.c", false));
  CHECK(rules_above(temp.path() / "out/x") == nullptr);
  auto deeper = rules_above(temp.path() / "src/lib");
  CHECK_FALSE(is_ignored(deeper.get(), "gen", false));
}

TEST_CASE("random rules mean to us what they mean to git") {
  if (std::system("git --version > /dev/null 2>&1") != 0) SKIP("git is not installed");
  TempDir temp;
  std::string quiet = " > /dev/null 2>&1", repo = temp.path().native() + "/r";
  REQUIRE(std::system(("git init -q " + repo + quiet).c_str()) == 0);
  const std::vector<std::string> names = {"a", "b", "ab", "foo", "foo.c", "foo.o", ".x", "a b", "build"};
  const std::vector<std::string> wild = {"*",    "**",   "*.c", "f*",     "?",
                                         "[ab]", "[!a]", "*o*", "foo\\ ", "[a-f]oo"};
  std::mt19937 random(11);
  auto pick = [&](const auto& list) { return list[random() % list.size()]; };
  for (int round = 0; round < 20; ++round) {
    std::string rules, list;
    for (unsigned i = 1 + random() % 5; i > 0; --i) {
      std::string rule = random() % 2 ? pick(names) : pick(wild);
      for (unsigned k = random() % 3; k > 0; --k) rule += "/" + (random() % 2 ? pick(names) : pick(wild));
      rules += (random() % 4 ? "" : "!") + std::string(random() % 4 ? "" : "/") + rule +
               (random() % 4 ? "\n" : "/\n");
    }
    put(repo + "/.gitignore", rules);
    std::vector<std::string> paths;
    for (int i = 0; i < 30; ++i) {
      std::string path = pick(names);
      for (unsigned k = random() % 4; k > 0; --k) path += "/" + pick(names);
      paths.push_back(path);
      list += path + "\n";
    }
    put(temp.path() / "list", list);
    std::string out = (temp.path() / "out").native();
    std::system(("git -C " + repo + " check-ignore --no-index --stdin < " + (temp.path() / "list").native() +
                 " > " + out + " 2>/dev/null")
                    .c_str());
    std::string said = "\n" + get(out);
    for (const auto& path : paths) {
      INFO(rules << "on " << path);
      CHECK(ignored(rules, path) == has(said, "\n" + path + "\n"));
    }
  }
}
