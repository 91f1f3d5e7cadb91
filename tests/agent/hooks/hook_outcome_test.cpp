// The README's table of events, fields and answers, a row each: what a handler's end and its words mean.
#include "agent/hooks/hook_outcome.h"

#include <catch2/catch_test_macros.hpp>

using namespace tern;

namespace {

HookEntry entry_of(HookEvent event) {
  HookEntry entry;
  entry.event = event;
  entry.command = "guard.sh";
  return entry;
}

HookSaid said(HookEvent event, int status, std::string out, std::string err = {}) {
  return said_by(entry_of(event), {.status = status, .out = std::move(out), .err = std::move(err)});
}

HookAnswer answer(HookEvent event, const std::string& out) {
  const auto one = said(event, 0, out);
  CHECK(one.failure.empty());
  return one.answer;
}

std::string specific(HookEvent event, const std::string& fields) {
  return R"({"hookSpecificOutput":{"hookEventName":")" + std::string(to_string(event)) + "\"," + fields +
         "}}";
}

constexpr auto pre = HookEvent::pre_tool_use, post = HookEvent::post_tool_use,
               asks = HookEvent::permission_request;

}  // namespace

TEST_CASE("hooks: exit 2 blocks what can be blocked, with stderr as the reason") {
  for (const auto event : {pre, asks}) {
    const auto one = said(event, 2, "", "not here\n").answer;
    CHECK(one.word == HookWord::deny);
    CHECK(one.reason == "not here");
  }
  for (const auto event : {post, HookEvent::post_tool_use_failure, HookEvent::user_prompt_submit,
                           HookEvent::stop, HookEvent::pre_compact, HookEvent::pre_model_switch}) {
    const auto one = said(event, 2, "", "because");
    CHECK(one.answer.blocked);
    CHECK(one.answer.reason == "because");
    CHECK(one.failure.empty());
  }
  for (const auto event :
       {HookEvent::session_start, HookEvent::session_end, HookEvent::notification, HookEvent::post_compact}) {
    const auto one = said(event, 2, "", "because");
    CHECK_FALSE(one.answer.blocked);
    CHECK(one.failure == "exit code 2: because");
  }
}

TEST_CASE("hooks: another exit code is told to the user and changes nothing, unless onFailure says block") {
  const auto one = said(pre, 1, "", "no jq here");
  CHECK(one.failure == "exit code 1: no jq here");
  CHECK(one.answer.word == HookWord::none);
  CHECK_FALSE(one.answer.blocked);
  auto strict = entry_of(pre);
  strict.blocks_on_failure = true;
  CHECK(said_by(strict, {.status = 1, .out = {}, .err = "no jq here"}).answer.word == HookWord::deny);
  CHECK(said_by(strict, {.error = "it was ended after 0.2 s"}).answer.word == HookWord::deny);
  CHECK(said_by(strict, {.error = "gone", .stopped = true}).answer.word == HookWord::none);
}

TEST_CASE(
    "hooks: plain output is context for prompts and starts, instructions for a compaction, and nothing "
    "elsewhere") {
  CHECK(answer(HookEvent::user_prompt_submit, "today is Monday\n").context == "today is Monday");
  CHECK(answer(HookEvent::session_start, "today is Monday\n").context == "today is Monday");
  CHECK(answer(HookEvent::pre_compact, "keep the names\n").instructions == "keep the names");
  for (const auto event : {pre, post, HookEvent::stop, HookEvent::post_compact})
    CHECK(answer(event, "words").context.empty());
}

TEST_CASE("hooks: PreToolUse answers allow, deny, ask or defer, a changed input and context") {
  const auto word = [](const std::string& decision) {
    return answer(
        pre, specific(pre, R"("permissionDecision":")" + decision + R"(","permissionDecisionReason":"why")"));
  };
  CHECK(word("allow").word == HookWord::allow);
  CHECK(word("deny").word == HookWord::deny);
  CHECK(word("ask").word == HookWord::ask);
  CHECK(word("defer").word == HookWord::none);
  CHECK(word("deny").reason == "why");
  const auto changed =
      answer(pre, specific(pre, R"("updatedInput":{"command":"ls"},"additionalContext":"note")"));
  CHECK(changed.input == R"({"command":"ls"})");
  CHECK(changed.context == "note");
  CHECK(answer(pre, R"({"decision":"approve"})").word == HookWord::allow);  // the older form
  CHECK(answer(pre, R"({"decision":"block","reason":"why"})").word == HookWord::deny);
}

