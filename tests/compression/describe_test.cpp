#include "compression/describe.h"

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

std::string source(std::string_view text, std::string_view language) { return describe_source(text, language); }

}  // namespace

TEST_CASE("the line of the founding text, with its recall id") {
  std::string text =
      "export function parseConfig() {}\nexport const validateSchema = () => 1;\nexport interface A {}\nexport type B = "
      "string;\nexport enum C {}\n";
  while (std::count(text.begin(), text.end(), '\n') < 245) text += "  // more\n";
  CHECK(compacted_line(result("Read", "src/utils/parser.ts", text)) ==
        "[Compacted: Read src/utils/parser.ts — 245 lines TypeScript; parseConfig(), validateSchema(), 3 types · r12]");
}

TEST_CASE("source files name what they export") {
  CHECK(source("def load(x):\n    def inner(): pass\nclass Store:\n    def save(self): pass\nasync def run(): pass\ndef "
               "_hidden(): pass\n",
               "Python") == "load(), run(), type Store");
  CHECK(source("function a() {}\nclass B {}\nexport default async function c() {}\n", "JavaScript") == "a(), c(), type B");
  CHECK(source("package x\n\nfunc Open(p string) error {\nfunc (s *Store) Close() {\nfunc hidden() {\ntype Store struct {\n",
               "Go") == "Open(), Close(), type Store");
  CHECK(source("pub fn parse(x: u8) {}\nfn main() {}\npub struct Ast;\npub(crate) enum Kind {}\n", "Rust") ==
        "parse(), main(), 2 types");
  CHECK(source("public class Shop {\n    public int total(int a) {\n        return sum(a);\n    }\n    private void x() { }\n}\n",
               "Java")
            .starts_with("total()"));
  CHECK(source("#include <x>\nclass Lexer {\n public:\n  int f();\n};\nint main(int argc, char** argv) {\n  if (argc) return "
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
  CHECK(describe_tests("FAILED tests/test_a.py::test_x - AssertionError\n=== 1 failed, 32 passed, 2 skipped in 1.2s ===\n") ==
        "32 passed, 1 failed, 2 skipped: tests/test_a.py::test_x");
  CHECK(describe_tests("--- FAIL: TestParse (0.00s)\nFAIL\nok  \texample.com/x\t0.1s\n") == "1 package ok, 1 failed: TestParse");
  CHECK(describe_tests("test result: FAILED. 3 passed; 1 failed; 0 ignored\ntest a::b ... FAILED\n") ==
        "3 passed, 1 failed: a::b");
  CHECK(describe_tests("All tests passed (120 assertions in 30 test cases)\n") == "30 passed, 0 failed");
  CHECK(describe_tests("97% tests passed, 1 tests failed out of 34\n 3/34 Test #3: tokenizer.eof ....***Failed 0.1 sec\n") ==
        "33 passed, 1 failed: tokenizer.eof");
  CHECK(describe_tests("Tests run: 8, Failures: 2, Errors: 0\n") == "6 passed, 2 failed");
  CHECK(describe_tests("nothing here\n").empty());
}

TEST_CASE("searches, listings, diffs") {
  CHECK(describe_search("src/a.cpp:3:x\nsrc/a.cpp:9:y\nsrc/b.h:1:z\n") == "3 hits in 2 files (a.cpp, b.h)");
  CHECK(describe_search("") == "no hits");
  CHECK(describe_listing("a.cpp\nsub/\nb.cpp\n") == "3 entries, 1 directory");
  CHECK(describe_diff("diff --git a/x/a.cpp b/x/a.cpp\n--- a/x/a.cpp\n+++ b/x/a.cpp\n@@ -1 +1,2 @@\n-old\n+new\n+more\n") ==
        "1 file, +2 −1 (a.cpp)");
}

TEST_CASE("JSON and CSV give their shape") {
  CHECK(describe_json("{\"name\": \"x\", \"scripts\": {\"inner\": 1}, \"version\": [1,2]}") == "object {name, scripts, version}");
  CHECK(describe_json("[{\"id\": 1, \"name\": \"a,b\"}, {\"id\": 2}]") == "array of 2 elements {id, name}");
  CHECK(describe_json("[]") == "array of 0 elements");
  CHECK(describe_json("[1, 2, 3]") == "array of 3 elements");
  CHECK(describe_json("{\"cut\": \"off") == "object {cut}");
  CHECK(describe_csv("id,name,age\n1,a,2\n2,b,3\n") == "2 rows of 3 columns (id, name, age)");
}

TEST_CASE("logs give their errors, or the last line") {
  CHECK(describe_log("start\nerror: lost connection\nretry\nerror: lost again\n") == "error: lost connection (+1 like it)");
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
      result("Read", "a.cpp", "int a();\n[… 44,120 characters, 1,204 lines snipped (lines 2–1205) · recall r12]\nint z();\n");
  r.form = ResultForm::snipped;
  CHECK(describe(r).starts_with("Read a.cpp — 1,206 lines C++"));
}

TEST_CASE("whatever the text, the line is one line") {
  for (const std::string text : {"", "\n\n\n", "\xFF\xFE", "a\tb\rc\nFAILED x\ty", "{", "[", "\"", "{\"a\\"}) {
    for (const std::string tool : {"Read", "Bash", "Grep", "Glob", ""}) {
      for (const std::string subject : {"a.json", "b.csv", "make test", "x\ny.py", "", "git diff"}) {
        const auto line = compacted_line(result(tool, subject, text));
        CHECK(line.find('\n') == line.npos);
        CHECK(line.ends_with("r12]"));
      }
    }
  }
}
