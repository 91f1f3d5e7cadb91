// Task: a helper with a conversation of its own. What it may use, what comes back, what it costs, and how it
// ends.
#include <catch2/catch_test_macros.hpp>
#include <condition_variable>
#include <mutex>

#include "agent/helpers/helper_desk.h"
#include "tests/agent/turn/turn_rig.h"
#include "tests/support/store_folder.h"

using namespace tern;
using test::call;
using test::calls;
using test::Rig;
using test::says;

namespace {

AgentFile agent_of(std::string name, std::vector<std::string> tools) {
  AgentFile agent;
  agent.name = std::move(name);
  agent.description = "Does " + agent.name;
  agent.body = "You love " + agent.name + ".";
  agent.tools = std::move(tools);
  return agent;
}

struct TaskRig {
  explicit TaskRig(std::vector<AgentFile> agents = {}, Tokens most = 60'000) : rig(200'000, folder.path) {
    HelperSetup setup{.parent = [this]() -> Agent& { return rig.agent; },
                      .inbox = rig.inbox,
                      .models = rig.models,
                      .connect = [this](const ModelInfo&) { return rig.connect(); },
                      .store = {.folder = folder.path},
                      .next_question = [this] { return ++questions; }};
    setup.agents.agents = std::move(agents);
    setup.most = most;
    desk = std::make_unique<HelperDesk>(std::move(setup));
    rig.hands.offered.add(desk->tool());
    rig.context.model.priced = true;
    rig.context.model.input = 100;
    rig.script.otherwise(
        [this](const Request& request) { return is_helpers(request) ? helper(request) : parent(request); });
  }

  static bool is_helpers(const Request& request) {
    return request.system.find("You are a helper") != std::string::npos;
  }
  static std::size_t answers(const Request& request) {
    std::size_t n = 0;
    for (const auto& item : request.conversation.items) n += item->role == Role::assistant;
    return n;
  }
  test::Reply parent(const Request& request) {
    return answers(request) == 0 ? calls(asked) : says("Thanks.");
  }

  ToolResult result(const std::string& id = "t1") const {
    for (const auto& item : rig.context.conversation.items)
      for (const auto& block : item->blocks)
        if (const auto* one = std::get_if<ToolResult>(&block); one && one->call_id == id) return *one;
    return {};
  }
  std::vector<Request> helpers_requests() const {
    auto requests = rig.script.requests();
    std::erase_if(requests, [](const Request& request) { return !is_helpers(request); });
    return requests;
  }
  std::string last_result(const Request& request) const {
    for (auto item = request.conversation.items.rbegin(); item != request.conversation.items.rend(); ++item)
      for (const auto& block : (*item)->blocks)
        if (const auto* one = std::get_if<ToolResult>(&block)) return one->text;
    return {};
  }

