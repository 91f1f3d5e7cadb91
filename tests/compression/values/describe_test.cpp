#include "compression/values/describe.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

using namespace tern;

namespace {

ToolResult result(std::string tool, std::string subject, std::string text, bool is_error = false) {
  ToolResult r;
  r.tool = std::move(tool);
  r.subject = std::move(subject);
  r.text = std::move(text);
  r.is_error = is_error;
  r.recall = RecallId{12};
  return r;
}

std::string source(std::string_view text, std::string_view language) {
  return describe_source(text, language);
}

}  // namespace

TEST_CASE("the line of the founding text, with its recall id") {
  std::string text =
      "export function parseConfig() {}\nexport const validateSchema = () => 1;\nexport interface A "
      "{}\nexport type B = "
      "string;\nexport enum C {}\n";
  while (std::count(text.begin(), text.end(), '\n') < 245) text += "  // more\n";
  CHECK(compacted_line(result("Read", "src/utils/parser.ts", text)) ==
        "[Compacted: Read src/utils/parser.ts — 245 lines TypeScript; parseConfig(), validateSchema(), 3 "
        "types · r12]");
}

TEST_CASE("source files name what they export") {
  CHECK(source("def load(x):\n    def inner(): pass\nclass Store:\n    def save(self): pass\nasync def "
               "run(): pass\ndef "
               "_hidden(): pass\n",
               "Python") == "load(), run(), type Store");
  CHECK(source("function a() {}\nclass B {}\nexport default async function c() {}\n", "JavaScript") ==
        "a(), c(), type B");
  CHECK(source("package x\n\nfunc Open(p string) error {\nfunc (s *Store) Close() {\nfunc hidden() {\ntype "
               "Store struct {\n",
               "Go") == "Open(), Close(), type Store");
  CHECK(source("pub fn parse(x: u8) {}\nfn main() {}\npub struct Ast;\npub(crate) enum Kind {}\n", "Rust") ==
        "parse(), main(), 2 types");
  CHECK(source("public class Shop {\n    public int total(int a) {\n        return sum(a);\n    }\n    "
               "private void x() { }\n}\n",
               "Java")
            .starts_with("total()"));
  CHECK(source("#include <x>\nclass Lexer {\n public:\n  int f();\n};\nint main(int argc, char** argv) {\n  "
               "if (argc) return "
               "1;\n}\nvoid Lexer::next() {\nstruct Fwd;\n",
               "C++") == "main(), Lexer::next(), type Lexer");
  CHECK(source("struct node {\nstatic int add(int a)\n{\n", "C") == "add(), type node");
  CHECK(source("namespace A;\npublic class B\n{\n    public void Run(int x)\n", "C#") == "Run(), type B");
  CHECK(source("<?php\nclass Cart {\n    public function add($x) {\n", "PHP") == "add(), type Cart");
  CHECK(source("module A\n  class B\n    def run\n", "Ruby") == "run(), 2 types");
  CHECK(source("class A\n  fun go(x: Int) {}\n", "Kotlin") == "go(), type A");
  CHECK(source("struct P {\n  func draw() {}\n", "Swift") == "draw(), type P");
  CHECK(source("install() {\n  echo\n}\nfunction clean {\n", "Shell") == "install(), clean()");
}

TEST_CASE("numbered lines of a read tool are read through") {
  CHECK(source("     1\tdef load():\n     2\t    pass\n     3→class A:\n", "Python") == "load(), type A");
}

TEST_CASE("many names are counted") {
  std::string text;
  for (int i = 0; i < 9; ++i) text += "def f" + std::to_string(i) + "():\n";
  CHECK(source(text, "Python") == "f0(), f1(), f2(), f3(), +5 more");
}

