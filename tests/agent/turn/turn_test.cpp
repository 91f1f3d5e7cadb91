#include "agent/turn/turn.h"

#include <catch2/catch_test_macros.hpp>

#include "agent/models/redact.h"
#include "agent/store/sqlite.h"
#include "agent/turn/reply.h"
#include "tests/agent/turn/turn_rig.h"

using namespace tern;
using test::call;
using test::Rig;
using How = TurnEnded::How;

namespace {

const ToolResult& result_of(const Conversation& conversation, const std::string& call_id) {
  for (const auto& item : conversation.items)
    for (const auto& block : item->blocks)
      if (const auto* result = std::get_if<ToolResult>(&block); result && result->call_id == call_id)
        return *result;
  throw std::runtime_error("no result for " + call_id);
}

std::string last_text(const Conversation& conversation) {
  for (const auto& block : conversation.items.back()->blocks)
    if (const auto* text = std::get_if<Text>(&block)) return text->text;
  return {};
}

}  // namespace

TEST_CASE("a plain answer ends the turn") {
  Rig rig;
  rig.script.then(test::says("hello", {100, 5}));
  const auto end = rig.turn("hi");
  CHECK(end.how == How::done);
  CHECK(end.exit_code == 0);
  CHECK(rig.context.conversation.items.size() == 2);
  CHECK(last_text(rig.context.conversation) == "hello");
  CHECK(rig.seen<TurnStarted>().size() == 1);
  CHECK(rig.seen<ItemAdded>().size() == 2);
}

TEST_CASE("calls are answered and the loop goes on") {
  Rig rig;
  rig.write("a.txt", "one\ntwo\n");
  const auto path = (rig.root / "a.txt").string();
  rig.script.then(test::calls({call("c1", "Read", R"({"file_path":")" + path + R"("})")}, "looking"))
      .then(test::says("done"));
  CHECK(rig.turn("read it").how == How::done);
  CHECK(result_of(rig.context.conversation, "c1").text.find("two") != std::string::npos);
  CHECK(result_of(rig.context.conversation, "c1").recall);
  CHECK(rig.bad_request().empty());
  CHECK(rig.script.requests().size() == 2);
}

TEST_CASE("a wrong call gets a result that teaches") {
  Rig rig;
  rig.script
      .then(test::calls(
          {call("c1", "Frobnicate", "{}"), call("c2", "Read", "{\"file_path\":"), call("c3", "Read", "{}")}))
      .then(test::says("sorry"));
  CHECK(rig.turn("go").how == How::done);
  for (const auto* id : {"c1", "c2", "c3"}) CHECK(result_of(rig.context.conversation, id).is_error);
  CHECK(result_of(rig.context.conversation, "c1").text.find("Available: ") != std::string::npos);
  CHECK(result_of(rig.context.conversation, "c3").text.find("file_path") != std::string::npos);
  CHECK(rig.bad_request().empty());
}

TEST_CASE("the aliases models know are accepted") {
  Rig rig;
  rig.write("a.txt", "text\n");
  rig.script.then(test::calls({call("c1", "Read", R"({"path":")" + (rig.root / "a.txt").string() + R"("})")}))
      .then(test::says("ok"));
  rig.turn("go");
  CHECK_FALSE(result_of(rig.context.conversation, "c1").is_error);
}

TEST_CASE("the same call with the same result is told at the fifth time and ended at the eighth") {
  Rig rig;
  rig.write("a.txt", "text\n");
  const auto again = call("c", "Glob", R"({"pattern":"*.txt"})");
  int made = 0;
  rig.script.otherwise([&](const Request&) {
    auto one = again;
    one.id += std::to_string(++made);
    return test::calls({one});
  });
  const auto end = rig.turn("go");
  CHECK(end.how == How::failed);
  CHECK(made == LoopGuard::end_at);
  const auto taught = result_of(rig.context.conversation, "c6").text;
  INFO(taught);
  CHECK(taught.find("the same result 5 times in a row: ") != std::string::npos);
  CHECK(taught.find("a.txt") != std::string::npos);
  REQUIRE(rig.seen<Notice>().size() == 1);
  const auto notice = rig.seen<Notice>().front().text;
  INFO(notice);
  CHECK(notice.find("Stopped ") == 0);
  CHECK(notice.find(" *.txt: it ran 5 times with the same result: ") != std::string::npos);
  CHECK(notice.find("a.txt") != std::string::npos);
  INFO(end.error);
  CHECK(end.error.find(" *.txt was called 8 times with the same result: ") != std::string::npos);
  CHECK(end.error.find("a.txt") != std::string::npos);
  CHECK(end.error.find("Not run") == std::string::npos);
}

