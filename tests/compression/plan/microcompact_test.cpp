#include "compression/plan/microcompact.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "compression/values/written_names.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;
using test::to_script;

namespace {

// Ten old rounds of different kinds, then enough new ones that none of the old is protected.
std::string world() {
  std::string text = "system Be brief\nuser go\n";
  text += "call 1 Bash make\nerror 1 60 lines\n";
  text += "call 2 Grep eof\nresult 2 60 lines\n";
  text += "call 3 Read big.cpp\nresult 3 300 lines\n";
  text += "call 4 Read old.cpp\nresult 4 60 lines\n";
  text += "call 5 Read old.cpp\nresult 5 60 lines\n";
  for (int i = 6; i <= 14; ++i)
    text += "call " + std::to_string(i) + " Read n" + std::to_string(i) + ".cpp\nresult " +
            std::to_string(i) + " 10 lines\n";
  return text + "assistant done\n";
}

// The results that were taken, in the order of the items, with their reasons.
std::string taken(const Conversation& before, const MicroForm& form) {
  const auto edits = microcompact(before, {}, form);
  const auto after = tern::apply(before, edits);
  CHECK(check(after).empty());
  CHECK(check_edit(before, after).empty());
  CHECK(count(before) - count(after) == saved(edits));
  std::string all;
  for (const auto& edit : edits)
    all += std::get<ToolResult>(std::get<Replace>(edit.how).with).call_id + " " + edit.why.why + "\n";
  return all;
}

}  // namespace

TEST_CASE("the order: superseded reads, large reads, other results, errors last") {
  const auto before = script(world());
  const Tokens all = count(before);
  CHECK(taken(before, {.target = all - 10}) == "c4 later read again (r5)\n");
  CHECK(taken(before, {.target = all - 1'500}) == "c3 an old large file read\nc4 later read again (r5)\n");
  CHECK(taken(before, {}) ==
        "c1 an old error\nc2 an old result\nc3 an old large file read\nc4 later read again (r5)\nc5 an old "
        "result\nc6 an old "
        "result\n");
}

TEST_CASE("only the oldest half is touched") {
  const auto before = script(world());
  for (const auto& edit : microcompact(before, {}, {})) CHECK(edit.target.value <= before.items.size() / 2);
  CHECK(microcompact(before, {}, {.oldest = 0.1}).empty());
}

TEST_CASE("the last five results, the last messages and pins are never touched") {
  auto text = world();
  text.insert(text.find("call 4 "), "pin\n");
  const auto before = script(text);
  const auto all = taken(before, {.oldest = 1.0});
  CHECK(all.find("c3 ") == all.npos);
  for (int i = 10; i <= 14; ++i) CHECK(all.find("c" + std::to_string(i) + " ") == all.npos);
  CHECK(all.find("c9 ") != all.npos);
}

TEST_CASE("what is compacted stays as it is, and the second run finds nothing") {
  const auto before = script(world());
  const auto after = tern::apply(before, microcompact(before, {}, {}));
  CHECK(microcompact(after, {}, {}).empty());
}

TEST_CASE("one line each, then the lines that name what the assistant has since written") {
  const auto before = script(
      "user go\n"
      "call 1 Read a.cpp\n"
      "result 1 = int alpha_one(int x) {\\n  return beta_two(x, 3) + something_else(x);\\n}\\nint "
      "gamma_three() { return 7; }\\n"
      "int delta_four() { return 8; }\\nint epsilon_five() { return 9; }\\nint zeta_six() { return 10; "
      "}\\nint eta_seven() { "
      "return 11; }\\n"
      "call 2 Edit a.cpp\nresult 2 = ok\n"
      "assistant I changed gamma_three, because delta_four calls it.\n"
      "user thanks\nassistant a\nuser b\nassistant c\nuser d\nassistant e");
  CompressionConfig config;
  config.protect_results = 0;
  Budget budget;
  budget.config = config;
  const auto edits = microcompact(before, budget, {.kept_lines = 0.5});
  REQUIRE(edits.size() == 1);
  const auto& text = std::get<ToolResult>(std::get<Replace>(edits[0].how).with).text;
  CHECK(text.starts_with("[Compacted: Read a.cpp — "));
  CHECK(text.find("r1]") != text.npos);
}

TEST_CASE("lines with names written since are found once, within their room") {
  Item said;
  said.blocks = {Text{"I changed gamma_three in src/lexer.cpp; see parseConfig and plain words."}};
  const std::string text =
      "nothing here\nint gamma_three();\nplain words again\nsrc/lexer.cpp:12: parseConfig()\nint "
      "gamma_three();\n";
  WrittenNames names;
  CHECK(names.lines_of(text, "", 1'000).empty());
  names.add(said);
  CHECK(names.lines_of(text, "", 1'000) == "int gamma_three();\nsrc/lexer.cpp:12: parseConfig()\n");
  CHECK(names.lines_of(text, "", 1'000).empty());  // held by the newer text
  WrittenNames tight;
  tight.add(said);
  CHECK(tight.lines_of(text, "", 40) == "src/lexer.cpp:12: parseConfig()\n");
  WrittenNames known;
  known.add(said);
  CHECK(known.lines_of(text, "src/lexer.cpp parseConfig", 1'000) == "int gamma_three();\n");
}

TEST_CASE("the model's version asks for 100 tokens a result and folds the answer in") {
  const auto before = script(world());
  const auto edits = microcompact(before, {}, {});
  const auto request = micro_request(before, edits);
  CHECK(request.max_output == 600);
  CHECK(request.input.starts_with("[1] Bash make (failed)\n"));
  CHECK(request.input.find("[5] Read old.cpp\n") != std::string::npos);

  const auto folded = with_micro_answer(
      before, edits,
      "Here you are:\n1: make failed in parse_token\n[3] big.cpp holds the lexer\n9: nobody\n4:\n");
  const auto text_of = [](const Edit& edit) {
    return std::get<ToolResult>(std::get<Replace>(edit.how).with).text;
  };
  CHECK(text_of(folded[0]).starts_with("[Compacted: make failed in parse_token · r1]"));
  CHECK(text_of(folded[2]).starts_with("[Compacted: big.cpp holds the lexer · r3]"));
  CHECK(text_of(folded[1]) == text_of(edits[1]));
  CHECK(text_of(folded[3]) == text_of(edits[3]));
  const auto after = tern::apply(before, folded);
  CHECK(check(after).empty());
  CHECK(count(before) - count(after) == saved(folded));
}