TEST_CASE("test runs give counts and failing names") {
  CHECK(describe_tests("FAILED tests/test_a.py::test_x - AssertionError\n=== 1 failed, 32 passed, 2 skipped "
                       "in 1.2s ===\n") == "32 passed, 1 failed, 2 skipped: tests/test_a.py::test_x");
  CHECK(describe_tests("--- FAIL: TestParse (0.00s)\nFAIL\nok  \texample.com/x\t0.1s\n") ==
        "1 package ok, 1 failed: TestParse");
  CHECK(describe_tests("test result: FAILED. 3 passed; 1 failed; 0 ignored\ntest a::b ... FAILED\n") ==
        "3 passed, 1 failed: a::b");
  CHECK(describe_tests("All tests passed (120 assertions in 30 test cases)\n") == "30 passed, 0 failed");
  CHECK(describe_tests("97% tests passed, 1 tests failed out of 34\n 3/34 Test #3: tokenizer.eof "
                       "....***Failed 0.1 sec\n") == "33 passed, 1 failed: tokenizer.eof");
  CHECK(describe_tests("Tests run: 8, Failures: 2, Errors: 0\n") == "6 passed, 2 failed");
  CHECK(describe_tests("nothing here\n").empty());
}

TEST_CASE("searches, listings, diffs") {
  CHECK(describe_search("src/a.cpp:3:x\nsrc/a.cpp:9:y\nsrc/b.h:1:z\n") == "3 hits in 2 files (a.cpp, b.h)");
  CHECK(describe_search("") == "no hits");
  CHECK(describe_listing("a.cpp\nsub/\nb.cpp\n") == "3 entries, 1 directory");
  CHECK(describe_diff("diff --git a/x/a.cpp b/x/a.cpp\n--- a/x/a.cpp\n+++ b/x/a.cpp\n@@ -1 +1,2 "
                      "@@\n-old\n+new\n+more\n") == "1 file, +2 −1 (a.cpp)");
}

TEST_CASE("JSON and CSV give their shape") {
  CHECK(describe_json("{\"name\": \"x\", \"scripts\": {\"inner\": 1}, \"version\": [1,2]}") ==
        "object {name, scripts, version}");
  CHECK(describe_json("[{\"id\": 1, \"name\": \"a,b\"}, {\"id\": 2}]") == "array of 2 elements {id, name}");
  CHECK(describe_json("[]") == "array of 0 elements");
  CHECK(describe_json("[1, 2, 3]") == "array of 3 elements");
  CHECK(describe_json("{\"cut\": \"off") == "object {cut}");
  CHECK(describe_csv("id,name,age\n1,a,2\n2,b,3\n") == "2 rows of 3 columns (id, name, age)");
}

TEST_CASE("logs give their errors, or the last line") {
  CHECK(describe_log("start\nerror: lost connection\nretry\nerror: lost again\n") ==
        "error: lost connection (+1 like it)");
  CHECK(describe_log("start\n42 files written\n\n") == "42 files written");
  CHECK(describe_log("\n\n").empty());
}

TEST_CASE("results are described by kind, with size and exit status") {
  CHECK(describe(result("Bash", "ctest -R tokenizer", "1 tests failed out of 34\nexit code 8\n", true)) ==
        "Bash ctest -R tokenizer — 2 lines, exit 8; 33 passed, 1 failed");
  CHECK(describe(result("Grep", "eof", "src/a.cpp:3:eof\n")) == "Grep eof — 1 line; 1 hit in 1 file (a.cpp)");
  CHECK(describe(result("Read", "data.json", "{\"a\":1}")) == "Read data.json — 1 line JSON; object {a}");
  CHECK(describe(result("Bash", "cd x && ls -la", "a\nb\n")) == "Bash cd x && ls -la — 2 lines; 2 entries");
  CHECK(describe(result("Bash", "git commit -m x", "[main abc1234] Fix it\n 1 file changed\n")) ==
        "Bash git commit -m x — 2 lines; [main abc1234] Fix it");
  CHECK(describe(result("Web", "", "boom", true)) == "Web — 1 line, failed; boom");
  CHECK(kind_of(result("Read", "build.log", "")) == ResultKind::log);
  CHECK(kind_of(result("Bash", "cat src/a.py", "def f():")) == ResultKind::source);
}

TEST_CASE("a snipped result is described by its full size") {
  auto r =
      result("Read", "a.cpp",
             "int a();\n[… 44,120 characters, 1,204 lines snipped (lines 2–1205) · recall r12]\nint z();\n");
  r.form = ResultForm::snipped;
  CHECK(describe(r).starts_with("Read a.cpp — 1,206 lines C++"));
}

