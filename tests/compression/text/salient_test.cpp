#include "compression/text/salient.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using namespace tern;

namespace {
std::string found(std::string_view text, std::size_t most = 100) {
  std::string all;
  for (const auto& line : salient_lines(text, most)) {
    all += std::to_string(line.line) + (line.strong ? "! " : "? ") + std::string(line.text) + "\n";
  }
  return all;
}
}  // namespace

TEST_CASE("lines that tell of failure are found, with their numbers") {
  CHECK(found("ok\nsrc/a.cpp:3: error: no such thing\nfine\nFAILED test_x\nexit status 2\nTraceback (most "
              "recent call last):") ==
        "1! src/a.cpp:3: error: no such thing\n3! FAILED test_x\n4! exit status 2\n5! Traceback (most recent "
        "call last):\n");
  CHECK(found("permission denied\nfile not found\nConnection refused") ==
        "0? permission denied\n1? file not found\n2? Connection refused\n");
  CHECK(found("发生错误了\n") == "0? 发生错误了\n");
}

TEST_CASE("counts of nothing are no failure") {
  CHECK(found("12 passed, 0 failed\nno errors\n0 errors, 0 warnings\nfinished without error\n") == "");
  CHECK(found("10 failed\n") == "0! 10 failed\n");
  CHECK(found("0 failed, but 3 errors: see above\n") == "0! 0 failed, but 3 errors: see above\n");
}

TEST_CASE("one line counts once, and the scan stops at the most asked for") {
  CHECK(found("denied denied denied error: x\n") == "0! denied denied denied error: x\n");
  CHECK(salient_lines("error: a\nerror: b\nerror: c\n", 2).size() == 2);
  CHECK(found("") == "");
  CHECK(found("err") == "");
}

TEST_CASE("the names of failing tests are found as their runners mark them") {
  CHECK(found("  Suite\n    ✓ fine (2 ms)\n    ✕ takes no comma (3 ms)\n  ● Suite › takes no comma\n   × "
              "name 3ms\n") ==
        "2!     ✕ takes no comma (3 ms)\n3?   ● Suite › takes no comma\n4?    × name 3ms\n");
  CHECK(found("[  FAILED  ] Foo.Bar (3 ms)\nrspec ./spec/a_spec.rb:12 # Foo does x\n  Failed A.B.Test [12 "
              "ms]\n") ==
        "0! [  FAILED  ] Foo.Bar (3 ms)\n1! rspec ./spec/a_spec.rb:12 # Foo does x\n2!   Failed A.B.Test [12 "
        "ms]\n");
  CHECK(found("ERROR: test_y (tests.test_a.Foo)\nnot ok 2 - second\n2 × 3 is 6\n") ==
        "0! ERROR: test_y (tests.test_a.Foo)\n1! not ok 2 - second\n");
  CHECK(found("  Cart\n    ✔ adds\n    1) takes no comma\n1) first\n1) App\\FooTest::testBar\n") ==
        "2?     1) takes no comma\n4? 1) App\\FooTest::testBar\n");
}
