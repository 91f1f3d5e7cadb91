#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <numeric>

#include "agent/protocol/shell_note.h"
#include "agent/store/day_account.h"
#include "tests/agent/turn/turn_rig.h"
#include "tests/support/temp_dir.h"

namespace tern {
namespace {

using test::call;
using test::Rig;
using How = TurnEnded::How;

// A dollar a thousand tokens of input, ten of output; what the cache reads is a tenth, what it writes a
// quarter more.
void price(Rig& rig) {
  auto& model = rig.context.model;
  model.priced = true;
  model.input = 1'000, model.output = 10'000, model.cache_read = 100, model.cache_write = 1'250;
}

TokenUsage thousand() { return {.input = 1'000}; }

// Each answer costs a dollar and calls a tool.
void works_on(Rig& rig, int answers) {
  for (int i = 0; i < answers; ++i) {
    const auto n = std::to_string(i);
    rig.script.then(test::calls({call("c" + n, "Glob", R"({"pattern":"*.)" + n + R"("})")}, {}, thousand()));
  }
}

std::string words_of(int n) {
  std::string words;
  for (int i = 0; i < n; ++i) words += "rule " + std::to_string(i) + " holds; ";
  return words;
}

double dollars_of(const std::vector<SourceSpend>& sources) {
  return std::accumulate(sources.begin(), sources.end(), 0.0,
                         [](double sum, const auto& one) { return sum + one.dollars; });
}

Tokens tokens_of(const std::vector<SourceSpend>& sources) {
  return std::accumulate(sources.begin(), sources.end(), Tokens(0),
                         [](Tokens sum, const auto& one) { return sum + one.tokens; });
}

const SourceSpend* find(const std::vector<SourceSpend>& sources, std::string_view name) {
  for (const auto& one : sources)
    if (one.source == name) return &one;
  return nullptr;
}

}  // namespace

TEST_CASE("a turn stops before the request that would pass its limit, and the next one goes on") {
  Rig rig;
  price(rig);
  rig.agent.limits.cost.turn = 2;
  works_on(rig, 4);
  const auto end = rig.turn("go");
  CHECK(end.how == How::limit);
  CHECK(end.by_cost);
  CHECK(end.exit_code == 5);
  CHECK(rig.script.requests().size() == 2);
  CHECK(end.error.find("this turn has cost $2.00") != std::string::npos);
  CHECK(end.error.find("/cost limit turn 4") != std::string::npos);
  CHECK(check(repair(rig.context.conversation)).empty());
  CHECK(rig.turn("go on").how == How::limit);
  CHECK(rig.script.requests().size() == 4);
  rig.script.then(test::says("done"));
  CHECK(rig.turn("go on").how == How::done);
}

TEST_CASE("a session's limit holds for every turn until it is raised") {
  Rig rig;
  price(rig);
  rig.agent.limits.cost.session = 2;
  works_on(rig, 2);
  CHECK(rig.turn("go").error.find("/cost limit session 4") != std::string::npos);
  CHECK(rig.turn("go on").how == How::limit);
  CHECK(rig.script.requests().size() == 2);
  rig.agent.limits.cost.session = 4;
  rig.script.then(test::says("done", thousand()));
  CHECK(rig.turn("go on").how == How::done);
}

TEST_CASE("a session that is taken up counts from where it stood, a run from nothing") {
  Rig rig;
  price(rig);
  rig.context.gauges.spent(5, true);
  rig.agent.spending.open(rig.context.gauges.dollars());
  rig.agent.limits.cost.run = 2;
  works_on(rig, 3);
  CHECK(rig.turn("go").how == How::limit);
  CHECK(rig.script.requests().size() == 2);
  rig.agent.limits.cost.run = 0;
  rig.agent.limits.cost.session = 7;
  CHECK(rig.turn("go").how == How::limit);
  CHECK(rig.script.requests().size() == 2);
}

TEST_CASE("a day is counted over all sessions of a user, and ends at midnight") {
  const test::TempDir folder;
  const auto file = folder.path() / "spent-today";
  const TimePoint noon{std::chrono::hours(24 * 20'000 + 12)};
  DayAccount one(file), other(file);
  CHECK(one.add(1.5, noon) == 1.5);
  CHECK(other.add(2, noon) == 3.5);
  CHECK(one.add(0, noon) == 3.5);
  CHECK(other.add(0.25, noon + std::chrono::hours(24)) == 0.25);
  std::ofstream(file) << "no account";
  CHECK(one.add(1, noon) == 1);
}

TEST_CASE("two sessions that spend side by side lose no cent of a day") {
  const test::TempDir folder;
  const auto file = folder.path() / "spent-today";
  const TimePoint noon{std::chrono::hours(24 * 20'000 + 12)};
  constexpr int each = 200;
  const auto spend = [&] {
    DayAccount account(file);
    for (int i = 0; i < each; ++i) account.add(0.01, noon);
  };
  std::thread beside(spend);
  spend();
  beside.join();
  CHECK(std::abs(DayAccount(file).add(0, noon) - 2 * each * 0.01) < 1e-6);
}

TEST_CASE("what other sessions spent today stops this one, too") {
  Rig rig;
  price(rig);
  double day = 9;
  rig.agent.spending.count_today = [&](double dollars) { return day += dollars; };
  rig.agent.limits.cost.day = 10;
  works_on(rig, 2);
  const auto end = rig.turn("go");
  CHECK(end.how == How::limit);
  CHECK(end.error.find("today has cost $10.00") != std::string::npos);
  CHECK(rig.script.requests().size() == 1);
  CHECK(day == 10);
}

TEST_CASE("a server on this machine has no price: no limit stops it, and that is said once") {
  Rig rig;
  rig.context.model.provider = "ollama";
  rig.context.model.priced = true;
  rig.agent.limits.cost.turn = 0.01;
  for (int i = 0; i < 2; ++i) {
    rig.script.then(test::says("done", thousand()));
    CHECK(rig.turn("go").how == How::done);
  }
  int said = 0;
  for (const auto& notice : rig.seen<Notice>())
    said += notice.text.find("ollama/model has no price") != std::string::npos;
  CHECK(said == 1);
}

TEST_CASE("a tool over its limit is called no more, and the turn goes on") {
  Rig rig;
  price(rig);
  rig.write("big.txt", words_of(400) + "\n");
  const auto read = [&](const char* id) {
    return call(id, "Read", R"({"file_path":")" + (rig.root / "big.txt").string() + R"("})");
  };
  rig.agent.limits.cost.sources["Read"] = 0.1;
  rig.hands.over_limit = [&](const Tool& tool) { return over_its_limit(rig.agent, tool); };
  rig.script.then(test::calls({read("c1")}, {}, thousand()))
      .then(test::calls({call("c2", "Glob", R"({"pattern":"*"})")}, {}, thousand()))
      .then(test::calls({read("c3"), call("c4", "Glob", R"({"pattern":"*.txt"})")}, {}, thousand()))
      .then(test::calls({read("c5")}, {}, thousand()))
      .then(test::says("done", thousand()));
  CHECK(rig.turn("go").how == How::done);
  const auto results = rig.seen<ToolFinished>();
  REQUIRE(results.size() == 5);
  CHECK_FALSE(results[0].is_error);
  CHECK(results[2].is_error);
  CHECK(results[2].text.find("Read has cost ") != std::string::npos);
  CHECK_FALSE(results[3].is_error);
  CHECK(results[4].is_error);
  int said = 0;
  for (const auto& notice : rig.seen<Notice>())
    said += notice.text.find("/cost limit Read") != std::string::npos;
  CHECK(said == 1);
}

TEST_CASE("what a request cost is divided by what its tokens were, and the parts sum to it") {
  Rig rig;
  price(rig);
  rig.context.tools = {{"Read", "reads a file", "{}"}, {"mcp__hub__issue", "an issue of the hub", "{}"}};
  rig.context.prompt.text =
      "You are a test. Be exact, answer briefly, and say what you did not check." + words_of(60);
  rig.context.prompt.memory = 50;
  rig.write("a.txt", "some words in a file\n");
  const TokenUsage first{.input = 100, .output = 20, .cache_write = 900};
  const TokenUsage second{.input = 77, .output = 33, .cache_read = 901, .cache_write = 57};
  rig.script
      .then(test::calls({call("c1", "Read", R"({"file_path":")" + (rig.root / "a.txt").string() + R"("})")},
                        "let me see", first))
      .then(test::says("done", second));
  CHECK(rig.turn("go").how == How::done);
  const auto sources = rig.store->spent_on();
  const auto total = rig.store->usage_total();
  CHECK(tokens_of(sources) == first.total_input() + first.output + second.total_input() + second.output);
  CHECK(std::abs(dollars_of(sources) - total.dollars) < 1e-9);
  CHECK(std::abs(dollars_of(sources) - rig.context.gauges.dollars()) < 1e-9);
  for (const char* name : {"system", "memory", "tools", "mcp__hub", "prompts", "Read", "answers", "output"}) {
    INFO(name);
    REQUIRE(find(sources, name));
    CHECK(find(sources, name)->dollars > 0);
  }
  CHECK(std::abs(find(sources, "output")->dollars - 0.53) < 1e-9);
}

TEST_CASE("what stands first is what the cache held, and costs as little") {
  ModelInfo model;
  model.input = 1'000, model.cache_read = 100, model.cache_write = 1'250;
  Request request;
  request.system = std::string(4'000, 's');
  Item said;
  said.blocks.push_back(Text{std::string(4'000, 's')});
  request.conversation.items.push_back(make_item(std::move(said)));
  const auto sources = divided(request, {}, {.input = 500, .cache_read = 500}, model);
  REQUIRE(find(sources, "system"));
  REQUIRE(find(sources, "prompts"));
  CHECK(std::abs(find(sources, "system")->dollars - 0.05) < 0.001);
  CHECK(std::abs(find(sources, "prompts")->dollars - 0.5) < 0.01);
}

TEST_CASE("what a person's own command said is told apart from skills and notices") {
  ModelInfo model;
  model.input = 1'000;
  Request request;
  for (const std::string& text : {shell_note("make", words_of(500)), std::string("a notice")}) {
    Item told;
    told.synthetic = true;
    told.blocks.push_back(Text{text});
    request.conversation.items.push_back(make_item(std::move(told)));
  }
  const auto sources = divided(request, {}, {.input = 1'000}, model);
  REQUIRE(find(sources, "commands"));
  REQUIRE(find(sources, "instructions"));
  CHECK(find(sources, "commands")->tokens > 900);
}

TEST_CASE("a try that broke off is paid for, and counted as a retry") {
  Rig rig;
  price(rig);
  auto reply = test::says("whole", thousand());
  reply.events.insert(reply.events.begin(),
                      {UsageReport{{.input = 700}}, TextDelta{"half"}, Retrying{"the connection broke"}});
  rig.script.then(reply);
  CHECK(rig.turn("go").how == How::done);
  const auto sources = rig.store->spent_on();
  REQUIRE(find(sources, "retries"));
  CHECK(find(sources, "retries")->tokens == 700);
  CHECK(std::abs(dollars_of(sources) - 1.7) < 1e-9);
  CHECK(std::abs(rig.context.gauges.dollars() - 1.7) < 1e-9);
}

TEST_CASE("summaries and helpers have names of their own in the account") {
  const auto store = Store::open({});
  store->create({"test", "/", "test/model"});
  store->add_usage({.purpose = "draft", .input = 5, .dollars = 0.5});
  store->add_usage({.purpose = "summary", .output = 6, .dollars = 0.25});
  store->add_usage({.purpose = "helper", .input = 7, .dollars = 1});
  const auto sources = store->spent_on();
  REQUIRE(sources.size() == 2);
  CHECK(sources[0].source == "summaries");
  CHECK(sources[0].tokens == 11);
  CHECK(sources[0].dollars == 0.75);
  CHECK(sources[1].source == "helpers");
  CHECK(spent_on_tool(sources, "Task") == 1);
}

TEST_CASE("the same error again and again ends the turn, whatever is called") {
  Rig rig;
  int made = 0;
  rig.script.otherwise([&](const Request&) {
    const auto n = std::to_string(++made);
    if (made > 50) return test::says("enough");
    return test::calls(
        {call("c" + n, "Edit", R"({"file_path":"gone.txt","old_string":"a)" + n + R"(","new_string":"b"})")});
  });
  const auto end = rig.turn("go");
  INFO(end.error);
  CHECK(end.how == How::failed);
  CHECK(made == LoopGuard::end_error_at);
  CHECK(end.error.find("Edit failed 12 times in a row with the same error: ") != std::string::npos);
  int told = 0;
  for (const auto& item : rig.context.conversation.items)
    for (const auto& block : item->blocks)
      if (const auto* text = std::get_if<Text>(&block))
        told += text->text.find("6 times in a row") != std::string::npos;
  CHECK(told == 1);
}

TEST_CASE("errors between which something was changed are work, not a loop") {
  Rig rig;
  int made = 0;
  rig.script.otherwise([&](const Request&) {
    const auto n = std::to_string(++made);
    if (made > 60) return test::says("enough");
    const auto edit = R"({"file_path":"gone.txt","old_string":"a)" + n + R"(","new_string":"b"})";
    if (made % 5 == 0)
      return test::calls({call("c" + n, "Write", R"({"file_path":"w)" + n + R"(.txt","content":"x"})")});
    return test::calls({call("c" + n, "Edit", edit)});
  });
  CHECK(rig.turn("go").how == How::done);
}

TEST_CASE("a turn that goes round in circles says what it called and what came back") {
  Rig rig;
  int made = 0;
  rig.script.otherwise([&](const Request&) {
    return test::calls({call("c" + std::to_string(++made), "Glob", R"({"pattern":"*.none"})")});
  });
  const auto end = rig.turn("go");
  INFO(end.error);
  CHECK(end.error.find("*.none") != std::string::npos);
  CHECK(end.error.find("8 times with the same result: ") != std::string::npos);
}

}  // namespace tern