TEST_CASE("whatever the text, the line is one line") {
  for (const std::string text :
       {"", "\n\n\n", "\xFF\xFE", "a\tb\rc\nFAILED x\ty", "{", "[", "\"", "{\"a\\"}) {
    for (const std::string tool : {"Read", "Bash", "Grep", "Glob", ""}) {
      for (const std::string subject : {"a.json", "b.csv", "make test", "x\ny.py", "", "git diff"}) {
        const auto line = compacted_line(result(tool, subject, text));
        CHECK(line.find('\n') == line.npos);
        CHECK(line.ends_with("r12]"));
      }
    }
  }
}

TEST_CASE("test runs of many tools: all targets counted, failures named, nothing else taken for a test") {
  const auto is = [](std::string_view output, std::string_view line) {
    CHECK(describe_tests(output) == line);
  };
  // cargo, several targets and doc-tests
  is("test a ... ok\ntest result: ok. 12 passed; 0 failed; 1 ignored; 0 measured\n   Doc-tests x\n"
     "test src/lib.rs - f (line 3) ... FAILED\nfailures:\n    src/lib.rs - f (line 3)\n"
     "test result: FAILED. 2 passed; 1 failed; 0 ignored\nerror: doctest failed, to rerun pass `--doc`\n",
     "14 passed, 1 failed, 1 skipped: src/lib.rs - f (line 3)");
  // Maven, two modules
  is("[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in "
     "a.FooTest\n"
     "[ERROR] a.FooTest.one -- Time elapsed: 0.01 s <<< FAILURE!\n[ERROR] two(a.FooTest)  Time elapsed: 0.01 "
     "s  <<< ERROR!\n"
     "[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0\n[INFO] Tests run: 5, Failures: 0, Errors: 0, "
     "Skipped: 2\n",
     "4 passed, 2 failed, 2 skipped: a.FooTest.one, two");
  is("Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.A\n"
     "Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.B\n",
     "7 passed, 0 failed");
  // Catch2
  const std::string dashes(79, '-'), dots(79, '.');
  is(dashes + "\nthe parser stops\n  at the end\n" + dashes + "\na.cpp:3\n" + dots +
         "\n\na.cpp:9: FAILED:\n  CHECK( x )\n\n" +
         "test cases: 255 | 254 passed | 1 failed\nassertions: 68585 | 68583 passed | 2 failed\n",
     "254 passed, 1 failed: the parser stops");
  // gtest
  is("[ RUN      ] Foo.Bar\n[  FAILED  ] Foo.Bar (3 ms)\n[==========] 12 tests from 2 test suites ran. (5 ms "
     "total)\n"
     "[  PASSED  ] 10 tests.\n[  FAILED  ] 2 tests, listed below:\n[  FAILED  ] Foo.Bar\n"
     "[  FAILED  ] P/Foo.Baz/1, where GetParam() = 3\n\n 2 FAILED TESTS\n",
     "10 passed, 2 failed: Foo.Bar, P/Foo.Baz/1");
  // unittest
  is("FAIL: test_x (tests.test_a.Foo.test_x)\nERROR: test_y (tests.test_a.Foo.test_y)\nERROR: no such file "
     "(x)\n"
     "Ran 12 tests in 0.003s\n\nFAILED (failures=1, errors=1, skipped=2)\n",
     "8 passed, 2 failed, 2 skipped: test_x, test_y");
  is("Ran 3 tests in 0.003s\n\nOK\n", "3 passed, 0 failed");
  // jest and vitest
  is("FAIL src/a.test.js\n  Suite\n    ✓ fine (2 ms)\n    ✕ name (3 ms)\n\n  ● Suite › name\n\n    "
     "expect(x)\n\n"
     "Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 5 passed, 6 total\nSnapshots:   1 "
     "passed, 1 total\n",
     "5 passed, 1 failed: Suite › name");
  is(" FAIL  src/a.test.ts > suite > name\n   × name 3ms\n Test Files  1 failed | 2 passed (3)\n      Tests  "
     "1 failed | 5 passed "
     "(6)\n",
     "5 passed, 1 failed: src/a.test.ts > suite > name");
  // mocha
  is("  Suite\n    ✔ fine\n    1) does it\n\n  5 passing (20ms)\n  1 pending\n  1 failing\n\n  1) Suite\n    "
     "   does it:\n",
     "5 passed, 1 failed, 1 skipped: does it");
  // rspec, phpunit, dotnet, gradle, TAP
  is("  1) Foo does x\n     Failure/Error: y\n12 examples, 1 failure, 2 pending\nrspec ./spec/a_spec.rb:12 # "
     "Foo does x\n",
     "9 passed, 1 failed, 2 skipped: Foo does x");
  is("1) App\\FooTest::testBar\nFailed asserting that 1 is 2.\nTests: 12, Assertions: 30, Failures: 1, "
     "Errors: 1, Skipped: 1.\n",
     "9 passed, 2 failed, 1 skipped: App\\FooTest::testBar");
  is("OK (12 tests, 30 assertions)\n", "12 passed, 0 failed");
  is("  Failed A.B.Test [12 ms]\nFailed!  - Failed:     1, Passed:     5, Skipped:     0, Total:     6, "
     "Duration: 20 ms - a.dll\n"
     "Passed!  - Failed:     0, Passed:     4, Skipped:     1, Total:     5, Duration: 20 ms - b.dll\n",
     "9 passed, 1 failed, 1 skipped: A.B.Test");
  is("FooTest > bar() FAILED\n8 tests completed, 1 failed\n", "7 passed, 1 failed: FooTest > bar()");
  is("not ok 2 - second\n# tests 3\n# pass 2\n# fail 1\n", "2 passed, 1 failed: second");
  is("a.py::test_x FAILED   [ 50%]\nFAILED a.py::test_x - assert 0\n== 1 failed, 3 passed, 1 error in 1s "
     "==\n",
     "3 passed, 1 failed, 1 errors: a.py::test_x");
}

