// The long play against the real compression core: every tier must be seen, in any order, and the play must
// end.
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "agent/models/demo.h"
#include "agent/models/models.h"
#include "compression/plan/plan.h"
#include "compression/reading/snip.h"
#include "compression/values/check.h"
#include "tests/support/provider_run.h"

using namespace tern;
using namespace tern::test;

namespace {

// What `seq -f FORMAT FIRST LAST` prints; a few lines for the other tools.
std::string output_of(const ToolCall& call) {
  const std::string command = nlohmann::json::parse(call.arguments).value("command", "");
  if (!command.starts_with("seq -f '")) return "README.md\nsrc/\n";
  const auto close = command.find('\'', 8);
  std::string format = command.substr(8, close - 8), out;
  long first = 0, last = 0;
  std::sscanf(command.c_str() + close + 1, "%ld %ld", &first, &last);
  const auto at = format.find("%03g");
  for (long n = first; n <= last; ++n)
    out += format.substr(0, at) + std::to_string(n) + format.substr(at + 4) + "\n";
  return out;
}

struct Play {
  Request request;
  Budget budget;
  ItemId next{2};
  std::set<Tier> seen;
  PlanState state;
  std::vector<std::string> calls = {};  // the tools called so far

  explicit Play(std::string_view prompt = demo_prompt()) {
    const ModelInfo model = Models().find("demo", "long");
    request = simple_request(std::string(prompt));
    request.window = model.window, request.max_output = model.reserve();
    for (int i = 0; i < 900; ++i) request.system += "word ";
    budget.window = request.window, budget.reserve = request.max_output;
    budget.fixed = demo::size_of(request) - count(request.conversation);
    state.now = TimePoint(std::chrono::seconds(1'000'000));
  }

  void apply_edits(Edits edits) {
    give_ids(edits, next);
    request.conversation = tern::apply(request.conversation, edits);
  }

  // Before each request, as the compactor does it.
  void compress() {
    const Plan due = plan(request.conversation, budget, state);
    if (due.tier != Tier::none) seen.insert(due.tier);
    apply_edits(due.edits);
    if (!due.ask) return;
    Request ask = request;
    ask.may_call_tools = false;
    ask.conversation = due.ask->source;
    ask.conversation.items.push_back(item(next.value++, Role::user, {Text{due.ask->instructions}}));
    auto answer = with_summary(*due.ask, demo::summarize(ask));
    if (auto* edits = std::get_if<Edits>(&answer)) return apply_edits(*edits);
    UNSCOPED_INFO("rejected: " << std::get<Rejected>(answer).why);
    seen.insert(Tier::none);
  }

  bool step() {
    compress();
    const demo::Step step = demo::play(request);
    std::vector<Block> blocks{Text{step.text}}, results;
    for (const ToolCall& call : step.calls) {
      blocks.push_back(call);
      calls.push_back(call.name);
      Item result;
      result.id = next, result.role = Role::user;
      result.blocks = {ToolResult{
          .call_id = call.id, .tool = call.name, .text = output_of(call), .subject = "x", .recall = {1}}};
      const Item snipped = snip(result, budget, {.share = usage(request.conversation, budget).share});
      if (std::get<ToolResult>(snipped.blocks[0]).form == ResultForm::snipped) seen.insert(Tier::snip);
      results.push_back(snipped.blocks[0]);
    }
    add(Role::assistant, std::move(blocks));
    if (!results.empty()) add(Role::user, std::move(results));
    return !step.calls.empty();
  }

  void add(Role role, std::vector<Block> blocks) {
    Item made;
    made.id = {next.value++}, made.role = role, made.when = state.now, made.blocks = std::move(blocks);
    request.conversation.items.push_back(make_item(std::move(made)));
  }
};

}  // namespace

TEST_CASE("the long play calls only what is offered") {
  Play play;
  for (const bool with_ls : {false, true}) {
    play.request.tools.clear();
    for (const char* name : {"Bash", "Read", "Grep"}) play.request.tools.push_back({name, "", "{}"});
    if (with_ls) play.request.tools.push_back({"LS", "", "{}"});
    const auto first = demo::play(play.request);
    REQUIRE(first.calls.size() == 1);
    CHECK(first.calls[0].name == (with_ls ? "LS" : "Bash"));
  }
}

TEST_CASE("the story begins with a repair and ends with what was decided, word for word") {
  Play play(demo_story().prompt);
  for (const char* name : {"Bash", "Read", "Grep", "Edit", "Recall"})
    play.request.tools.push_back({name, "", "{}"});
  while (play.calls.size() < 100 && play.step()) {}
  REQUIRE(play.calls.size() > 10);
  const std::vector<std::string> begin(play.calls.begin(), play.calls.begin() + 6);
  CHECK(begin == std::vector<std::string>{"Grep", "Read", "Read", "Bash", "Edit", "Bash"});
  CHECK(play.calls.back() == "Recall");
}

TEST_CASE("the long play shows every tier of the real compression and ends") {
  Play play;
  int steps = 0;
  while (steps < 100 && play.step()) {
    ++steps;
    REQUIRE(check(play.request.conversation).empty());
  }
  INFO("steps " << steps);
  CHECK(steps < 75);
  CHECK(play.seen.count(Tier::snip));
  CHECK(play.seen.count(Tier::micro));
  CHECK(play.seen.count(Tier::compact));
  CHECK(play.seen.count(Tier::truncate));
  CHECK(!play.seen.count(Tier::none));
}