  test::StoreFolder folder;
  Rig rig;
  std::uint64_t questions = 1'000;
  std::unique_ptr<HelperDesk> desk;
  std::vector<ToolCall> asked = {
      call("t1", "Task", R"({"description":"find it","prompt":"Find the needle."})")};
  std::function<test::Reply(const Request&)> helper = [](const Request&) { return says("Nothing found."); };
};

bool offers(const Request& request, std::string_view name) {
  for (const auto& tool : request.tools)
    if (tool.name == name) return true;
  return false;
}

// All of so many threads have come this far.
class Meeting {
 public:
  explicit Meeting(int n) : missing_(n) {}
  void arrive() {
    std::unique_lock lock(mutex_);
    if (--missing_ <= 0) all_here_.notify_all();
    all_here_.wait(lock, [this] { return missing_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int missing_;
};

}  // namespace

TEST_CASE("a helper looks around on its own, and its parent gets the report and the bill") {
  TaskRig world;
  world.rig.write("hay.txt", "hay\nneedle\n");
  world.helper = [](const Request& request) {
    if (TaskRig::answers(request) == 0)
      return calls({call("h1", "Grep", R"({"pattern":"needle"})")}, {}, {.input = 10'000});
    return says("The needle is in hay.txt:2.", {.input = 10'000});
  };
  CHECK(world.rig.turn("find the needle").how == TurnEnded::How::done);
  const auto result = world.result();
  CHECK(result.text.find("The needle is in hay.txt:2.") != std::string::npos);
  CHECK_FALSE(result.is_error);
  const auto requests = world.helpers_requests();
  REQUIRE(requests.size() == 2);
  CHECK(world.last_result(requests[1]).find("hay.txt") != std::string::npos);
  for (const char* name : {"Read", "Grep", "Glob", "Recall"}) CHECK(offers(requests[0], name));
  for (const char* name : {"Task", "Edit", "Write", "Bash", "TodoWrite", "AskUser", "context_compress"})
    CHECK_FALSE(offers(requests[0], name));
  CHECK(requests[0].conversation.items.size() == 1);

  CHECK(world.rig.context.gauges.dollars() > 1.9);
  CHECK(world.rig.store->usage_for("helper").requests == 2);
  CHECK(world.rig.store->usage_for("helper").input == 20'000);
  const auto totals = HelperDesk::totals(*world.rig.store);
  CHECK(totals.runs == 1);
  CHECK(totals.explored > totals.kept / 2);
  const auto finished = world.rig.seen<ToolFinished>();
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].note.find("explored ") == 0);
  std::string told;
  for (const auto& progress : world.rig.seen<ToolProgress>()) told += progress.tail;
  CHECK(told.find(" of 60k · Grep \"needle\"") != std::string::npos);
}

TEST_CASE("a helper's session is kept and recalled, and in no list of sessions") {
  TaskRig world;
  world.rig.write("hay.txt", "hay\nneedle\n");
  world.helper = [&](const Request& request) {
    if (TaskRig::answers(request) == 0) return calls({call("h1", "Grep", R"({"pattern":"needle"})")});
    return says("It is there.");
  };
  world.rig.turn("find the needle");
  const auto hits = world.rig.store->search("It is there.");
  for (const auto& hit : hits) CHECK(hit.session == world.rig.store->session());
  REQUIRE(world.rig.store->sessions().size() == 1);
  CHECK(world.rig.store->prompts() == std::vector<std::string>{"find the needle"});
  std::string why;
  const auto other = world.folder.store();
  CHECK_FALSE(other->resume("find it", why));  // by its name
  bool kept = false;                           // what it saw has an id of the project
  for (std::uint32_t id = 1; id < 400 && !kept; ++id)
    kept = other->text({id}).value_or("").find("It is there.") == 0;
  CHECK(kept);
  CHECK(other->usage_total().requests == 0);
}

TEST_CASE("a long report is folded to 1,500 tokens, and its recall id brings back all of it") {
  TaskRig world;
  std::string report;
  for (int i = 0; i < 900; ++i) report += "src/file" + std::to_string(i) + ".cpp:12 calls the parser 中文\n";
  world.helper = [&](const Request&) { return says(report); };
  world.rig.turn("find the needle");
  const auto result = world.result();
  CHECK(estimate(result.text) <= 1'500);
  CHECK(result.form == ResultForm::snipped);
  CHECK(result.text.find(to_string(result.recall)) != std::string::npos);
  const auto whole = world.rig.store->text(result.recall).value_or("");
  CHECK(whole.find(report) != std::string::npos);
}

TEST_CASE("helpers of one message run at the same time, each with a connection of its own") {
  TaskRig world;
  world.asked.push_back(call("t2", "Task", R"({"description":"the other","prompt":"Find the thimble."})"));
  Meeting both(2);
  world.helper = [&](const Request& request) {
    auto reply = says("seen: " + std::get<Text>(request.conversation.items.front()->blocks.front()).text);
    reply.before = [&](const Request&) { both.arrive(); };
    return reply;
  };
  CHECK(world.rig.turn("find both").how == TurnEnded::How::done);
  CHECK(world.result("t1").text.find("seen: Find the needle.") != std::string::npos);
  CHECK(world.result("t2").text.find("seen: Find the thimble.") != std::string::npos);
  CHECK(HelperDesk::totals(*world.rig.store).runs == 2);
  CHECK(world.rig.store->usage_for("helper").requests == 2);
}

TEST_CASE("two helpers that are stopped end at once and say so") {
  TaskRig world;
  world.asked.push_back(call("t2", "Task", R"({"description":"the other","prompt":"Find the thimble."})"));
  std::stop_source user;
  Meeting both(2);
  world.helper = [&](const Request&) {
    auto reply = test::hangs("I am looking");
    reply.before = [&](const Request&) {
      both.arrive();
      user.request_stop();
    };
    return reply;
  };
  CHECK(world.rig.turn("find both", user.get_token()).how == TurnEnded::How::interrupted);
  for (const char* id : {"t1", "t2"}) {
    CHECK(world.result(id).is_error);
    CHECK(world.result(id).text.find("The user interrupted the helper") != std::string::npos);
  }
  CHECK(world.rig.bad_request() == "");
}

TEST_CASE("a helper that is cut short tells what it had looked at") {
  TaskRig world;
  world.rig.write("hay.txt", "hay\n");
  std::stop_source user;
  world.helper = [&](const Request& request) {
    if (TaskRig::answers(request) == 0) return calls({call("h1", "Read", R"({"file_path":"hay.txt"})")});
    auto reply = test::hangs();
    reply.before = [&](const Request&) { user.request_stop(); };
    return reply;
  };
  world.rig.turn("find it", user.get_token());
  CHECK(world.result().text.find("- Read hay.txt\n") != std::string::npos);
  const auto finished = world.rig.seen<ToolFinished>();
  REQUIRE(finished.size() == 1);
  CHECK(finished[0].text.find("[The user") == std::string::npos);  // that is for the model
  CHECK(finished[0].text.find("- Read hay.txt\n") != std::string::npos);
}

TEST_CASE("with a stop token that is cancelled already no helper starts") {
  TaskRig world;
  std::stop_source user;
  user.request_stop();
  world.rig.turn("find it", user.get_token());
  CHECK(world.helpers_requests().empty());
}

TEST_CASE("at its ceiling a helper is asked for its report, without tools") {
  TaskRig world;
  std::string hay;
  for (int i = 0; i < 900; ++i) hay += "straw number " + std::to_string(i) + " of the hay\n";
  world.rig.write("hay.txt", hay);
  world.asked = {call("t1", "Task", R"({"description":"find it","prompt":"Find it.","max_tokens":3000})")};
  world.helper = [&](const Request& request) {
    if (request.may_call_tools)
      return calls(
          {call("h" + std::to_string(TaskRig::answers(request)), "Read", R"({"file_path":"hay.txt"})")});
    return says("So far: only hay.");
  };
  CHECK(world.rig.turn("find the needle").how == TurnEnded::How::done);
  const auto text = world.result().text;
  INFO(text);
  CHECK(text.find("reached its limit of 3.0k tokens") != std::string::npos);
  CHECK(text.find("So far: only hay.") != std::string::npos);
  CHECK_FALSE(world.result().is_error);
  CHECK(world.helpers_requests().size() == 2);
}

TEST_CASE(
    "a round of many long results keeps to the ceiling: what does not fit is cut, and can be recalled") {
  TaskRig world;
  std::vector<ToolCall> reads;
  for (int file = 0; file < 8; ++file) {
    const auto name = "hay" + std::to_string(file) + ".txt";
    std::string hay;
    for (int i = 0; i < 300; ++i) hay += name + " has straw number " + std::to_string(i) + "\n";
    world.rig.write(name, hay);
    reads.push_back(call("h" + std::to_string(file), "Read", R"({"file_path":")" + name + "\"}"));
  }
  world.asked = {call("t1", "Task", R"({"description":"find it","prompt":"Find it.","max_tokens":6000})")};
  world.helper = [&](const Request& request) {
    return request.may_call_tools ? calls(reads) : says("So far: only hay.");
  };
  CHECK(world.rig.turn("find the needle").how == TurnEnded::How::done);
  const auto requests = world.helpers_requests();
  REQUIRE(requests.size() == 2);
  Tokens taken_in = 0;
  for (const auto& item : requests[1].conversation.items) taken_in += item->tokens;
  CHECK(taken_in > 5'000);
  CHECK(taken_in < 8'000);  // eight files are 20,000; each result still says what it is
  std::string last;
  for (const auto& item : requests[1].conversation.items)
    for (const auto& block : item->blocks)
      if (const auto* one = std::get_if<ToolResult>(&block)) last = one->text;
  INFO(last);
  CHECK(last.find("hay7.txt has straw number 0\n") != std::string::npos);
  CHECK(last.find("recall r") != std::string::npos);
}

TEST_CASE("a call may ask for less than the user allows, not for more") {
  TaskRig world({}, 3'000);
  world.rig.write("hay.txt", std::string(60, 'h') + "\n");
  world.asked = {call("t1", "Task", R"({"description":"x","prompt":"y","max_tokens":500000})"),
                 call("t2", "Task", R"({"description":"x","prompt":"y","max_tokens":2500})")};
  world.rig.turn("go");
  const auto requests = world.helpers_requests();
  REQUIRE(requests.size() == 2);
  const auto said = requests[0].system + requests[1].system;
  CHECK(said.find("About 3.0k tokens") != std::string::npos);
  CHECK(said.find("About 2.5k tokens") != std::string::npos);
}

TEST_CASE("a helper that calls on after its ceiling is ended") {
  TaskRig world;
  world.rig.write("hay.txt", std::string(40'000, 'h') + "\n");
  world.asked = {call("t1", "Task", R"({"description":"find it","prompt":"Find it.","max_tokens":2000})")};
  int n = 0;
  world.helper = [&](const Request&) {
    return calls({call("h" + std::to_string(++n), "Grep", R"({"pattern":"h","output_mode":"content"})")},
                 "I go on.");
  };
  CHECK(world.rig.turn("find the needle").how == TurnEnded::How::done);
  CHECK(world.helpers_requests().size() < 40);
  CHECK(world.result().is_error);
  CHECK(world.result().text.find("The helper failed") != std::string::npos);
}

TEST_CASE("an agent's file names its tools, and what nobody may give it is left out") {
  TaskRig world({agent_of("runner", {"Read", "Bash", "Task", "AskUser", "Nonsense"})});
  CHECK(world.desk->tool().description.find("runner (Does runner)") != std::string::npos);
  CHECK(world.desk->tool().basic);
  world.asked = {call("t1", "Task", R"({"description":"run","prompt":"Run it.","agent":"runner"})")};
  world.rig.turn("go");
  const auto requests = world.helpers_requests();
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].system.find("You love runner.") != std::string::npos);
  CHECK(offers(requests[0], "Bash"));
  CHECK_FALSE(offers(requests[0], "Grep"));
  CHECK_FALSE(offers(requests[0], "Task"));
  CHECK(world.result().text.find("did not get these tools: Task, AskUser, Nonsense") != std::string::npos);
}

TEST_CASE("an agent's model answers where there is a way to it, and the cell names it") {
  for (const bool reachable : {true, false}) {
    INFO(reachable);
    auto agent = agent_of("thinker", {});
    agent.model = reachable ? "anthropic/claude-opus-5-5" : "no such model";
    TaskRig world({agent});
    world.asked = {call("t1", "Task", R"({"description":"think","prompt":"Think.","agent":"thinker"})")};
    world.rig.turn("go");
    REQUIRE(world.helpers_requests().size() == 1);
    CHECK(world.helpers_requests()[0].model == (reachable ? "claude-opus-5-5" : "model"));
    const auto note = world.rig.seen<ToolFinished>().front().note;
    CHECK((note.find("claude-opus-5-5") != std::string::npos) == reachable);
    CHECK((world.result().text.find("cannot be used now: model answered") != std::string::npos) ==
          !reachable);
  }
}

TEST_CASE("what the session does not offer no agent gets, and a call names only among an agent's tools") {
  TaskRig world({agent_of("runner", {"Read", "Bash"})});
  world.rig.hands.offered.remove("Bash");
  world.asked = {
      call("t1", "Task", R"({"description":"run","prompt":"Run it.","agent":"runner","tools":"all"})"),
      call("t2", "Task", R"({"description":"run","prompt":"Run it.","agent":"runner","tools":"Edit"})")};
  world.rig.turn("go");
  for (const auto& request : world.helpers_requests()) {
    CHECK_FALSE(offers(request, "Bash"));
    CHECK_FALSE(offers(request, "Edit"));
  }
  CHECK(world.result("t1").text.find("did not get these tools: Bash") != std::string::npos);
}

TEST_CASE("a helper calls no helper") {
  TaskRig world;
  world.helper = [](const Request& request) {
    if (TaskRig::answers(request) == 0)
      return calls({call("h1", "Task", R"({"description":"x","prompt":"y"})")});
    return says("Alone then.");
  };
  world.rig.turn("find the needle");
  REQUIRE(world.helpers_requests().size() == 2);
  CHECK(world.last_result(world.helpers_requests()[1]).find("There is no tool named \"Task\"") == 0);
  CHECK(world.result().text.find("Alone then.") != std::string::npos);
}

TEST_CASE("permissions hold in a helper as they do outside") {
  const auto edits = [](const Request& request) {
    if (TaskRig::answers(request) == 0)
      return calls({call("h1", "Write", R"({"file_path":"new.txt","content":"made by a helper\n"})")});
    return says("Ready.");
  };
  for (const bool somebody : {false, true}) {
    INFO(somebody);
    TaskRig world({agent_of("writer", {"Write"})});
    world.rig.hands.policy.mode = PermissionMode::ask;
    world.rig.hands.may_ask = somebody;
    world.asked = {call("t1", "Task", R"({"description":"write","prompt":"Write it.","agent":"writer"})")};
    world.helper = edits;
    const auto keep = world.rig.emit;
    world.rig.agent.emit = [&](Event event) {
      if (const auto* question = std::get_if<PermissionAsked>(&event)) {
        CHECK(question->reason.find("a helper asks: ") == 0);
        world.rig.commands.push(Answer{question->id, Verdict::yes});
      }
      keep(std::move(event));
    };
    CHECK(world.rig.turn("go").how == TurnEnded::How::done);
    CHECK(std::filesystem::exists(world.rig.root / "new.txt") == somebody);
    CHECK(world.rig.seen<PermissionAsked>().size() == (somebody ? 1 : 0));
    CHECK(world.rig.journal.changes(0, UINT64_MAX).size() ==
          (somebody ? 1 : 0));  // so that /rewind brings it back
    if (somebody) CHECK(world.rig.journal.changes(0, UINT64_MAX).front().turn == world.rig.journal.turn());
  }
}

TEST_CASE("a no to a helper's call stops the turn, as a no outside does") {
  TaskRig world({agent_of("writer", {"Write"})});
  world.rig.hands.policy.mode = PermissionMode::ask;
  world.rig.hands.may_ask = true;
  world.asked = {call("t1", "Task", R"({"description":"write","prompt":"Write it.","agent":"writer"})")};
  world.helper = [](const Request&) {
    return calls({call("h1", "Write", R"({"file_path":"new.txt","content":"x"})")});
  };
  world.rig.agent.emit = [&](Event event) {
    if (const auto* question = std::get_if<PermissionAsked>(&event))
      world.rig.commands.push(Answer{question->id, Verdict::no});
  };
  CHECK(world.rig.turn("go").how == TurnEnded::How::interrupted);
  CHECK(world.result().text.find("[The user or a hook refused a call of the helper") == 0);
  CHECK(world.rig.agent.denials.size() == 1);
  CHECK(world.helpers_requests().size() == 1);
  CHECK_FALSE(std::filesystem::exists(world.rig.root / "new.txt"));
}

TEST_CASE("the hooks of a conversation hear the calls of its helpers") {
  for (const bool ends : {false, true}) {
    INFO(ends);
    TaskRig world({agent_of("writer", {"Write"})});
    std::vector<std::string> heard;
    world.rig.hands.hooks.heard = Hooks::bit(HookEvent::pre_tool_use) | Hooks::bit(HookEvent::stop);
    world.rig.hands.hooks.ask = [&](const HookCall& hook, std::stop_token) {
      if (hook.event == HookEvent::pre_tool_use) heard.push_back(hook.subject);
      HookAnswer answer;
      if (hook.subject != "Write") return answer;
      answer.word = HookWord::deny;
      answer.reason = "not on Fridays";
      answer.ends_turn = ends;
      answer.by = "guard.sh";
      return answer;
    };
    world.asked = {call("t1", "Task", R"({"description":"write","prompt":"Write it.","agent":"writer"})")};
    world.helper = [](const Request& request) {
      if (TaskRig::answers(request) == 0)
        return calls({call("h1", "Write", R"({"file_path":"new.txt","content":"x"})")});
      return says("It was refused.");
    };
    const auto end = world.rig.turn("go");
    CHECK(end.how == (ends ? TurnEnded::How::interrupted : TurnEnded::How::done));
    CHECK(heard == std::vector<std::string>{"Task", "Write"});
    CHECK_FALSE(std::filesystem::exists(world.rig.root / "new.txt"));
    if (!ends)
      CHECK(world.last_result(world.helpers_requests()[1]).find("not on Fridays") != std::string::npos);
    if (ends) CHECK(world.result().text.find("[The user or a hook refused a call") == 0);
    CHECK(world.rig.seen<Notice>().size() == (ends ? 1 : 0));  // which hook it was
  }
}

TEST_CASE("a model that fails ends its helper and nothing else") {
  TaskRig world;
  world.helper = [](const Request&) { return test::fails(Failure::auth, "The key was refused."); };
  CHECK(world.rig.turn("find the needle").how == TurnEnded::How::done);
  CHECK(world.result().is_error);
  CHECK(world.result().text.find("The helper failed: The key was refused.") != std::string::npos);
  CHECK(world.result().text.find("Do it yourself") != std::string::npos);
}

TEST_CASE("a call that cannot be meant is answered with what can") {
  TaskRig world({agent_of("explorer", {})});
  world.asked = {call("t1", "Task", R"({"description":"x","prompt":"y","agent":"explore"})"),
                 call("t2", "Task", R"({"description":"x","prompt":" "})")};
  world.rig.turn("go");
  CHECK(world.result("t1").text.find("There is: explorer (Does explorer)") != std::string::npos);
  CHECK(world.result("t2").text.find("The prompt is empty.") == 0);
  CHECK(world.helpers_requests().empty());
}

TEST_CASE("the kinds of helpers that other agents have built in mean a plain one") {
  TaskRig world({agent_of("explorer", {})});
  world.asked = {call("t1", "Task", R"({"description":"x","prompt":"y","subagent_type":"general-purpose"})")};
  world.rig.turn("go");
  CHECK_FALSE(world.result("t1").is_error);
  CHECK_FALSE(world.helpers_requests().empty());
}

TEST_CASE("the tiers work in a helper with its own window") {
  TaskRig world({}, 400'000);
  world.rig.context.window_override = 16'000;
  world.rig.script.summaries([](const Request&) { return says("<summary>It read straw.</summary>"); });
  std::string hay;
  for (int i = 0; i < 300; ++i)
    hay += "straw number " + std::to_string(i) + " of the hay, as long as any line\n";
  for (int i = 0; i < 12; ++i) world.rig.write("hay" + std::to_string(i) + ".txt", std::to_string(i) + hay);
  world.asked = {call("t1", "Task", R"({"description":"find it","prompt":"Find it."})")};
  world.helper = [&](const Request& request) {
    static thread_local int n = 0;
    if (n == 12) return says("Twelve stacks of hay.");
    const auto name = "hay" + std::to_string(n++) + ".txt";
    CHECK(check(request.conversation).empty());
    return calls({call("h" + std::to_string(n), "Read", R"({"file_path":")" + name + R"("})")});
  };
  CHECK(world.rig.turn("find the needle").how == TurnEnded::How::done);
  CHECK(world.result().text.find("Twelve stacks of hay.") != std::string::npos);
  std::string told;
  for (const auto& progress : world.rig.seen<ToolProgress>()) told += progress.tail;
  CHECK(told.find("compacted") != std::string::npos);
}
