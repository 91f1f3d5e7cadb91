// Grep and Glob as the model meets them, and the regex under them.
#include <catch2/catch_test_macros.hpp>

#include "tests/tools/world.h"
#include "tools/regex.h"
#include "tools/walk.h"

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
  CHECK(has(grep(world, {{"pattern", "alpha"}, {"path", ".env"}, {"output_mode", "content"}}), ".env:1:API_KEY=alpha"));
  world.granted = true;
  CHECK(has(grep(world, {{"pattern", "alpha"}, {"output_mode", "content"}}), ".env:1:API_KEY=alpha"));
}

TEST_CASE("Grep shows lines with numbers and context") {
  World world;
  sources(world);
  CHECK(has(grep(world, {{"pattern", "return 1"}, {"output_mode", "content"}}), "src/a.cpp:2:  return 1;"));
  CHECK(has(grep(world, {{"pattern", "return 1"}, {"output_mode", "content"}, {"-n", false}}), "src/a.cpp:  return 1;"));
  auto around = grep(world, {{"pattern", "return 1"}, {"output_mode", "content"}, {"-C", 1}, {"path", "src"}});
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
  CHECK(has(grep(world, {{"pattern", "^hit"}, {"output_mode", "content"}, {"path", "many"}, {"offset", 250}, {"head_limit", 2}}),
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
  CHECK(has(grep(world, {{"pattern", "one\\s+two"}, {"multiline", true}, {"output_mode", "content"}}), "a:1:one\na:2:two"));
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
  const char* patterns[] = {"ab+c", "a.c", "^abc", "abc$", "\\babc\\b", "x*abc", "(a|b)bc", "a[^x]c", "(?:ab)+c", "b\\w?c"};
  const char* texts[] = {"abc", "xabc\nabc", "abbbc\n", "\n\nabc\n", "ab\nc", "xbc abc", "", "\n", "aécbc", "ABC abc"};
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
  CHECK(has(world.run("Glob", {{"pattern", "*.txt"}}).text, "[121 files match; the 100 changed last are shown."));
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
                  .run("TodoWrite",
                       {{"todos", {{{"content", "a"}, {"status", "completed"}}, {{"content", "b"}, {"status", "in_progress"}}}}})
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
