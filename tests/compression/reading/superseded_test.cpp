#include "compression/reading/superseded.h"

#include <catch2/catch_test_macros.hpp>

#include "compression/text/similarity.h"
#include "compression/values/check.h"
#include "tests/support/script.h"

using namespace tern;
using test::script;
using test::to_script;

namespace {

std::string found(const std::string& text) {
  std::string all;
  for (const auto& old : superseded_results(script(text)))
    all += std::to_string(old.item + 1) + ": " + old.why + "\n";
  return all;
}
std::string call(int n, const std::string& what, const std::string& result = "30 lines") {
  const auto id = std::to_string(n);
  return "call " + id + " " + what + "\nresult " + id + " " + result + "\n";
}

}  // namespace

TEST_CASE("an older read is superseded by a later read or edit of the file") {
  CHECK(found("user a\n" + call(1, "Read a.cpp") + call(2, "Read b.cpp") + call(3, "Read ./a.cpp") +
              call(4, "Edit b.cpp", "= ok")) == "3: later read again (r3)\n5: later edited (r4)\n");
}

TEST_CASE("a part does not supersede the whole, the whole does the part") {
  auto conversation =
      script("user a\n" + call(1, "Read a.cpp") + call(2, "Read a.cpp") + call(3, "Read a.cpp"));
  const auto arguments = [&](std::size_t item, std::string text) {
    Item changed = *conversation.items[item];
    std::get<ToolCall>(changed.blocks[0]).arguments = std::move(text);
    conversation.items[item] = std::make_shared<const Item>(std::move(changed));
  };
  arguments(3, R"({"path":"a.cpp","offset":10})");
  arguments(5, R"({"path":"a.cpp","offset":90})");
  CHECK(superseded_results(conversation).empty());
  arguments(5, R"({"path":"a.cpp","offset":10})");
  CHECK(superseded_results(conversation).size() == 1);
  arguments(5, R"({"path":"a.cpp"})");
  CHECK(superseded_results(conversation).size() == 2);
}

TEST_CASE("a read that was compacted already leaves the older one alone") {
  auto conversation = script("user a\n" + call(1, "Read a.cpp") + call(2, "Read a.cpp"));
  Item item = *conversation.items[4];
  std::get<ToolResult>(item.blocks[0]).form = ResultForm::compacted;
  conversation.items[4] = std::make_shared<const Item>(std::move(item));
  CHECK(superseded_results(conversation).empty());
  for (auto& more : script("user b\n" + call(3, "Read a.cpp")).items) conversation.items.push_back(more);
  CHECK(superseded_results(conversation).size() == 1);
}

TEST_CASE("failed reads supersede nothing") {
  CHECK(found("user a\n" + call(1, "Read a.cpp") + "call 2 Read a.cpp\nerror 2 = no such file\n").empty());
}

TEST_CASE("the same output again, or nearly the same, stands for the older") {
  std::string list, other;
  for (int i = 0; i < 60; ++i) list += "file number " + std::to_string(i) + " is fine\\n";
  other = list;
  other.replace(other.find("number 30"), 9, "number XX");
  CHECK(found("user a\n" + call(1, "Bash ls", "= " + list) + call(2, "Bash ls -a", "= " + list)) ==
        "3: the same output came again (r2)\n");
  CHECK(found("user a\n" + call(1, "Bash ls", "= " + list) + call(2, "Bash ls", "= " + other))
            .starts_with("3: came again, 9"));
  CHECK(found("user a\n" + call(1, "Bash ls", "= " + list) + call(2, "Bash ls | tail", "= " + other))
            .starts_with("3: came again, 9"));
  std::string shifted = "it began at noon\\n" + other;
  CHECK(found("user a\n" + call(1, "Bash ls", "= " + list) + call(2, "Grep file", "= " + shifted))
            .starts_with("3: came again, 9"));
  // A file and its copy are two files; and half of the lines are not nearly all.
  CHECK(found("user a\n" + call(1, "Read a.cpp", "= " + list) + call(2, "Read b.cpp", "= " + other)).empty());
  std::string half;
  for (int i = 30; i < 90; ++i) half += "file number " + std::to_string(i) + " is fine\\n";
  CHECK(found("user a\n" + call(1, "Bash ls", "= " + list) + call(2, "Bash df", "= " + half)).empty());
}

TEST_CASE("the tools of other agents are known by their names") {
  CHECK(found("user a\n" + call(1, "mcp__fs__read_file a.cpp") + call(2, "mcp__fs__read_file a.cpp"))
            .starts_with("3: later read again"));
  CHECK(found("user a\n" + call(1, "view a.cpp") + call(2, "str_replace a.cpp", "= done"))
            .starts_with("3: later edited"));
}

TEST_CASE("as a strategy: one line each, the protected stay") {
  std::string text = "user a\n" + call(1, "Read a.cpp");
  for (int i = 2; i <= 7; ++i) text += call(i, "Read a.cpp");
  const auto before = script(text);
  const auto edits = superseded(before, {});
  CHECK(to_script(edits) ==
        "replace 3.0 result 1 = [Compacted: Read a.cpp — later read again (r2) · r1]\n"
        "replace 5.0 result 2 = [Compacted: Read a.cpp — later read again (r3) · r2]\n");
  const auto after = tern::apply(before, edits);
  CHECK(check(after).empty());
  CHECK(check_edit(before, after).empty());
  CHECK(superseded(after, {}).empty());
}

TEST_CASE("similarity is the share of common runs of words") {
  CHECK(similarity("a b c d e", "a b c d e") == 1.0);
  CHECK(similarity("a  b\nc d e", "a b c d e") == 1.0);
  CHECK(similarity("a b c d e", "v w x y z") == 0.0);
  CHECK(similarity("", "") == 1.0);
  CHECK(similarity("a", "") == 0.0);
  CHECK(similarity("one", "one") == 1.0);
  const auto half = similarity("a b c d e f", "a b c d x y");
  CHECK(half > 0.2);
  CHECK(half < 0.5);
}
