// Grep and Glob as the model meets them, and the regex under them.
#include <catch2/catch_test_macros.hpp>

#include "tests/tools/world.h"
#include "tools/search/regex.h"
#include "tools/workspace/walk.h"

using namespace tern;
using namespace tern::testing;
using nlohmann::json;

namespace {

std::string grep(World& world, json args) { return world.run("Grep", args).text; }

World& sources(World& world) {
  put(world.root / "src/a.cpp", "int alpha() {\n  return 1;\n}\nint beta();\n");
  put(world.root / "src/b.py", "def alpha():\n    return 'é'\n");
  put(world.root / "notes.md", "alpha and Beta\n");
  put(world.root / "build/out.cpp", "alpha\n");
  put(world.root / ".gitignore", "build/\n");
  put(world.root / ".git/config", "alpha\n");
  put(world.root / "blob.bin", std::string("alpha\0\0", 7));
  return world;
}

// A variable of the environment as a test wants it, and afterwards as it was.
class Variable {
 public:
  explicit Variable(const char* name, const char* value = nullptr) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  Variable(const Variable&) = delete;
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) const { value ? ::setenv(name_, value, 1) : ::unsetenv(name_); }
  const char* name_;
  std::optional<std::string> before_;
};

std::optional<Match> first(std::string_view pattern, std::string_view text, RegexOptions options = {}) {
  std::string error;
  auto regex = Regex::compile(pattern, options, error);
  REQUIRE(regex);
  return Matcher(*regex).find(text, 0);
}

}  // namespace

TEST_CASE("Grep finds files, newest first, and says what it left out") {
  World world;
  auto text = grep(sources(world), {{"pattern", "alpha"}});
  CHECK(has(text, "Found 3 files\n"));
  CHECK(has(text, "src/a.cpp"));
  CHECK_FALSE(has(text, "build/out.cpp"));
  CHECK_FALSE(has(text, ".git/config"));
  CHECK(has(text, "1 binary"));
  CHECK(has(text, "1 ignored by .gitignore"));
  CHECK(has(grep(world, {{"pattern", "nowhere"}}), "No files found"));
}

TEST_CASE("a search through a folder leaves out files that may hold secrets, and says so") {
  World world;
  put(world.root / ".env", "API_KEY=alpha\n");
  put(world.root / "deploy/server.pem", "alpha\n");
  put(world.root / ".env.example", "API_KEY=alpha\n");
  const auto text = grep(world, {{"pattern", "alpha"}, {"output_mode", "content"}});
  CHECK(has(text, ".env.example:1:API_KEY=alpha"));
  CHECK_FALSE(has(text, ".env:1"));
  CHECK_FALSE(has(text, "server.pem:1"));
  CHECK(has(text, "2 that may hold secrets"));
  CHECK(has(grep(world, {{"pattern", "alpha"}, {"path", ".env"}, {"output_mode", "content"}}),
            ".env:1:API_KEY=alpha"));
  world.granted = true;
  CHECK(has(grep(world, {{"pattern", "alpha"}, {"output_mode", "content"}}), ".env:1:API_KEY=alpha"));
}

TEST_CASE("Grep shows lines with numbers and context") {
  World world;
  sources(world);
  CHECK(has(grep(world, {{"pattern", "return 1"}, {"output_mode", "content"}}), "src/a.cpp:2:  return 1;"));
  CHECK(has(grep(world, {{"pattern", "return 1"}, {"output_mode", "content"}, {"-n", false}}),
            "src/a.cpp:  return 1;"));
  auto around =
      grep(world, {{"pattern", "return 1"}, {"output_mode", "content"}, {"-C", 1}, {"path", "src"}});
  CHECK(has(around, "src/a.cpp-1-int alpha() {\nsrc/a.cpp:2:  return 1;\nsrc/a.cpp-3-}"));
  auto gap = grep(world, {{"pattern", "^int"}, {"output_mode", "content"}, {"-A", 1}, {"path", "src/a.cpp"}});
  CHECK(has(gap, "src/a.cpp:1:int alpha() {\nsrc/a.cpp-2-  return 1;\n--\nsrc/a.cpp:4:int beta();"));
}

