#include "ui/parts/spoken_answer.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

TEST_CASE("y, yes and 1 are a yes, in any case") {
  PermissionAsked asked;
  asked.grants = {{"make", false}, {"make", true}};
  const DialogChoices choices = permission_choices(asked, std::nullopt);
  REQUIRE(choices.size() == 4);
  for (const char* yes : {"y", "Y", "yes", "YES", "1"}) CHECK(choice_of(yes, choices) == 0);
  for (const char* always : {"a", "always", "2"}) CHECK(choice_of(always, choices) == 1);
  CHECK(choices[1].text.ends_with("make (this session)"));
  CHECK(choices[*choice_of("3", choices)].text.ends_with("make (this project)"));
  for (const char* no : {"n", "No", "4"}) CHECK(choice_of(no, choices) == 3);
  for (const char* nothing : {"perhaps", "", "5", "0"}) CHECK_FALSE(choice_of(nothing, choices));
}

TEST_CASE("nobody says always where it is not offered") {
  const DialogChoices choices = permission_choices({}, std::nullopt);
  CHECK(choice_of("2", choices) == 1);
  CHECK(choices[1].verdict == Verdict::no);
  CHECK_FALSE(choice_of("always", choices));
}

TEST_CASE("what may be a yes is asked for again, a sentence is the reason of a no") {
  for (const char* unclear :
       {"ok", "sure", "yep", "yes please", "ok, go on", "allow it", "7", "mayb", "/cost limit turn 5"}) {
    INFO(unclear);
    CHECK(is_unclear(unclear));
  }
  for (const char* reason : {"call it b.txt instead", "use tabs", "not in this folder"}) {
    INFO(reason);
    CHECK_FALSE(is_unclear(reason));
  }
}
