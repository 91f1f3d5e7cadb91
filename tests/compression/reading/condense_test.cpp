#include "compression/reading/condense.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/values/check.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;
using test::to_script;

namespace {

std::string rounds(int from, int to, int lines) {
  std::string out;
  for (int i = from; i <= to; ++i) {
    const auto n = std::to_string(i);
    out +=
        "call " + n + " Read src/file" + n + ".cpp\nresult " + n + " " + std::to_string(lines) + " lines\n";
  }
  return out;
}

Conversation cut(const Conversation& world, Tokens target, CutReach reach = CutReach::all) {
  const auto tier = reach == CutReach::all ? Tier::truncate : Tier::micro;  // as deep as the hard tier goes
  const auto after =
      tern::apply(world, condense(world, {}, {.target = target, .reach = reach, .tier = tier}));
  INFO(to_script(after, 80));
  for (const auto& problem : check(after)) UNSCOPED_INFO(problem.what);
  CHECK(check(after).empty());
  CHECK(check_edit(world, after).empty());
  return after;
}

bool contains(const Conversation& c, std::string_view text) {
  return to_script(c, 1'000'000).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("a conversation under the target stays as it is") {
  const auto world = script("user x\n" + rounds(1, 3, 20) + "assistant Done");
  CHECK(condense(world, {}, {.target = count(world)}).empty());
  CHECK(condense({}, {}, {.target = 10}).empty());
}

TEST_CASE("old results shrink to a label with their recall id, calls and requests stay") {
  const auto world = script("user Fix parseConfig\n" + rounds(1, 12, 60) + "assistant Done");
  const auto after = cut(world, count(world) / 2, CutReach::results);
  CHECK(count(after) <= count(world) / 2);
  CHECK(after.items.size() == world.items.size());
  CHECK(after.items[0] == world.items[0]);
  CHECK(after.items[1] == world.items[1]);
  const auto& result = std::get<ToolResult>(after.items[2]->blocks[0]);
  CHECK(result.form == ResultForm::compacted);
  CHECK(result.text.starts_with("[Compacted: 60 lines · r1]"));
}

TEST_CASE("tier 2 touches results only and keeps the last five byte for byte") {
  const auto world = script("user x\n" + rounds(1, 12, 60) + "assistant Done");
  const auto after = cut(world, 10, CutReach::results);
  for (std::size_t i = 0; i < world.items.size(); ++i) {
    const bool old_result = i % 2 == 0 && i >= 2 && i <= 14;
    CHECK((after.items[i] != world.items[i]) == old_result);
  }
}

TEST_CASE("deep cuts fold old rounds into one text by subject") {
  const auto world = script("user Look\n" + rounds(1, 30, 40) + "assistant Done");
  const auto after = cut(world, count(world) / 20);
  CHECK(after.items.size() < world.items.size() / 2);
  CHECK(contains(after, "src/file1.cpp · Read r1"));
  CHECK(contains(after, "Look"));
}

TEST_CASE("what the person wrote stays word for word while it fits") {
  std::string world_text = "user Never rename loadFile. Keep it.\n" + rounds(1, 10, 50) +
                           "user And now the tests, only unit tests\n" + rounds(11, 20, 50);
  const auto world = script(world_text);
  const auto after = cut(world, count(world) / 10);
  CHECK(contains(after, "Never rename loadFile. Keep it."));
  CHECK(contains(after, "And now the tests, only unit tests"));
}

TEST_CASE("a request larger than the target keeps its first lines and its rules") {
  std::string request = "user Plan for the week\\n";
  for (int i = 0; i < 200; ++i) request += "some detail number " + std::to_string(i) + " of it\\n";
  request += "You must never push to main.\\n";
  for (int i = 0; i < 200; ++i) request += "another detail number " + std::to_string(i) + " of it\\n";
  const auto world = script(request + "\nassistant Yes\nuser go");
  const auto after = cut(world, 200);
  CHECK(count(after) <= 260);
  CHECK(contains(after, "Plan for the week"));
  CHECK(contains(after, "You must never push to main."));
}

TEST_CASE("pins and system prompts are not touched") {
  const auto world =
      script("system Rules of the house\nuser x\ncall 1 Read a.cpp\nresult 1 300 lines\npin\n" +
             rounds(2, 12, 60) + "assistant Done");
  const auto after = cut(world, count(world) / 3);
  CHECK(after.items[0] == world.items[0]);
  bool pinned = false;
  for (const auto& item : after.items) pinned = pinned || item == world.items[3];
  CHECK(pinned);
}

TEST_CASE("long arguments keep their keys and stay JSON") {
  std::string body;
  for (int i = 0; i < 200; ++i) body += "let plain text go on and on\\n";
  Item call;
  call.id = {2};
  call.role = Role::assistant;
  call.recall = {7};
  call.blocks = {ToolCall{
      "c1", "Write", R"({"path":"a.txt","content":"first line\n)" + body + R"(last \"quoted\""})", {}}};
  Item answer;
  answer.id = {3};
  answer.blocks = {ToolResult{.call_id = "c1", .tool = "Write", .text = "ok", .subject = "a.txt"}};
  auto world = script("user x");
  world.items.push_back(make_item(call));
  world.items.push_back(make_item(answer));
  for (const auto& item : script("assistant 4 Done\nuser 5 thanks\nassistant 6 a\nuser 7 b\nassistant 8 "
                                 "c\nuser 9 d\nassistant 10 e")
                              .items)
    world.items.push_back(item);
  const auto after = cut(world, count(world) / 3);
  const auto& arguments = std::get<ToolCall>(after.items[1]->blocks[0]).arguments;
  CHECK(arguments.starts_with(R"({"path":"a.txt","content":"first line\n)"));
  CHECK(arguments.ends_with(R"("})"));
  CHECK(arguments.find("r7") != std::string::npos);
  CHECK(arguments.size() < 400);
}

TEST_CASE("cutting again goes deeper and the same input gives the same output") {
  const auto world = script("user x\n" + rounds(1, 20, 60) + "assistant Done");
  const auto half = cut(world, count(world) / 2);
  CHECK(to_script(half, 1'000'000) == to_script(cut(world, count(world) / 2), 1'000'000));
  const auto tenth = cut(half, count(world) / 10);
  CHECK(count(tenth) <= count(world) / 10 + 20);
}

TEST_CASE("where a few large rounds are all there is, they are folded before the person's words are cut") {
  std::string text = "user Fix parseConfig in src/config.cpp";
  for (int i = 0; i < 40; ++i)
    text += " and mind what I said about the number " + std::to_string(i) + " of the list";
  for (int round = 0; round < 2; ++round) {
    const auto name = [&](int i) { return std::to_string(round * 24 + i); };
    for (int i = 1; i <= 24; ++i)
      text += "\ncall " + name(i) + " Bash grep -rn value_" + name(i) + " src/part/of/the/tree/number_" +
              name(i) + ".cpp";
    for (int i = 1; i <= 24; ++i) text += "\nresult " + name(i) + " 3 lines";
  }
  const auto world = script(text + "\ncall 99 Read a.cpp\nresult 99 = int a;");
  const auto target = count(world) * 45 / 100;
  const auto after = cut(world, target);
  CHECK(count(after) <= target);
  CHECK(after.items[0] == world.items[0]);
  CHECK(after.items.back() == world.items.back());
}

TEST_CASE("a summary keeps the indented words that it quotes, and its lists") {
  std::string text =
      "summary 1-2 [The context was compressed: this summary stands for 9 earlier messages.]\\n\\n1. "
      "Request:\\n  - a list\\n"
      "What the user wrote, word for word:\\n> Print this:";
  for (int i = 0; i < 80; ++i) text += "\\n    " + std::to_string(i) + "  2m ago, and as it stands";
  const auto world = script(text + "\n" + rounds(1, 9, 60) + "assistant Done\nuser Go on\nassistant Yes");
  const auto after = cut(world, count(world) / 3, CutReach::answers);
  REQUIRE(count(after) < count(world) * 2 / 3);
  CHECK(after.items.front() == world.items.front());
}

TEST_CASE("the person's words that a summary quotes stay when its other lines must go") {
  std::string text =
      "summary 1-2 [The context was compressed: this summary stands for 9 earlier messages.]\\n\\n1. "
      "Request:";
  for (int i = 0; i < 120; ++i)
    text += "\\n- did src/part" + std::to_string(i) + ".cpp and what belongs to it";
  text += "\\n\\nWhat the user wrote, word for word:\\n> Mend it.\\n> Mind the tests, and be quick";
  text += "\\n\\nSpecifics of the originals (recall by id):\\nFiles:";
  for (int i = 0; i < 60; ++i) text += " src/part" + std::to_string(i) + ".cpp r" + std::to_string(i) + ",";
  const auto world = script(text + "\n" + rounds(1, 9, 60) + "assistant Done\nuser Go on\nassistant Yes");
  const auto target = count(world) / 10;
  const auto after = cut(world, target);
  CHECK(count(after) <= target);
  CHECK(contains(after, "What the user wrote, word for word:"));
  CHECK(contains(after, "> Mend it."));
  CHECK(contains(after, "> Mind the tests, and be quick"));
  CHECK_FALSE(contains(after, "part119.cpp and what"));
}

TEST_CASE("what was called for the newest results stays whole, older calls give way") {
  Conversation world = script("user Write the parts");
  for (std::uint64_t n = 1; n <= 12; ++n) {
    const auto id = std::to_string(n);
    std::string body;
    for (int i = 0; i < 60; ++i) body += "the line " + std::to_string(i) + " of a plain text\\n";
    Item call{
        .id = {10 * n}, .role = Role::assistant, .blocks = {}, .recall = {static_cast<std::uint32_t>(n)}};
    call.blocks = {
        ToolCall{"c" + id, "Bash", R"({"command":"cat > part)" + id + " <<X\\n" + body + R"(X"})", {}}};
    Item result{.id = {10 * n + 1}, .role = Role::user, .blocks = {}};
    result.blocks = {
        ToolResult{.call_id = "c" + id, .tool = "Bash", .text = "(no output)", .subject = "cat"}};
    world.items.push_back(make_item(std::move(call)));
    world.items.push_back(make_item(std::move(result)));
  }
  const auto after = cut(world, count(world) / 3, CutReach::calls);
  for (std::size_t n = 1; n <= 12; ++n) CHECK((after.items[2 * n - 1] == world.items[2 * n - 1]) == (n > 7));
}

TEST_CASE("other results keep lines beside the files being worked on, up to what a cut may leave") {
  std::string text = "user Fix it\n";
  for (int i = 1; i <= 12; ++i) {
    const auto n = std::to_string(i);
    text += "call " + n +
            (i % 2 ? " Read src/f" + n + ".cpp\nresult " + n + " = "
                   : " Bash run " + n + "\nresult " + n + " = ");
    for (int l = 0; l < 60; ++l)
      text += (i % 2 ? "int field_" : "case found_") + n + "_" + std::to_string(l) + " and a few words\\n";
    text += "\n";
  }
  for (int i = 20; i < 25; ++i)
    text += "call " + std::to_string(i) + " Bash x\nresult " + std::to_string(i) + " = ok\n";
  const auto world = script(text + "assistant Done");
  const Condense how{.target = count(world) / 5, .most = count(world) * 3 / 4, .reach = CutReach::calls};
  const auto after = tern::apply(world, condense(world, {}, how));
  std::size_t found = 0;
  for (int i = 2; i <= 12; i += 2)
    for (int l = 0; l < 60; ++l)
      found += contains(after, "found_" + std::to_string(i) + "_" + std::to_string(l) + " ");
  CHECK(contains(after, "field_1_30 "));
  CHECK(found > 60);  // of 360
}
