// Hooks around calls, prompts and the end of a turn, played by a function.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "agent/turn/hook_weight.h"
#include "agent/turn/turn_hooks.h"
#include "tests/agent/turn/turn_rig.h"

using namespace tern;
using nlohmann::json;
using test::call;
using test::Rig;
using test::says;

namespace {

struct PlayedHooks {
  std::map<HookEvent, HookAnswer> answers;
  std::vector<std::pair<HookEvent, json>> heard;

  void join(Rig& rig) {
    for (const auto& [event, answer] : answers) rig.hands.hooks.heard |= Hooks::bit(event);
    rig.hands.hooks.ask = [this](const HookCall& call, std::stop_token) {
      heard.emplace_back(call.event, json::parse(call.fields));
      return answers[call.event];
    };
  }
  std::size_t times(HookEvent event) const {
    std::size_t n = 0;
    for (const auto& [one, fields] : heard) n += one == event;
    return n;
  }
};

std::string result_of(const Rig& rig) {
  for (auto item = rig.context.conversation.items.rbegin(); item != rig.context.conversation.items.rend();
       ++item)
    for (const auto& block : (*item)->blocks)
      if (const auto* result = std::get_if<ToolResult>(&block)) return result->text;
  return {};
}

void one_call(Rig& rig, const std::string& tool, const std::string& arguments) {
  rig.script.then(test::calls({call("c1", tool, arguments)})).then(says("Done."));
}

}  // namespace

TEST_CASE("call hooks: a denied call does not run, and the model reads why") {
  Rig rig;
  PlayedHooks hooks;
  hooks.answers[HookEvent::pre_tool_use] = {
      .word = HookWord::deny, .reason = "not on Fridays\nnor today", .by = "guard"};
  hooks.join(rig);
  one_call(rig, "Write", R"({"file_path":"a.txt","content":"x"})");
  rig.turn("go");
  CHECK(result_of(rig) == "Denied by a hook: not on Fridays\nnor today");
  REQUIRE(rig.agent.denials.size() == 1);
  CHECK(rig.agent.denials[0].reason == "by the hook guard: not on Fridays");
  CHECK_FALSE(std::filesystem::exists(rig.root / "a.txt"));
  REQUIRE(hooks.heard.size() == 1);
  CHECK(hooks.heard[0].second ==
        json{{"tool_name", "Write"},
             {"tool_use_id", "c1"},
             {"tool_input", {{"file_path", (rig.root / "a.txt").string()}, {"content", "x"}}}});
}

TEST_CASE("call hooks: a changed input is what runs, and meets the rules like any other") {
  Rig rig;
  PlayedHooks hooks;
  hooks.answers[HookEvent::pre_tool_use].input = R"({"file_path":"b.txt","content":"y"})";
  hooks.join(rig);
  one_call(rig, "Write", R"({"file_path":"a.txt","content":"x"})");
  rig.turn("go");
  CHECK(std::filesystem::exists(rig.root / "b.txt"));
  CHECK_FALSE(std::filesystem::exists(rig.root / "a.txt"));
  CHECK(result_of(rig).find("[A hook says: the input was changed to ") != std::string::npos);

  hooks.answers[HookEvent::pre_tool_use] = {.word = HookWord::allow,
                                            .input = R"({"file_path":"c.txt","content":"y"})"};
  rig.hands.policy.rules.push_back({PermissionRule::Kind::deny, "Write", "c.txt", "test"});
  one_call(rig, "Write", R"({"file_path":"d.txt","content":"x"})");
  rig.turn("go");
  CHECK(result_of(rig).starts_with("Permission denied: "));
  CHECK_FALSE(std::filesystem::exists(rig.root / "c.txt"));

  hooks.answers[HookEvent::pre_tool_use] = {.input = R"({"nothing":1})"};
  one_call(rig, "Write", R"({"file_path":"d.txt","content":"x"})");
  rig.turn("go");
  CHECK(result_of(rig).starts_with("Not run: a hook changed its input to something Write does not take."));
}