TEST_CASE("typed-ahead prompts steer the next request") {
  Rig rig;
  rig.script.then(test::says("first")).then(test::says("second"));
  rig.commands.push(Submit{"and also this", {}, When::steer});
  rig.commands.push(Submit{"later", {}, When::after});
  CHECK(rig.turn("go").how == How::done);
  CHECK(rig.script.requests().size() == 1);
  CHECK(last_text(rig.script.requests().front().conversation) == "and also this");
  const auto waiting = rig.inbox.next();
  REQUIRE(waiting);
  CHECK(std::get<Submit>(*waiting).text == "later");
}

TEST_CASE("a prompt that comes while the model answers is taken up before the turn ends") {
  Rig rig;
  auto first = test::says("first");
  first.before = [&](const Request&) { rig.commands.push(Submit{"wait, this too", {}, When::steer}); };
  rig.script.then(first).then(test::says("second"));
  CHECK(rig.turn("go").how == How::done);
  REQUIRE(rig.script.requests().size() == 2);
  CHECK(last_text(rig.script.requests().back().conversation) == "wait, this too");
}

TEST_CASE("an interrupted stream leaves a context that can be sent") {
  Rig rig;
  std::stop_source stop;
  auto reply = test::hangs("half an ans");
  reply.before = [&](const Request&) { stop.request_stop(); };
  rig.script.then(reply).then(test::says("later"));
  const auto end = rig.turn("go", stop.get_token());
  CHECK(end.how == How::interrupted);
  CHECK(end.exit_code == 130);
  CHECK(check(repair(rig.context.conversation)).empty());
  CHECK(rig.turn("again").how == How::done);
  CHECK(rig.bad_request().empty());
}

TEST_CASE("limits end the turn with their own exit code") {
  Rig rig;
  rig.agent.limits.max_requests = 2;
  int made = 0;
  rig.script.otherwise([&](const Request&) {
    const auto number = std::to_string(++made);
    return test::calls({call("c" + number, "Glob", R"({"pattern":"*.)" + number + R"("})")});
  });
  const auto end = rig.turn("go");
  CHECK(end.how == How::limit);
  CHECK(end.exit_code == 5);
  CHECK(made == 2);
}

TEST_CASE("a limit in dollars needs a price") {
  Rig rig;
  rig.agent.limits.cost.session = 1;
  const auto end = rig.turn("go");
  CHECK(end.how == TurnEnded::How::failed);
  CHECK(end.exit_code == 2);
  CHECK(end.error.find("test/model") != std::string::npos);
  CHECK(rig.script.requests().empty());
  rig.context.model.priced = true;
  rig.script.then(test::says("done"));
  CHECK(rig.turn("go").how == TurnEnded::How::done);
}

TEST_CASE("a thought without an answer is asked once for one") {
  const test::Reply thought{.events = {BlockDone{Thinking{"hm", "x:y"}}, Finished{StopReason::end}}};
  Rig rig;
  rig.script.then(thought).then(test::says("here it is"));
  CHECK(rig.turn("go").how == TurnEnded::How::done);
  CHECK(rig.script.requests().size() == 2);
  rig.script.then(thought).then(thought);
  const auto end = rig.turn("again");
  CHECK(end.how == TurnEnded::How::failed);
  CHECK(end.error.find("empty answer") != std::string::npos);
  CHECK(rig.bad_request().empty());
}

