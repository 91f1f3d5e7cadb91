// The model asks: a question, and the plan that ends plan mode. Through a session, with a scripted server.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>

#include "agent/store/store.h"
#include "app/session/session.h"
#include "tests/support/fake_llm.h"
#include "tests/support/temp_dir.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

// One prompt; each question gets the next of `answers`.
struct AskedSession {
  test::TempDir dir;
  fs::path project = dir.path() / "project";
  Mailbox<Command> commands;
  std::vector<QuestionAsked> asked;
  std::vector<Answer> answers;
  PermissionMode mode_at_end = PermissionMode::ask;
  std::vector<PinRecord> pins;
  std::string last_request;

  void run(const std::string& scenario, std::vector<std::string> prompts,
           PermissionMode mode = PermissionMode::plan, bool may_ask = true) {
    fs::create_directories(project);
    const test::FakeLlm server(scenario);
    SessionSetup setup;
    setup.cwd = project;
    setup.home = dir.path();
    setup.trusted = {dir.path()};
    setup.model = "anthropic/claude-sonnet-4-5";
    setup.mode = mode;
    setup.may_ask = may_ask;
    setup.live = false;
    setup.env = [&](const std::string& name) {
      return name == "ANTHROPIC_API_KEY" ? "k" : name == "ANTHROPIC_BASE_URL" ? server.url() : std::string();
    };
    Session session(std::move(setup), commands, [&](Event event) {
      const auto* question = std::get_if<QuestionAsked>(&event);
      if (!question) return;
      asked.push_back(*question);
      REQUIRE_FALSE(answers.empty());
      Answer answer = answers.front();
      answers.erase(answers.begin());
      answer.id = question->id;
      commands.push(answer);
    });
    REQUIRE(session.open());
    for (std::string& prompt : prompts) session.once(Submit{std::move(prompt), {}, When::steer});
    mode_at_end = session.mode();
    pins = session.store().pins();
    last_request = server.requests().back().body;
    CHECK(server.shape_problems().empty());
  }
  std::string plan_file() const {
    std::ifstream file(project / ".compression/plan.md");
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

constexpr const char* plan_scenario =
    R"({"replies": [{"calls": [{"name": "ExitPlanMode", "arguments": {"plan": "1. Add a cache\n2. Test it"}}]}, {"text": "done"}],
        "default": {"text": "ok"}})";

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("an approved plan ends plan mode, is kept and is pinned") {
  AskedSession world;
  world.answers = {{.verdict = Verdict::yes, .choice = 1}};
  world.run(plan_scenario, {"plan it"});
  REQUIRE(world.asked.size() == 1);
  CHECK(world.asked[0].kind == QuestionAsked::Kind::plan);
  CHECK(world.mode_at_end == PermissionMode::accept_edits);
  CHECK(world.plan_file() == "1. Add a cache\n2. Test it");
  REQUIRE(world.pins.size() == 1);
  CHECK(holds(world.pins[0].what, "plan.md"));
  CHECK(holds(world.last_request, "The user approved the plan"));
  CHECK(holds(world.last_request, "Pinned by the user: file .compression/plan.md"));
}

TEST_CASE("after an approval the model is not told of the mode again") {
  AskedSession world;
  world.answers = {{.verdict = Verdict::yes}};
  world.run(plan_scenario, {"plan it", "and now"});
  CHECK(world.mode_at_end == PermissionMode::ask);
  CHECK_FALSE(holds(world.last_request, "Plan mode is off: the plan may"));
}

TEST_CASE("the user's version of a plan is the one that is followed") {
  AskedSession world;
  world.answers = {{.verdict = Verdict::yes, .note = "1. Only the cache"}};
  world.run(plan_scenario, {"plan it"});
  CHECK(world.plan_file() == "1. Only the cache");
  CHECK(holds(world.last_request, "follow this version"));
}

TEST_CASE("a plan that is sent back leaves plan mode on") {
  AskedSession world;
  world.answers = {{.verdict = Verdict::no, .note = "test first"}};
  world.run(plan_scenario, {"plan it"});
  CHECK(world.mode_at_end == PermissionMode::plan);
  CHECK(world.pins.empty());
  CHECK(world.plan_file().empty());
  CHECK(holds(world.last_request, "They said: test first"));
}

TEST_CASE("a plan is unpinned when all of its tasks are done, or another one is made") {
  AskedSession world;
  world.answers = {{.verdict = Verdict::yes}};
  world.run(R"({"replies": [{"calls": [{"name": "ExitPlanMode", "arguments": {"plan": "1. Add a cache"}}]},
                {"calls": [{"name": "TodoWrite", "arguments": {"todos": [{"content": "a", "status": "completed"}]}}]},
                {"text": "done"}]})",
            {"plan it"});
  CHECK(world.pins.empty());
}

TEST_CASE("the model hears what the user chose, or their own words") {
  constexpr const char* scenario =
      R"({"replies": [{"calls": [{"name": "AskUser", "arguments": {"question": "Tabs?", "options": [{"label": "tabs"}, {"label": "blanks"}]}}]},
                      {"calls": [{"name": "AskUser", "arguments": {"question": "How many?"}}]}, {"text": "done"}]})";
  AskedSession world;
  world.answers = {{.verdict = Verdict::yes, .choice = 1}, {.verdict = Verdict::yes, .note = "four"}};
  world.run(scenario, {"ask me"}, PermissionMode::ask);
  REQUIRE(world.asked.size() == 2);
  CHECK(world.asked[0].options.size() == 2);
  CHECK(holds(world.last_request, "The user chose: blanks"));
  CHECK(holds(world.last_request, "The user answered: four"));
}

TEST_CASE("where nobody can answer the model is told so and goes on") {
  AskedSession world;
  world.run(
      R"({"replies": [{"calls": [{"name": "AskUser", "arguments": {"question": "Tabs?"}}]}, {"text": "done"}]})",
      {"ask me"}, PermissionMode::ask, false);
  CHECK(world.asked.empty());
  CHECK(holds(world.last_request, "Nobody can answer in this run"));
  CHECK_FALSE(holds(world.last_request, "\"name\":\"ExitPlanMode\""));
}
