// What is found in a file after a change follows the result of the call that made it.
#include "agent/turn/change_watch.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/agent/turn/turn_rig.h"

using namespace tern;

TEST_CASE("what a change broke follows its result, and people see it in the cell", "[lsp]") {
  test::Rig rig;
  std::vector<std::string> expected;
  rig.hands.watch.expect = [&](const std::string& path) { expected.push_back(path); };
  rig.hands.watch.changed = [](const Workspace&, const std::string& path, std::stop_token) {
    return path == "good.py" ? ChangeNews{} : ChangeNews{"New errors in " + path, "1 new error"};
  };
  rig.script
      .then(test::calls(
          {test::call("c1", "Write", R"({"file_path":"good.py","content":"x\n"})"),
           test::call("c2", "Write", R"({"file_path":"bad.py","content":"x\n"})"),
           test::call("c3", "Edit", R"({"file_path":"bad.py","old_string":"no","new_string":"way"})"),
           test::call("c4", "Read", R"({"file_path":"bad.py"})")}))
      .then(test::says("done"));
  rig.turn("go");
  CHECK(expected == std::vector<std::string>{"good.py", "bad.py", "bad.py", "bad.py"});
  const auto cells = rig.seen<ToolFinished>();
  REQUIRE(cells.size() == 4);
  CHECK(cells[0].note.find("new error") == std::string::npos);
  CHECK(cells[1].note.ends_with(" · 1 new error"));
  CHECK(cells[1].text.ends_with("\n\nNew errors in bad.py"));
  CHECK(cells[2].is_error);  // nothing was changed
  CHECK(cells[2].text.find("New errors") == std::string::npos);
  CHECK(cells[3].text.find("New errors") == std::string::npos);
}