TEST_CASE("hooks: PermissionRequest answers with a behavior") {
  CHECK(answer(asks, specific(asks, R"("decision":{"behavior":"allow","updatedInput":{"command":"ls"}})"))
            .input == R"({"command":"ls"})");
  const std::string more = R"("updatedPermissions":[{"type":"setMode","mode":"plan"},7])";
  CHECK(answer(asks, specific(asks, R"("decision":{"behavior":"allow",)" + more + "}")).permissions ==
        std::vector<std::string>{R"({"mode":"plan","type":"setMode"})"});
  CHECK(answer(asks, specific(asks, R"("decision":{"behavior":"deny",)" + more + "}")).permissions.empty());
  const auto denied =
      answer(asks, specific(asks, R"("decision":{"behavior":"deny","message":"no","interrupt":true})"));
  CHECK(denied.word == HookWord::deny);
  CHECK(denied.reason == "no");
  CHECK(denied.interrupts);
}

TEST_CASE("hooks: PostToolUse may block with a reason, add context and change the output") {
  const auto blocked = answer(post, R"({"decision":"block","reason":"lint fails"})");
  CHECK(blocked.blocked);
  CHECK(blocked.reason == "lint fails");
  CHECK(answer(post, specific(post, R"("updatedToolOutput":"short")")).output == "short");
  CHECK(answer(post, specific(post, R"("updatedToolOutput":{"a":1})")).output == R"({"a":1})");
  CHECK(answer(post, specific(post, R"("additionalContext":"note")")).context == "note");
}

TEST_CASE("hooks: what other events may answer") {
  const auto start = HookEvent::session_start, compact = HookEvent::pre_compact;
  CHECK(answer(start, specific(start, R"("additionalContext":"note","sessionTitle":"T")")).title == "T");
  CHECK(answer(HookEvent::user_prompt_submit, R"({"decision":"block","reason":"no keys"})").reason ==
        "no keys");
  CHECK(answer(HookEvent::stop, R"({"decision":"block","reason":"tests first"})").blocked);
  const auto steered =
      answer(compact, specific(compact, R"("pin":["r17",4],"drop":["r3"],"instructions":"keep names")"));
  CHECK(steered.pin == std::vector<std::string>{"r17", "4"});
  CHECK(steered.drop == std::vector<std::string>{"r3"});
  CHECK(steered.instructions == "keep names");
}

TEST_CASE(
    "hooks: continue false ends the turn, systemMessage goes to the user, and JSON with exit 2 still "
    "blocks") {
  const auto one = said(pre, 0, R"({"continue":false,"stopReason":"enough","systemMessage":"hello"})");
  CHECK(one.answer.ends_turn);
  CHECK(one.answer.stop_reason == "enough");
  CHECK(one.message == "hello");
  const auto blocked = said(pre, 2, specific(pre, R"("permissionDecision":"allow")"), "no");
  CHECK(blocked.answer.word == HookWord::deny);
  CHECK(blocked.answer.reason == "no");
}

TEST_CASE("hooks: a hook that says it goes on by itself may answer after that") {
  CHECK(said(pre, 0, R"({"async":true,"asyncTimeout":180000})").failure.empty());
  const auto later =
      said(pre, 0, "{\"async\":true}\n" + specific(pre, R"("permissionDecision":"deny")") + "\n");
  CHECK(later.answer.word == HookWord::deny);
  CHECK(later.failure.empty());
  CHECK(said(HookEvent::session_start, 0, "{\"async\":true}\nthe build is make").answer.context ==
        "the build is make");
}

TEST_CASE("hooks: the list has each answer in one line") {
  CHECK(said(pre, 2, "", "no keys\nuse .env.sample").shown == "deny: no keys use .env.sample");
  CHECK(said(pre, 1, "", "no\njq").shown == "failed: exit code 1: no jq");
}

TEST_CASE("hooks: an answer for another event or of a broken form is said and not used") {
  const auto other = said(pre, 0, specific(post, R"("permissionDecision":"allow")"));
  CHECK(other.answer.word == HookWord::none);
  CHECK(other.failure == "its answer is for PostToolUse, not for PreToolUse");
  CHECK(said(pre, 0, "{broken").failure == "its output begins with { and is not a JSON object");
  CHECK(said(pre, 0, R"({"hookSpecificOutput":[1],"decision":7,"reason":{}})").answer.word == HookWord::none);
}

TEST_CASE("hooks: of several answers deny goes before ask before allow, with the reason of who said it") {
  HookAnswer all;
  join(all, {.word = HookWord::allow, .reason = "fine", .by = "a", .context = "one"});
  join(all, {.word = HookWord::deny, .reason = "bad", .by = "b"});
  join(all, {.word = HookWord::ask, .reason = "hm", .by = "c", .context = "two"});
  CHECK(all.word == HookWord::deny);
  CHECK(all.reason == "bad");
  CHECK(all.by == "b");
  CHECK(all.context == "one\n\ntwo");
}