TEST_CASE(
    "call hooks: allow answers a question, never a deny rule, never a question about something destructive") {
  Rig rig;
  rig.hands.policy.mode = PermissionMode::ask;
  PlayedHooks hooks;
  hooks.answers[HookEvent::pre_tool_use] = {.word = HookWord::allow, .by = "guard"};
  hooks.join(rig);
  one_call(rig, "Write", R"({"file_path":"a.txt","content":"x"})");
  rig.turn("go");
  CHECK(std::filesystem::exists(rig.root / "a.txt"));
  rig.hands.policy.rules.push_back({PermissionRule::Kind::deny, "Write", "", "test"});
  one_call(rig, "Write", R"({"file_path":"b.txt","content":"x"})");
  rig.turn("go");
  CHECK_FALSE(std::filesystem::exists(rig.root / "b.txt"));
  const Decision danger =
      Ask{.reason = "it deletes", .remember = {}, .grants = {}, .targets = {}, .danger = true};
  CHECK(std::holds_alternative<Ask>(weighed(danger, HookWord::allow, "", "guard")));
}

TEST_CASE("call hooks: ask is a floor, also where everything runs unasked") {
  Rig rig;
  PlayedHooks hooks;
  hooks.answers[HookEvent::pre_tool_use] = {.word = HookWord::ask, .reason = "sure?", .by = "guard"};
  hooks.join(rig);
  one_call(rig, "Write", R"({"file_path":"a.txt","content":"x"})");
  rig.turn("go");  // nobody can be asked
  CHECK_FALSE(std::filesystem::exists(rig.root / "a.txt"));
  REQUIRE(rig.agent.denials.size() == 1);
  CHECK(rig.agent.denials[0].reason == "the hook guard asks: sure?");
}

TEST_CASE("call hooks: a permission hook answers in the user's place") {
  Rig rig;
  rig.hands.policy.mode = PermissionMode::ask;
  PlayedHooks hooks;
  hooks.answers[HookEvent::permission_request] = {.word = HookWord::allow};
  hooks.join(rig);
  one_call(rig, "Write", R"({"file_path":"a.txt","content":"x"})");
  rig.turn("go");
  CHECK(std::filesystem::exists(rig.root / "a.txt"));
  hooks.answers[HookEvent::permission_request] = {.word = HookWord::deny, .reason = "no", .interrupts = true};
  one_call(rig, "Write", R"({"file_path":"b.txt","content":"x"})");
  const auto end = rig.turn("go");
  CHECK(end.how == TurnEnded::How::interrupted);
  CHECK(result_of(rig) == "Permission denied by a hook: no");
}

