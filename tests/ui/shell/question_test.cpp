// The model's questions and its plan, as dialogs.
#include "tests/ui/world.h"

using namespace tern;

namespace {

QuestionAsked cache_question() {
  QuestionAsked asked;
  asked.id = 5;
  asked.text = "Which **cache** should the parser use?";
  asked.options = {
      {"LRU in memory", "fast, lost on restart"}, {"SQLite", "survives, one more dependency"}, {"None", ""}};
  return asked;
}

QuestionAsked plan_question() {
  QuestionAsked asked;
  asked.kind = QuestionAsked::Kind::plan;
  asked.id = 6;
  asked.text = "# Cache\n\n1. Add `src/cache.h`\n2. Test it\n";
  return asked;
}

void ask(World& world, const QuestionAsked& asked) {
  world.tell(TurnStarted{1});
  world.tell(asked);
  world.shell.now_ms += 2'000;
}

}  // namespace

TEST_CASE("a question offers its options and own words") {
  World world;
  world.meters(0.2);
  ask(world, cache_question());
  CHECK_GOLDEN("question_options", world.look(80, 24) + world.look(40, 12));
  world.type("2");
  const auto answers = world.sent<Answer>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].verdict == Verdict::yes);
  CHECK(answers[0].choice == 1);
  CHECK_FALSE(world.shell.approval.is_open());
}

TEST_CASE("own words are an answer, and none are not") {
  World world;
  ask(world, cache_question());
  world.press("tab");
  world.press("enter");
  CHECK(world.sent<Answer>().empty());
  world.type("redis");
  world.press("enter");
  const auto answers = world.sent<Answer>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].verdict == Verdict::yes);
  CHECK(answers[0].choice == 3);
  CHECK(answers[0].note == "redis");
}

TEST_CASE("a plan is carried out, sent back with a reason, or changed in an editor") {
  World world;
  world.meters(0.2);
  ask(world, plan_question());
  CHECK_GOLDEN("question_plan", world.look(80, 24) + world.look(40, 12));
  world.type("e");
  CHECK(world.shell.edit_plan);
  world.shell.approval.set_text("# Cache\n\n1. Only one step\n");
  CHECK(world.look(80, 24).find("Only one step") != std::string::npos);
  world.type("a");
  auto answers = world.sent<Answer>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].choice == 1);
  CHECK(answers[0].note.find("Only one step") != std::string::npos);

  ask(world, plan_question());
  world.type("n");
  world.type("test first");
  world.press("enter");
  answers = world.sent<Answer>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].verdict == Verdict::no);
  CHECK(answers[0].note == "test first");
}

TEST_CASE("the clock of the turn stands while a question waits") {
  World world;
  ask(world, cache_question());
  CHECK(world.shell.view.asked_ms >= 0);
  world.press("escape");
  CHECK(world.shell.view.asked_ms < 0);
  const auto answers = world.sent<Answer>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].verdict == Verdict::no);
}

TEST_CASE("the plan that was agreed on stays in the transcript") {
  World world;
  world.tool("ExitPlanMode", "", "approved", "The user approved the plan.", false,
             "1. Add **a cache**\n2. Test it\n");
  const std::string screen = world.look(80, 24);
  INFO(screen);
  CHECK(screen.find("Add a cache") != screen.npos);
  CHECK(screen.find("The user approved") == screen.npos);
}
