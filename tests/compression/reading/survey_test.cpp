#include "compression/reading/survey.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {

Conversation one_call(std::string arguments) {
  Item item;
  item.id = {1};
  item.role = Role::assistant;
  item.blocks = {ToolCall{"c1", "Edit", std::move(arguments), {}}};
  return {{make_item(item)}};
}

std::string joined(const Survey& s, std::size_t part) {
  std::string out;
  for (auto l = s.parts[part].first; l < s.parts[part].last; ++l) out += text_of(s, s.lines[l]);
  return out;
}

}  // namespace

TEST_CASE("lines cover each part without a gap") {
  const auto world = script("user Fix it\\nplease\ncall 1 Read a.cpp\nresult 1 40 lines\nassistant Done");
  const auto s = survey(world);
  REQUIRE(s.parts.size() == 4);
  for (std::size_t p = 0; p < s.parts.size(); ++p) CHECK(joined(s, p) == s.parts[p].text);
  CHECK(s.parts[0].kind == PartKind::human);
  CHECK(s.parts[1].kind == PartKind::call);
  CHECK(s.parts[2].kind == PartKind::result);
  CHECK(s.parts[3].kind == PartKind::said);
}

TEST_CASE("long lines are split inside neither character nor escape") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "汉";
  const auto world = script("user x\ncall 1 Bash y\nresult 1 = " + text);
  const auto s = survey(world);
  CHECK(s.parts[2].last - s.parts[2].first > 2);
  CHECK(joined(s, 2) == text);
  for (const auto& line : s.lines) CHECK((static_cast<unsigned char>(text_of(s, line)[0]) & 0xC0) != 0x80);
}

TEST_CASE("of a call only long values may be cut") {
  std::string body;
  for (int i = 0; i < 40; ++i) body += "value_" + std::to_string(i) + " = 1\\n";
  const auto world = one_call(R"({"path":"a.cpp","content":")" + body + R"(","mode":"x"})");
  const auto s = survey(world);
  CHECK(joined(s, 0) == s.parts[0].text);
  CHECK(s.lines.front().frame);
  CHECK(s.lines.back().frame);
  CHECK(text_of(s, s.lines.back()) == R"(","mode":"x"})");
  CHECK_FALSE(s.lines[1].frame);
  CHECK(text_of(s, s.lines[1]) == R"(value_1 = 1\n)");
}

TEST_CASE("a name knows who used it and how long ago") {
  const auto world = script(
      "user see parseConfig\ncall 1 Read a.cpp\nresult 1 = parseConfig loadFile\nassistant I use loadFile");
  const auto s = survey(world);
  const auto ident = [&](std::uint32_t line, std::uint32_t n) {
    return s.uses[s.names[s.lines[line].first + n]];
  };
  const auto parse = ident(0, 0);
  CHECK(parse.human == 1);
  CHECK(parse.results == 1);
  CHECK(parse.said == 0);
  const auto load = ident(s.parts[2].first, 1);
  CHECK(load.said == 1);
  CHECK(load.age < parse.age);
}

TEST_CASE("system prompts are not surveyed and nothing is nothing") {
  CHECK(survey(script("system Be brief")).parts.empty());
  CHECK(survey({}).parts.empty());
}
