#include "compression/reading/line_choice.h"

#include <catch2/catch_test_macros.hpp>
#include <numeric>

#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {

std::string chosen(const Conversation& world, std::size_t part, Tokens room) {
  const auto s = survey(world);
  LineChoice choice(s);
  std::vector<std::uint32_t> lines(s.parts[part].last - s.parts[part].first);
  std::iota(lines.begin(), lines.end(), s.parts[part].first);
  choice.spend(std::move(lines), room);
  std::string out;
  for (auto l = s.parts[part].first; l < s.parts[part].last; ++l) {
    if (choice.kept()[l]) out += text_of(s, s.lines[l]);
  }
  return out;
}

}  // namespace

TEST_CASE("a name is worth keeping once, where it stands last") {
  const auto world = script(
      "user x\ncall 1 Bash y\nresult 1 = it calls parseConfig here\\nand again parseConfig now\\nthen "
      "loadFile came up\\n");
  CHECK(chosen(world, 2, 15) == "and again parseConfig now\nthen loadFile came up\n");
}

TEST_CASE("lines without names are not worth a token") {
  const auto world = script("user x\ncall 1 Bash y\nresult 1 = nothing to see\\nall is well\\n");
  CHECK(chosen(world, 2, 1000).empty());
}

TEST_CASE("what was written since is worth more than what was only seen") {
  NameUse seen{.kind = NameKind::ident, .results = 1, .age = 0.5f}, written = seen;
  written.said = 1;
  CHECK(need_of(written) > 2 * need_of(seen));
  NameUse lately = seen;
  lately.age = 0.1f;
  CHECK(need_of(lately) > need_of(seen));
}

TEST_CASE("no room, no lines") {
  const auto world = script("user x\ncall 1 Bash y\nresult 1 = parseConfig\\n");
  CHECK(chosen(world, 2, 0).empty());
}
