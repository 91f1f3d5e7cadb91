#include "compression/values/outcome.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

namespace {

ToolResult failed(std::string text) {
  return {"1", "Bash", std::move(text), true, "make test", {}, ResultForm::full};
}

}  // namespace

TEST_CASE("a short result is told whole, further lines indented") {
  CHECK(outcome(failed("\nExit code 2\nlexer.cpp:41: error: no member eof\n")) ==
        "Exit code 2\n  lexer.cpp:41: error: no member eof");
  CHECK(outcome_line(failed("Exit code 2\nmore")) == "Exit code 2");
  CHECK(outcome(failed("")).empty());
}

TEST_CASE("of a long result the lines that name a failure stay") {
  std::string text = "Exit code 1\n";
  for (int i = 0; i < 60; ++i) text += "compiling part " + std::to_string(i) + " of the program\n";
  text += "src/a.cpp:7:3: error: expected a semicolon\n";
  for (int i = 0; i < 60; ++i) text += "compiling part " + std::to_string(i) + " of the library\n";
  CHECK(outcome(failed(text)) == "Exit code 1\n  src/a.cpp:7:3: error: expected a semicolon");
}

TEST_CASE("errors fall into categories") {
  CHECK(error_category("bash: foo: command not found") == "not found");
  CHECK(error_category("Permission denied") == "permission");
  CHECK(error_category("3 tests FAILED") == "test failure");
  CHECK(error_category("what is this") == "other");
}
