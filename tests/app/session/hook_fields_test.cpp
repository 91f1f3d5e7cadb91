// The fields of the events that only a longer session says: compactions, changes of model, questions. The
// handlers are played.
#include <catch2/catch_test_macros.hpp>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "app/session/session_hooks.h"
#include "tests/agent/turn/long_work.h"
#include "tests/support/readme_row.h"

using namespace tern;
using nlohmann::json;

namespace {

struct ToldSession {
  test::Rig rig{60'000};
  SessionSetup setup;
  std::mutex mutex;  // notifications come from a thread of their own
  std::vector<json> told;
  HookOutcome outcome;
  std::unique_ptr<SessionHooks> hooks;

  explicit ToldSession(const std::string& event) {
    setup.hooks = json{{event, {{{"hooks", {{{"command", "a"}}}}}}}}.dump();
    setup.env = [](const std::string&) { return std::string(); };
    SessionHooks::World world;
    world.hooks.now = rig.now;
    world.hooks.common = [] { return std::string("{}"); };
    world.hooks.run = [this](std::vector<HookJob> jobs, std::stop_token) {
      const std::lock_guard lock(mutex);
      for (const auto& job : jobs) told.push_back(json::parse(job.input));
      return std::vector<HookOutcome>(jobs.size(), outcome);
    };
    world.context = [] { return std::string("{}"); };
    hooks = std::make_unique<SessionHooks>(setup, rig.root, false, std::move(world));
    hooks->join(rig.hands, rig.compactor);
  }
};

std::set<std::string> fields_of(const json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

// The README's row has each of them.
void check_row(const json& told) {
  const std::string event = told["hook_event_name"];
  const auto fields = test::readme_fields(event);
  for (const auto& name : fields_of(told)) {
    INFO(event << " " << name);
    CHECK((name == "hook_event_name" || fields.count(name) == 1));
  }
}

}  // namespace

TEST_CASE("hook fields: PreCompact has the plan, and its answer is obeyed") {
  ToldSession session("PreCompact");
  test::with_summaries(session.rig);
  test::work(session.rig, 10);
  session.told.clear();
  session.outcome = {.status = 2, .out = {}, .err = "not now"};
  const auto before = session.rig.context.conversation.items;
  session.rig.compactor.compact(session.rig.context, Compact{.focus = "names"}, {});
  CHECK(session.rig.context.conversation.items == before);
  REQUIRE(session.told.size() == 1);
  const auto& told = session.told[0];
  CHECK(fields_of(told) ==
        std::set<std::string>{"hook_event_name", "trigger", "custom_instructions", "plan"});
  check_row(told);
  CHECK(told["trigger"] == "manual");
  CHECK(told["custom_instructions"] == "names");
  const auto& plan = told["plan"];
  CHECK(fields_of(plan) == std::set<std::string>{"tier", "before_tokens", "after_tokens", "why", "items"});
  REQUIRE_FALSE(plan["items"].empty());
  for (const auto& item : plan["items"])
    CHECK(fields_of(item) == std::set<std::string>{"id", "kind", "subject", "tokens", "reason"});
}

TEST_CASE("hook fields: PostCompact has what stayed and what can be recalled") {
  ToldSession session("PostCompact");
  test::with_summaries(session.rig);
  test::work(session.rig, 10);
  session.told.clear();
  session.rig.compactor.compact(session.rig.context, Compact{}, {});
  REQUIRE(session.told.size() == 1);
  CHECK(fields_of(session.told[0]) ==
        std::set<std::string>{"hook_event_name", "trigger", "compact_summary", "tier", "before_tokens",
                              "after_tokens", "summary_id", "kept", "lost_specifics", "recall_ids"});
  check_row(session.told[0]);
  CHECK(session.told[0]["recall_ids"].size() > 0);
}

TEST_CASE(
    "hook fields: a start after a compaction is a SessionStart of its own, whose words reach the model") {
  ToldSession session("SessionStart");
  test::with_summaries(session.rig);
  test::work(session.rig, 10);
  session.told.clear();
  session.outcome.out = "remember the build";
  session.rig.compactor.compact(session.rig.context, Compact{}, {});
  REQUIRE(session.told.size() == 1);
  CHECK(session.told[0]["source"] == "compact");
  const auto notes = session.rig.hands.notes.drain();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == "[A hook says at the start of the session:]\nremember the build");
}

TEST_CASE("hook fields: PreModelSwitch says from where to where, and may refuse") {
  ToldSession session("PreModelSwitch");
  CHECK(session.hooks->model_refused(session.rig.context, {"test", "other"}).empty());
  REQUIRE(session.told.size() == 1);
  auto names = fields_of(session.told[0]);
  names.erase("estimated_cache_write_usd");  // where the price is known
  CHECK(names == std::set<std::string>{"hook_event_name", "from_model", "to_model", "context_tokens",
                                       "prompt_cache_warm"});
  check_row(session.told[0]);
  CHECK(session.told[0]["from_model"] == "test/model");
  CHECK(session.told[0]["to_model"] == "test/other");
  session.outcome = {.status = 2, .out = {}, .err = "too dear"};
  CHECK(session.hooks->model_refused(session.rig.context, {"test", "other"})
            .ends_with("refused the change of model: too dear"));
}

TEST_CASE("hook fields: a question to the user is a notification") {
  ToldSession session("Notification");
  session.hooks->saw(PermissionAsked{.id = 1, .tool = "Bash", .title = "Run ls"});
  session.hooks.reset();  // joins what runs aside
  REQUIRE(session.told.size() == 1);
  check_row(session.told[0]);
  CHECK(session.told[0] == json{{"hook_event_name", "Notification"},
                                {"message", "tern needs your permission to use Bash"},
                                {"title", "Run ls"},
                                {"notification_type", "permission_prompt"}});
}