TEST_CASE(
    "call hooks: updatedPermissions add rules and a mode for this session, and never more than accept "
    "edits") {
  Rig rig;
  PlayedHooks hooks;
  hooks.answers[HookEvent::permission_request] = {
      .word = HookWord::allow,
      .by = "guard",
      .permissions = {
          R"({"type":"addRules","behavior":"allow","destination":"session","rules":[
                          {"toolName":"Write","ruleContent":"docs/**"},{"toolName":"Bash"},7]})",
          R"({"type":"addRules","behavior":"deny","rules":[{"toolName":"Write","ruleContent":"secret.txt"}]})",
          R"({"type":"addRules","behavior":"forbid","rules":[{"toolName":"Edit","ruleContent":"src/**"}]})",
          R"({"type":"setMode","mode":"bypassPermissions"})",
          R"({"type":"addDirectories","directories":["/"]})"}};
  hooks.join(rig);
  rig.hands.policy.mode = PermissionMode::ask;
  one_call(rig, "Write", R"({"file_path":"a.txt","content":"x"})");
  rig.turn("go");
  CHECK(std::filesystem::exists(rig.root / "a.txt"));
  one_call(rig, "Write", R"({"file_path":"docs/b.txt","content":"x"})");
  rig.turn("go");
  CHECK(hooks.times(HookEvent::permission_request) == 1);  // the rule answers now
  one_call(rig, "Write", R"({"file_path":"secret.txt","content":"x"})");
  rig.turn("go");
  CHECK_FALSE(std::filesystem::exists(rig.root / "secret.txt"));
  CHECK(rig.hands.policy.rules.size() == 2);  // not one for every command, nor one of an unknown kind
  CHECK(rig.hands.policy.mode == PermissionMode::ask);

  hooks.answers[HookEvent::permission_request].permissions = {R"({"type":"setMode","mode":"acceptEdits"})"};
  one_call(rig, "Write", R"({"file_path":"c.txt","content":"x"})");
  rig.turn("go");
  CHECK(rig.hands.policy.mode == PermissionMode::accept_edits);
}

TEST_CASE("call hooks: after a call its result may be changed, blocked with a reason and added to") {
  Rig rig;
  rig.write("a.txt", "hello\n");
  PlayedHooks hooks;
  hooks.answers[HookEvent::pre_tool_use].context = "before";
  hooks.answers[HookEvent::post_tool_use] = {
      .blocked = true, .reason = "lint fails", .output = "other", .context = "after"};
  hooks.answers[HookEvent::post_tool_use_failure].context = "failed";
  hooks.join(rig);
  one_call(rig, "Read", R"({"file_path":"a.txt"})");
  rig.turn("go");
  CHECK(result_of(rig) ==
        "other\n\n[A hook says: before]\n\n[A hook says: lint fails]\n\n[A hook says: after]");
  REQUIRE(hooks.heard.size() == 2);
  const auto& post = hooks.heard[1].second;
  CHECK(post["tool_response"]["success"] == true);
  CHECK(post["tool_response"]["filePath"] == (rig.root / "a.txt").string());
  CHECK(post["tool_response"]["content"].get<std::string>().find("hello") != std::string::npos);
  CHECK(post["duration_ms"].is_number());
  one_call(rig, "Read", R"({"file_path":"nope.txt"})");
  rig.turn("go");
  CHECK(result_of(rig).ends_with("[A hook says: failed]"));
  const auto& failed = hooks.heard.back().second;
  CHECK(failed["error"].get<std::string>().starts_with("File does not exist"));
  CHECK(failed["is_interrupt"] == false);
}

TEST_CASE("call hooks: continue false ends the turn; calls behind it are answered and not run") {
  Rig rig;
  PlayedHooks hooks;
  hooks.answers[HookEvent::pre_tool_use] = {.by = "guard", .ends_turn = true, .stop_reason = "enough"};
  hooks.join(rig);
  rig.script.then(test::calls({call("c1", "Write", R"({"file_path":"a.txt","content":"x"})"),
                               call("c2", "Write", R"({"file_path":"b.txt","content":"x"})")}));
  const auto end = rig.turn("go");
  CHECK(end.how == TurnEnded::How::interrupted);
  CHECK_FALSE(std::filesystem::exists(rig.root / "a.txt"));
  CHECK_FALSE(std::filesystem::exists(rig.root / "b.txt"));
  CHECK(check(rig.context.conversation).empty());
  CHECK(hooks.heard.size() == 1);
}

TEST_CASE("turn hooks: a refused prompt reaches neither log nor model; context follows one that passes") {
  Rig rig;
  PlayedHooks hooks;
  hooks.answers[HookEvent::user_prompt_submit] = {.blocked = true, .reason = "holds a key", .by = "guard"};
  hooks.join(rig);
  const auto end = rig.turn("my key is 1");
  CHECK(end.how == TurnEnded::How::failed);
  CHECK(end.error == "The hook guard refused the prompt: holds a key");
  CHECK(rig.context.conversation.items.empty());
  CHECK(rig.script.requests().empty());
  hooks.answers[HookEvent::user_prompt_submit] = {.context = "it is Monday"};
  rig.script.then(says("Done."));
  rig.turn("hello");
  const auto& items = rig.context.conversation.items;
  REQUIRE(items.size() == 3);
  CHECK(std::get<Text>(items[1]->blocks[0]).text == "[A hook adds to the prompt:]\nit is Monday");
}

TEST_CASE("turn hooks: a stop hook keeps the turn going, at most eight times") {
  Rig rig;
  PlayedHooks hooks;
  hooks.answers[HookEvent::stop] = {.blocked = true, .reason = "run the tests"};
  hooks.join(rig);
  rig.script.otherwise([](const Request&) { return says("Finished."); });
  const auto end = rig.turn("go");
  CHECK(end.how == TurnEnded::How::done);
  CHECK(hooks.times(HookEvent::stop) == StopHooks::most_blocks + 1);
  CHECK(hooks.heard[0].second["stop_hook_active"] == false);
  CHECK(hooks.heard[1].second["stop_hook_active"] == true);
  CHECK(hooks.heard[0].second["last_assistant_message"] == "Finished.");
  CHECK(rig.script.requests().size() == StopHooks::most_blocks + 1);
}

TEST_CASE("turn hooks: without hooks nothing is asked") {
  Rig rig;
  rig.hands.hooks.ask = [](const HookCall&, std::stop_token) -> HookAnswer {
    throw std::runtime_error("asked");
  };
  one_call(rig, "Write", R"({"file_path":"a.txt","content":"x"})");
  CHECK(rig.turn("go").how == TurnEnded::How::done);
}
