#include "compression/reading/fold_lines.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {

const char* const fold_world = R"(
  user Look
  call 1 Read /home/me/project/src/a.cpp
  result 1 = int firstThing();\nnothing here\nint secondThing();
  call 2 Read /home/me/project/src/b.cpp
  result 2 = int thirdThing();
  assistant I saw firstThing
  call 3 Read /home/me/project/src/a.cpp
  result 3 = int firstThing();\nnothing here\nint secondThing();
)";

std::string folded(std::size_t first, std::size_t last, bool keep_all, const std::string& directory = {},
                   bool explain = true) {
  const auto conversation = script(fold_world);
  const auto s = survey(conversation);
  std::vector<char> kept(s.lines.size(), 0);
  for (std::size_t l = 0; l < kept.size(); ++l)
    kept[l] = keep_all && !s.lines[l].frame && s.lines[l].first != s.lines[l].last;
  return fold_text({conversation.items, s, kept, directory}, first, last, explain);
}

}  // namespace

TEST_CASE("whole rounds fold, with their results") {
  const auto items = script(fold_world).items;
  CHECK(foldable(items, 0) == 0);
  CHECK(foldable(items, 1) == 2);
  CHECK(foldable(items, 5) == 2);
  const auto alone = script("user a\nassistant b\nuser c").items;
  CHECK(foldable(alone, 1) == 1);
  CHECK(foldable(script("user a\ncall 1 Read x\nresult 1 = y\npin").items, 1) == 0);
}

TEST_CASE("rows are grouped by subject with their ids") {
  const auto text = folded(1, 6, false);
  CHECK(
      text.starts_with("[Earlier work: 6 messages, by subject, with lines quoted from them; recall an id for "
                       "the original]\n"));
  CHECK(text.find("/home/me/project/src/a.cpp · Read r1 r3") != std::string::npos);
}

TEST_CASE("kept lines stand under their subject") {
  const auto text = folded(1, 2, true);
  CHECK(text.find("a.cpp · Read r1\n  int firstThing();\n  int secondThing();") != std::string::npos);
}

TEST_CASE("a common directory is named once") {
  const auto items = script(fold_world).items;
  const auto directory = common_directory(items);
  CHECK(directory == "/home/me/project/src/");
  const auto text = folded(1, 4, false, directory);
  CHECK(text.find("Paths are under /home/me/project/src/]") != std::string::npos);
  CHECK(text.find("\na.cpp · Read r1") != std::string::npos);
  CHECK(folded(1, 4, false, directory, false).starts_with("[Earlier work: 4 messages]\n"));
}
