#include "agent/models/demo.h"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/models/models.h"
#include "agent/models/providers.h"
#include "tests/support/provider_run.h"

using namespace tern;
using namespace tern::test;

namespace {

Request demo_request(std::string text, std::string model = "demo") {
  Request request = simple_request(std::move(text));
  request.model = std::move(model);
  request.tools.clear();
  for (const char* name : {"Read", "Edit", "Write", "Bash", "Grep", "Glob", "LS"})
    request.tools.push_back({name, "", "{}"});
  return request;
}

std::string first_call(const std::string& prompt) {
  const auto step = demo::answer(demo_request(prompt));
  return step.calls.empty() ? step.text : step.calls[0].name + " " + step.calls[0].arguments;
}

}  // namespace

TEST_CASE("the demo says plainly that it is a script") {
  const auto provider = make_provider("demo", {});
  const Ran ran = run(*provider, demo_request("hi"));
  CHECK(ran.text.find("demo") != std::string::npos);
  CHECK(ran.text.find("scripted replies") != std::string::npos);
  CHECK(ran.text.find("/login") != std::string::npos);
  CHECK(ran.finished->reason == StopReason::end);
}

TEST_CASE("the demo answers a few plain requests with the real tools") {
  CHECK(first_call("read README.md") == R"(Read {"file_path":"README.md"})");
  CHECK(first_call("Please read `src/a.cpp`.") == R"(Read {"file_path":"src/a.cpp"})");
  CHECK(first_call("run git status").find(R"("command":"git status")") != std::string::npos);
  CHECK(first_call("Say how to build, test and run it, please.").find("built-in demo") != std::string::npos);
  CHECK(first_call("find main").starts_with("Grep"));
  CHECK(first_call("list").starts_with("LS"));
}

TEST_CASE("the tour uses every tool once and ends") {
  Request request = demo_request("tour");
  std::set<std::string> used;
  for (int round = 0; round < 12; ++round) {
    const auto step = demo::answer(request);
    if (step.calls.empty()) break;
    for (const ToolCall& call : step.calls) {
      used.insert(call.name);
      CHECK(nlohmann::json::accept(call.arguments));
    }
    std::vector<Block> blocks{Text{step.text}};
    blocks.insert(blocks.end(), step.calls.begin(), step.calls.end());
    continue_with(request, blocks);
  }
  CHECK(used == std::set<std::string>{"LS", "Read", "Grep", "Bash", "Write", "Edit"});
  CHECK(demo::answer(request).calls.empty());
}

TEST_CASE("the demo answers the same request the same way") {
  const Request request = demo_request("tour");
  CHECK(demo::answer(request).calls == demo::answer(request).calls);
}

TEST_CASE("the long play goes on until each tier was seen, then ends") {
  Request request = demo_request(std::string(demo_prompt()), "long");
  const ModelInfo model = Models().find("demo", "long");
  request.window = model.window, request.max_output = model.reserve();
  bool compacted = false, summarized = false, over = false;
  std::set<std::string> arguments;
  int steps = 0;
  for (; steps < 100; ++steps) {
    const auto step = demo::play(request);
    if (step.calls.empty()) break;
    std::vector<Block> results, blocks{Text{step.text}};
    for (const ToolCall& call : step.calls) {
      CHECK(arguments.insert(call.name + call.arguments).second);
      blocks.push_back(call);
      const auto command = nlohmann::json::parse(call.arguments).value("command", "");
      std::size_t lines = 0;
      if (const auto last = command.rfind(' '); command.starts_with("seq")) {
        const auto before = command.rfind(' ', last - 1);
        lines = std::stoul(command.substr(last)) - std::stoul(command.substr(before)) + 1;
      }
      std::string text;
      for (std::size_t i = 0; i < lines; ++i)
        text += "build log: module " + std::to_string(100000 + i) +
                " compiled without a warning, object file written\n";
      if (text.size() > 10'000) text.resize(6'000);
      results.push_back(
          ToolResult{.call_id = call.id, .tool = call.name, .text = text + "x", .subject = "", .recall = {}});
    }
    auto& items = request.conversation.items;
    const auto id = items.back()->id.value;
    items.push_back(item(id + 1, Role::assistant, blocks));
    items.push_back(item(id + 2, Role::user, results));
    // A rough picture of what the compression does, so that the play sees it.
    const Tokens effective = request.window - request.max_output, used = demo::size_of(request);
    over |= used > effective * 95 / 100;
    if (used > effective * 8 / 10 && compacted) {
      items.erase(items.begin() + 1, items.end() - 4);
      items.insert(items.begin() + 1, item(id + 1000, Role::user, {Summary{"what came before", {}}}));
      summarized = true;
    } else if (used > effective * 6 / 10 && !compacted) {
      for (std::size_t i = 2; i < 4; ++i)
        if (auto* result = std::get_if<ToolResult>(&items[i]->blocks[0])) {
          ToolResult shorter = *result;
          shorter.text = "compacted", shorter.form = ResultForm::compacted;
          items[i] = item(items[i]->id.value, Role::user, {shorter});
        }
      compacted = true;
    }
  }
  CHECK(steps < 80);
  CHECK(compacted);
  CHECK(summarized);
  CHECK(over);
  CHECK(demo::play(request).text.find("TERN-7") != std::string::npos);
}

TEST_CASE("the demo summarises in either style, out of the request") {
  Request request = demo_request("fix the tokenizer");
  continue_with(request,
                {Text{"I look."}, ToolCall{.id = "c", .name = "Read", .arguments = "{}", .signature = {}}});
  request.conversation.items.push_back(item(9, Role::user, {Text{"Write a <summary>."}}));
  request.may_call_tools = false;
  const auto provider = make_provider("demo", {});
  std::string text = run(*provider, request).text;
  CHECK(text.find("<summary>") != std::string::npos);
  CHECK(text.find("fix the tokenizer") != std::string::npos);
  request.conversation.items.back() = item(9, Role::user, {Text{"Write a <state_snapshot>."}});
  CHECK(run(*provider, request).text.find("<state_snapshot>") != std::string::npos);
}

TEST_CASE("the demo keeps to a schema") {
  Request request = demo_request("hi");
  request.json_schema = R"({"type":"object","properties":{"name":{"type":"string"},"n":{"type":"integer"}}})";
  const auto answer = nlohmann::json::parse(run(*make_provider("demo", {}), request).text);
  CHECK(answer["name"].is_string());
  CHECK(answer["n"].is_number());
}