TEST_CASE("failures end with the exit code scripts know") {
  const auto code = [](Failure kind) {
    Rig rig;
    rig.script.otherwise([kind](const Request&) { return test::fails(kind, "it failed"); });
    return rig.turn("go").exit_code;
  };
  CHECK(code(Failure::auth) == 3);
  CHECK(code(Failure::network) == 4);
  CHECK(code(Failure::overloaded) == 4);
  CHECK(code(Failure::bad_request) == 1);
}

TEST_CASE("what needs a question is refused where nobody can be asked") {
  Rig rig;
  rig.hands.policy.mode = PermissionMode::ask;
  rig.script.then(test::calls({call("c1", "Bash", R"({"command":"touch made.txt"})")}))
      .then(test::says("could not"));
  const auto end = rig.turn("go");
  CHECK(end.how == How::done);
  CHECK(end.exit_code == 6);
  REQUIRE(rig.agent.denials.size() == 1);
  CHECK(rig.agent.denials.front().tool == "Bash");
  CHECK_FALSE(std::filesystem::exists(rig.root / "made.txt"));
}

TEST_CASE("a call that is refused, unknown or broken again and again ends the turn, too") {
  for (const auto& again : {call("c", "Bash", R"({"command":"touch made.txt"})"),
                            call("c", "Frobnicate", "{}"), call("c", "Read", "{\"file_path\":")}) {
    INFO(again.name);
    Rig rig;
    rig.hands.policy.mode = PermissionMode::ask;
    int made = 0;
    rig.script.otherwise([&](const Request&) {
      auto one = again;
      one.id += std::to_string(++made);
      return made > 50 ? test::says("enough") : test::calls({one});
    });
    CHECK(rig.turn("go").how == How::failed);
    CHECK(made == LoopGuard::end_at);
    CHECK(rig.agent.denials.size() <= static_cast<std::size_t>(LoopGuard::end_at));
  }
}

