// What people read of the tools.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "app/session/session_tools.h"
#include "tests/support/served_run.h"
#include "ui/text/width.h"

using namespace tern;
using namespace tern::test;

TEST_CASE("each tool has one plain line for people, which fits into 80 columns") {
  for (const ToolPtr& tool : session_tools()) {
    INFO(tool->name << ": " << tool->about);
    CHECK(tool->about.ends_with('.'));
    CHECK(width(tool->about) <= 58);
  }
}

TEST_CASE("the list of tools says nothing that is meant for the model") {
  ServedRun run(R"({"replies": []})");
  REQUIRE(run.pty.until_text("claude-sonnet-4-5"));
  run.pty.send("/tools\r");
  REQUIRE(run.pty.until_text("Reads a file, or looks at a picture."));
  CHECK_FALSE(run.shows("old_string"));
  CHECK_FALSE(run.shows("TAB"));
}