TEST_CASE("Grep counts, filters and pages") {
  World world;
  sources(world);
  auto count = grep(world, {{"pattern", "alpha|beta"}, {"-i", true}, {"output_mode", "count"}});
  CHECK(has(count, "src/a.cpp:2"));
  CHECK(has(count, "Found 4 total occurrences across 3 files."));
  CHECK(has(grep(world, {{"pattern", "alpha"}, {"type", "py"}}), "Found 1 file\nsrc/b.py"));
  CHECK(has(grep(world, {{"pattern", "alpha"}, {"glob", "*.{cpp,md}"}}), "Found 2 files"));
  CHECK(has(grep(world, {{"pattern", "alpha"}, {"type", "pyton"}}), "did you mean \"python\""));
  std::string many;
  for (int i = 0; i < 300; ++i) many += "hit " + std::to_string(i) + "\n";
  put(world.root / "many", many);
  auto page = grep(world, {{"pattern", "^hit"}, {"output_mode", "content"}, {"path", "many"}});
  CHECK(has(page, "many:250:hit 249"));
  CHECK_FALSE(has(page, "many:251:"));
  CHECK(has(page, "[Showing results with pagination = limit: 250, offset: 0"));
  CHECK(has(grep(world, {{"pattern", "^hit"},
                         {"output_mode", "content"},
                         {"path", "many"},
                         {"offset", 250},
                         {"head_limit", 2}}),
            "many:251:hit 250\nmany:252:hit 251"));
}

TEST_CASE("a broken regex is an error that is said, and searched literally") {
  World world;
  put(world.root / "a", "f((x\n");
  auto text = grep(world, {{"pattern", "f(("}, {"output_mode", "content"}});
  CHECK(has(text, "Regex error in \"f((\": missing closing parenthesis"));
  CHECK(has(text, "a:1:f((x"));
}

TEST_CASE("matches stay in their line unless multiline") {
  World world;
  put(world.root / "a", "one\ntwo\nx\n");
  CHECK(has(grep(world, {{"pattern", "one\\s+two"}}), "No files found"));
  CHECK(has(grep(world, {{"pattern", "one\\s+two"}, {"multiline", true}, {"output_mode", "content"}}),
            "a:1:one\na:2:two"));
  CHECK(first("[^q]*", "ab\ncd")->end == 2);
}