TEST_CASE("a long turn that meets the wall twice gets past it twice, when nobody says where the wall is") {
  Rig rig(60'000);
  int made = 0, refusals = 0;
  rig.script.otherwise([&](const Request& request) {
    if (count(request.conversation) > 9'000) return ++refusals, test::fails(Failure::overflow, "too large");
    const auto number = std::to_string(++made);
    if (made > 40) return test::says("done");
    std::string text;
    for (int line = 0; line < 80; ++line)
      text += "line " + std::to_string(line) + " of file " + number + " has some words in it\n";
    rig.write("f" + number + ".txt", text);
    return test::calls({call("c" + number, "Read",
                             R"({"file_path":")" + (rig.root / ("f" + number + ".txt")).string() + R"("})")});
  });
  rig.script.summaries([](const Request&) { return test::says("<summary>\n1. Request: go on\n</summary>"); });
  CHECK(rig.turn("go").how == How::done);
  CHECK(refusals >= 2);
  CHECK(rig.bad_request().empty());
}

TEST_CASE("what is shown is in the log, also when one transaction holds it") {
  const auto folder = test::fresh_folder();
  std::size_t missing = 0, seen = 0;
  {
    Rig rig(200'000, folder);
    rig.write("a.txt", "one\n");
    const auto path = (rig.root / "a.txt").string();
    rig.agent.emit = [&](const Event& event) {
      const auto* added = std::get_if<ItemAdded>(&event);
      if (!added) return;
      ++seen;
      const auto beside =
          Store::open({.folder = folder, .read_only = true});  // what another process would find now
      std::string why;
      missing += !beside->newest(why) || !beside->item(added->item->id);
    };
    rig.script
        .then(test::calls({call("c1", "Read", R"({"file_path":")" + path + R"("})"),
                           call("c2", "Glob", R"({"pattern":"*"})")}))
        .then(test::says("done"));
    CHECK(rig.turn("read").how == How::done);
  }
  CHECK(seen == 4);
  CHECK(missing == 0);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a person's no with a note goes to the model, without one it ends the turn") {
  Rig rig;
  rig.hands.policy.mode = PermissionMode::ask;
  rig.hands.may_ask = true;
  rig.commands.push(Answer{1, Verdict::no, "use the other folder"});
  rig.commands.push(Answer{2, Verdict::no, ""});
  rig.script.then(test::calls({call("c1", "Bash", R"({"command":"touch a"})")}))
      .then(test::calls({call("c2", "Bash", R"({"command":"touch b"})")}));
  CHECK(rig.turn("go").how == How::interrupted);
  CHECK(result_of(rig.context.conversation, "c1").text.find("use the other folder") != std::string::npos);
  CHECK(rig.script.left() == 0);
  CHECK(rig.seen<PermissionSettled>().size() == 2);
}

TEST_CASE("a refused length is compacted and asked once more, never the same request twice") {
  Rig rig(60'000);
  rig.write("big.txt", std::string(30'000, 'x') + "\n");
  std::vector<std::size_t> sizes;
  int refusals = 0;
  rig.script.otherwise([&](const Request& request) {
    sizes.push_back(request.conversation.items.size());
    const auto tokens = count(request.conversation);
    if (tokens > 20'000) {
      ++refusals;
      return test::fails(Failure::overflow, "prompt is too long", 20'000, tokens);
    }
    return test::says("ok " + std::string(6'000, 'w') + " " + std::to_string(sizes.size()));
  });
  rig.script.summaries([](const Request&) { return test::says("<summary>\n1. Request: go on\n</summary>"); });
  for (int i = 0; i < 12; ++i) {
    std::string words;
    for (int w = 0; w < 1'500; ++w) words += "word" + std::to_string(w * i) + ' ';
    const auto end = rig.turn(words);
    REQUIRE(end.how == How::done);
  }
  CHECK(refusals > 0);
  CHECK(rig.bad_request().empty());
}

TEST_CASE("a key that a person types reaches neither the store nor the model") {
  register_secret("the-key-in-use-1234");
  Rig rig;
  rig.script.then(test::says("ok"));
  rig.turn("my key is the-key-in-use-1234, use it");
  const auto request = rig.script.requests().back();
  CHECK(std::get<Text>(request.conversation.items.back()->blocks.front()).text ==
        "my key is [secret], use it");
  CHECK(rig.store->prompts().back() == "my key is [secret], use it");
}

TEST_CASE("a text that is whole is told before the call behind it has come") {
  test::ScriptedProvider script;
  script.then(test::calls({call("c1", "Glob", "{}")}, "what stands before the call"));
  std::string said, told;
  const std::function<void(Event)> emit = [&](const Event& event) {
    if (const auto* delta = std::get_if<Delta>(&event)) said += delta->text;
  };
  ask(script, Request{}, emit, {}, [&] { told = said; });
  CHECK(told == "what stands before the call");
  const auto folder = test::fresh_folder();
  const auto store = Store::open({.folder = folder});
  store->create({});
  store->partial(told, {}, false);
  Sqlite beside(folder / "tern.db", Sqlite::Mode::read);  // what is found when the process is killed here
  CHECK(beside.integer("SELECT count(*) FROM partials") == 1);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a test that is run again after each edit is no repeat, the same edit is") {
  Rig rig;
  const auto path = (rig.root / "a.txt").string();
  int made = 0;
  rig.script.otherwise([&](const Request&) {
    const auto n = std::to_string(++made);
    if (made > 30) return test::says("done");
    if (made % 2 == 0) return test::calls({call("t" + n, "Glob", R"({"pattern":"*.txt"})")});
    return test::calls(
        {call("w" + n, "Write", R"({"file_path":")" + path + R"(","content":")" + n + R"("})")});
  });
  CHECK(rig.turn("go").how == How::done);
  CHECK(result_of(rig.context.conversation, "t30").text.find("same result") == std::string::npos);
  rig.script.otherwise([&](const Request&) {
    return test::calls(
        {call("s" + std::to_string(++made), "Write", R"({"file_path":")" + path + R"(","content":"same"})")});
  });
  CHECK(rig.turn("again").how == How::failed);
}