TEST_CASE("test runners whose name says nothing of tests are known") {
  for (const char* command :
       {"./vendor/bin/phpunit", "npx jest src", "npx mocha", "mvn -q verify", "./gradlew build"}) {
    CHECK(kind_of(result("Bash", command, "8 tests completed, 1 failed\n")) == ResultKind::tests);
    CHECK(kind_of(result("Bash", command, "BUILD SUCCESSFUL\n")) == ResultKind::log);
  }
}

TEST_CASE("one line stays short whatever stands in the text, and ends at a character") {
  std::string wide, many;
  while (wide.size() < 50'000) wide += "字";
  for (int i = 0; i < 5; ++i) many += "\"" + std::to_string(i) + wide + "\": 1, ";
  CHECK(describe_json("{" + many + "}").size() < 300);
  CHECK(describe_csv(wide + "," + wide + "x," + "y" + wide + "\n1,2,3\n").size() < 300);
  CHECK(describe_json("{\"" + wide + "\": 1}").find("字}") != std::string::npos);
  std::string files, code;
  for (int i = 0; i < 5; ++i) {
    files += std::string(500, 'f') + std::to_string(i) + ".h:1: x\n";
    code += "def " + std::string(500, 'n') + std::to_string(i) + "():\n  pass\n";
  }
  CHECK(describe(result("Grep", "x", files)).size() < 400);
  CHECK(describe(result("Read", "a.py", code)).size() < 400);
}

TEST_CASE("results of other agents' tools are described by what such tools do") {
  const auto kind = [](const char* tool, const char* subject) {
    return kind_of({.call_id = "c", .tool = tool, .text = "x", .subject = subject});
  };
  CHECK(kind("read_file", "a.cpp") == ResultKind::source);
  CHECK(kind("mcp__files__read_file", "a.json") == ResultKind::json);
  CHECK(kind("search_file_content", "x") == ResultKind::search);
  CHECK(kind("list_directory", "src") == ResultKind::listing);
  CHECK(kind("run_shell_command", "git diff") == ResultKind::diff);
  CHECK(kind("mcp__mail__send", "x") == ResultKind::other);
}