TEST_CASE("line ends, encodings and very long lines") {
  World world;
  put(world.root / "crlf", "alpha\r\nbeta\r\n");
  CHECK(has(grep(world, {{"pattern", "alpha$"}, {"output_mode", "content"}}), "crlf:1:alpha"));
  put(world.root / "wide", std::string("\xff\xfe"
                                       "n\0e\0e\0d\0l\0e\0\n\0",
                                       16));
  CHECK(has(grep(world, {{"pattern", "needle"}, {"output_mode", "content"}}), "wide:1:needle"));
  put(world.root / "long", "start " + std::string(100'000, 'z') + "\n");
  auto text = grep(world, {{"pattern", "start"}, {"output_mode", "content"}});
  CHECK(text.size() < 1000);
  CHECK(has(text, " bytes]"));
}

TEST_CASE("a literal every match contains is found in the pattern") {
  CHECK(required_literal("foo_\\w+bar") == "foo_");
  CHECK(required_literal("\\bclass\\s+Parser\\b") == "Parser");
  CHECK(required_literal("ab?c") == "a");
  CHECK(required_literal("(foo)?bar") == "bar");
  CHECK(required_literal("foo|bar").empty());
  CHECK(required_literal("[abc]def") == "def");
  CHECK(required_literal("a\\.b\\(c") == "a.b(c");
  CHECK(required_literal("x{0,3}yz") == "yz");
  CHECK(required_literal("(?i)foo").empty());
  CHECK(required_literal("abc+d") == "abc");
  CHECK(required_literal("\\x41BCD").empty());
}

TEST_CASE("searching with and without the literal shortcut is the same") {
  const char* patterns[] = {"ab+c",  "a.c",     "^abc",   "abc$",     "\\babc\\b",
                            "x*abc", "(a|b)bc", "a[^x]c", "(?:ab)+c", "b\\w?c"};
  const char* texts[] = {"abc",     "xabc\nabc", "abbbc\n", "\n\nabc\n", "ab\nc",
                         "xbc abc", "",          "\n",      "aécbc",     "ABC abc"};
  for (const char* pattern : patterns) {
    for (const char* text : texts) {
      INFO(pattern << " on " << text);
      auto with = first(pattern, text), without = first("(?:)" + std::string(pattern) + "|(?!)", text);
      REQUIRE(with.has_value() == without.has_value());
      if (with) CHECK((with->begin == without->begin && with->end == without->end));
    }
  }
}

TEST_CASE("a catastrophic pattern ends and is reported") {
  std::string error, text(5000, 'a');
  auto regex = Regex::compile("(a+)+$|(a*)*b", {}, error);
  Matcher matcher(*regex);
  matcher.find(text + "!", 0);
  SUCCEED("came back");
}

TEST_CASE("Glob finds by name, newest first, and tells what is ignored") {
  World world;
  sources(world);
  put(world.root / "src/old.cpp", "");
  fs::last_write_time(world.root / "src/old.cpp", fs::file_time_type::clock::now() - std::chrono::hours(1));
  auto text = world.run("Glob", {{"pattern", "**/*.cpp"}}).text;
  CHECK(text.rfind("src/a.cpp\nsrc/old.cpp", 0) == 0);
  CHECK_FALSE(has(text, "build/out.cpp"));
  CHECK(has(world.run("Glob", {{"pattern", (world.root / "src/*.py").native()}}).text, "src/b.py"));
  CHECK(has(world.run("Glob", {{"pattern", "*.rs"}}).text, "No files found"));
  put(world.root / "my dir/a, b.txt", "");
  CHECK(world.run("Glob", {{"pattern", "my dir/*, b.txt"}}).text == "my dir/a, b.txt");
  CHECK(world.run("Glob", {{"pattern", "*"}, {"path", "../outside"}}).is_error);
  for (int i = 0; i < 120; ++i) put(world.root / "many" / (std::to_string(i) + ".txt"), "");
  CHECK(has(world.run("Glob", {{"pattern", "*.txt"}}).text,
            "[121 files match; the 100 changed last are shown."));
}

TEST_CASE("a page of matches says how many there are in all") {
  World world;
  std::string many, few;
  for (int i = 0; i < 1000; ++i) many += "hit " + std::to_string(i) + "\n";
  for (int i = 0; i < 7; ++i) few += "hit\n";
  put(world.root / "a/few", few);
  put(world.root / "b/many", many);
  auto page = grep(world, {{"pattern", "^hit"}, {"output_mode", "content"}, {"path", "b"}});
  CHECK(has(page, "hit 249\n[Showing results with pagination = limit: 250, offset: 0 of 1000]"));
  CHECK_FALSE(has(page, "more matches"));
  page = grep(world, {{"pattern", "^hit"}, {"output_mode", "content"}, {"head_limit", 10}, {"offset", 5}});
  CHECK(has(page, "b/many:8:hit 7\n[Showing results with pagination = limit: 10, offset: 5 of 1007]"));
  page = grep(world, {{"pattern", "^hit"}, {"output_mode", "content"}, {"path", "b"}, {"-C", 1}});
  CHECK(has(page, "offset: 0 of at least 1000]"));
}

TEST_CASE("a file pattern may be seen from the working directory, too") {
  World world;
  sources(world);
  CHECK(has(grep(world, {{"pattern", "alpha"}, {"path", "src"}, {"glob", "src/*.cpp"}}), "src/a.cpp"));
  CHECK(has(grep(world, {{"pattern", "alpha"}, {"path", "src"}, {"glob", "*.cpp"}}), "src/a.cpp"));
  CHECK(has(grep(world, {{"pattern", "alpha"}, {"path", "src"}, {"glob", "!src/*.cpp"}}),
            "Found 1 file\nsrc/b.py"));
  CHECK(world.run("Glob", {{"pattern", "src/*.py"}, {"path", "src"}}).text == "src/b.py");
  auto climbing = world.run("Grep", {{"pattern", "alpha"}, {"path", "src"}, {"glob", "../*.md"}});
  CHECK(climbing.is_error);
  CHECK(has(climbing.text, "matched below path"));
}

TEST_CASE("words are words in any language") {
  World world;
  put(world.root / "a", "中文字\nnaïve\n١٢\n");
  CHECK(has(grep(world, {{"pattern", "^\\w+$"}, {"output_mode", "content"}}), "a:1:中文字\na:2:naïve"));
  CHECK(has(grep(world, {{"pattern", "\\bna\\w+\\b"}, {"output_mode", "content"}}), "a:2:naïve"));
  CHECK(has(grep(world, {{"pattern", "^\\d+$"}, {"output_mode", "content"}}), "a:3:"));
  CHECK(has(grep(world, {{"pattern", "[[:alpha:]]{5}"}, {"output_mode", "content"}}), "a:2:naïve"));
  CHECK(first("\\bve", "naïve") == std::nullopt);
  CHECK(first("\\w+", "naïve")->end == 6);
}

TEST_CASE("what Read shows decoded is searched decoded") {
  World world;
  put(world.root / "gbk", "// \xb2\xe2\xca\xd4\xce\xc4\xbc\xfe\n");
  put(world.root / "western", "x = 1; // caf\xe9\n");
  put(world.root / "wide", std::string("\xff\xfe\x4b\x6d\xd5\x8b\x0a\x00", 8));
  put(world.root / "mark",
      "\xef\xbb\xbf"
      "first\n");
  CHECK(
      has(grep(world, {{"pattern", "测试"}, {"output_mode", "content"}}), "gbk:1:// 测试文件\nwide:1:测试"));
  CHECK(has(grep(world, {{"pattern", "café"}, {"output_mode", "content"}}), "western:1:x = 1; // café"));
  CHECK(has(grep(world, {{"pattern", "x = 1"}, {"output_mode", "content"}}), "western:1:x = 1; // café"));
  CHECK(has(grep(world, {{"pattern", "^first"}, {"output_mode", "content"}}), "mark:1:first"));
}

TEST_CASE("Glob takes odd names as they are") {
  World world;
  for (const char* name : {"#n#", "!x.txt", "other.txt", "app/[id].tsx", "app/i.tsx", "tail "})
    put(world.root / name, "");
  auto glob = [&](const std::string& pattern) { return world.run("Glob", {{"pattern", pattern}}).text; };
  CHECK(glob("#n#") == "#n#");
  CHECK(glob("!x.txt") == "!x.txt");
  CHECK(glob("tail ") == "tail ");
  CHECK(has(glob("[id].tsx"), "app/[id].tsx"));
  CHECK(has(glob("[id].tsx"), "app/i.tsx"));
  CHECK(has(glob("app/**/[id].tsx"), "app/[id].tsx"));
  CHECK(has(grep(world, {{"pattern", "x*"}, {"glob", "#n#"}}), "No files found"));  // empty, but no error
}

TEST_CASE("Glob starts where the pattern says, inside the workspace") {
  World world;
  put(world.root / "src/a.py", "");
  put(world.root / "src/deep/b.py", "");
  put(world.root / "lib/c.py", "");
  auto glob = [&](const std::string& pattern, const std::string& path) {
    return world.run("Glob", {{"pattern", pattern}, {"path", path}});
  };
  CHECK(glob((world.root / "src/*.py").native(), ".").text == "src/a.py");
  CHECK(glob("../lib/*.py", "src").text == "lib/c.py");
  CHECK(glob("deep/../*.py", "src").text == "src/a.py");
  for (const auto& [pattern, path] :
       {std::pair{(world.outside / "**").native(), "."}, std::pair{std::string("../x/**"), "."}}) {
    auto output = glob(pattern, path);
    CHECK(output.is_error);
    CHECK(has(output.text, "outside the workspace"));
  }
  CHECK(has(glob("**/../x", ".").text, "\"..\" behind a wildcard matches nothing"));
}

TEST_CASE("Glob ends soon on a hostile pattern") {
  World world;
  std::string deep = ".", pattern;
  for (int i = 0; i < 60; ++i) deep += "/a";
  for (int i = 0; i < 40; ++i) pattern += "**/a/";
  put(world.root / deep / "c", "");
  CHECK(has(world.run("Glob", {{"pattern", pattern + "b"}}).text, "No files found"));
  CHECK(has(world.run("Glob", {{"pattern", pattern + "c"}}).text, "a/c"));
  std::string braces;
  for (int i = 0; i < 40; ++i) braces += "{a,b}";
  CHECK(has(world.run("Glob", {{"pattern", braces}}).text, "No files found"));
  world.stop.request_stop();
  CHECK(has(world.run("Glob", {{"pattern", "**"}}).text, "Stopped"));
}

TEST_CASE("rules of git end where another repository begins") {
  World world;
  put(world.root / ".git/config", "");
  put(world.root / ".gitignore", "*.log\nhidden/\n");
  put(world.root / ".ignore", "*.skip\n");
  put(world.root / "inner/.git/info/exclude", "*.tmp\n");
  put(world.root / "inner/.gitignore", "*.own\n");
  put(world.root / "hidden/.git/HEAD", "");
  for (const char* name :
       {"a.log", "a.tmp", "inner/a.log", "inner/a.tmp", "inner/a.own", "inner/a.skip", "hidden/a.c"})
    put(world.root / name, "alpha\n");
  put(world.root / "linked/.git", "gitdir: ../inner/.git\n");
  put(world.root / "linked/b.tmp", "alpha\n");
  put(world.root / "linked/b.log", "alpha\n");
  auto text = grep(world, {{"pattern", "alpha"}, {"output_mode", "count"}});
  CHECK(has(text, "a.tmp:1\ninner/a.log:1\nlinked/b.log:1\n\nFound 3 total"));
}

TEST_CASE("the excludes that the person's git config names hold") {
  World world;
  const fs::path home = world.temp.path() / "home";
  const Variable set_home("HOME", home.c_str()), no_config("XDG_CONFIG_HOME"), no_global("GIT_CONFIG_GLOBAL");
  put(home / ".gitconfig",
      "[user]\n\tname = x\n[Core]\n\tautocrlf = false\n\texcludesFile = \"~/my ignore\" ; mine\n");
  put(home / "my ignore", "*.swp\n/top\n");
  put(home / ".config/git/ignore", "*.bak\n");
  put(world.root / ".git/HEAD", "");
  for (const char* name : {"a.swp", "a.bak", "top", "sub/top"}) put(world.root / name, "alpha\n");
  CHECK(has(grep(world, {{"pattern", "alpha"}, {"output_mode", "count"}}),
            "a.bak:1\nsub/top:1\n\nFound 2 total"));
  fs::remove(home / ".gitconfig");
  CHECK(has(grep(world, {{"pattern", "alpha"}, {"output_mode", "count"}}),
            "a.swp:1\nsub/top:1\ntop:1\n\nFound 3 total"));
}

TEST_CASE("a walk visits every file once, with any number of workers") {
  World world;
  for (int d = 0; d < 20; ++d) {
    for (int f = 0; f < 60; ++f) put(world.root / ("d" + std::to_string(d)) / std::to_string(f), "");
  }
  for (int f = 0; f < 700; ++f) put(world.root / "big" / std::to_string(f), "");
  for (unsigned workers : {1u, 2u, 8u}) {
    std::vector<std::vector<std::string>> seen(workers);
    auto result = walk(world.root, {.workers = workers}, [&](const WalkFile& file) {
      seen[file.worker].emplace_back(file.path);
      return true;
    });
    std::vector<std::string> all;
    for (auto& one : seen) all.insert(all.end(), one.begin(), one.end());
    std::sort(all.begin(), all.end());
    CHECK(all.size() == 1900);
    CHECK(std::unique(all.begin(), all.end()) == all.end());
    CHECK(result.files == 1900);
  }
}

TEST_CASE("Recall, TodoWrite and the context tools") {
  World world;
  RecallQuery asked;
  world.recall = [&](const RecallQuery& query) { return asked = query, std::string("text\n"); };
  CHECK(world.run("Recall", {{"id", "r17"}, {"lines", "10-40"}}).text == "text\n");
  CHECK((asked.id == "r17" && asked.lines->first == 10 && asked.lines->second == 40));
  world.run("Recall", {{"id", "r17"}, {"lines", "10-"}});
  CHECK(asked.lines->second == static_cast<std::size_t>(-1));
  CHECK(world.run("Recall", {{"id", "r17"}, {"lines", "ten"}}).is_error);
  CHECK(world.run("Recall", json::object()).is_error);
  CHECK_FALSE(world
                  .run("TodoWrite", {{"todos",
                                      {{{"content", "a"}, {"status", "completed"}},
                                       {{"content", "b"}, {"status", "in_progress"}}}}})
                  .is_error);
  REQUIRE(world.todos.size() == 2);
  CHECK(world.todos[1].status == "in_progress");
  std::string action, arguments;
  world.context = [&](const ContextQuery& query) {
    return action = query.action, arguments = query.arguments, std::string("done");
  };
  CHECK(world.run("context_config", {{"keepRecent", "15"}}).text == "done");
  CHECK((action == "config" && arguments == R"({"keepRecent":15})"));
  CHECK(world.run("context_config", {{"importanceThreshold", 2}}).is_error);
  world.run("context_summary", {{"limit", 3}});
  CHECK((action == "summary" && arguments == R"({"limit":3})"));
}
