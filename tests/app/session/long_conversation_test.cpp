// A conversation of more than ten windows through the real program: never refused for its length, nothing of
// the person lost, the last answer right, memory flat.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/store/store.h"
#include "compression/values/tokens.h"
#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"
#include "tests/support/sanitized.h"

using namespace tern;
using namespace tern::test;
using nlohmann::json;

namespace {

constexpr int task_count = 40;
constexpr int window = 32'000;

std::string file_name(int turn, int n) {
  return "f" + std::to_string(turn) + static_cast<char>('a' + n) + ".txt";
}
std::string value_of(int turn) {
  return "the value of task " + std::to_string(turn) + " is v" + std::to_string(turn * 7919 + 13);
}
std::string prompt_of(int turn) {
  return "Task " + std::to_string(turn) + ": remember, " + value_of(turn) +
         ". Now look at the four listings and go on.";
}

// Each task: four files are read at once, then a word. At the end a question that only the context can
// answer.
std::string scenario() {
  json plan{
      {"limit", window},
      {"summary",
       {{"text",
         "<summary>\n1. Primary Request and Intent: numbered tasks\n8. Current Work: the next\n</summary>"}}},
      {"match",
       {{{"when", {"What is the value of task 3?", value_of(3)}},
         {"text", "It is v" + std::to_string(3 * 7919 + 13)}},
        {{"when", {"What is the value of task 3?", "Nothing stored contains"}}, {"text", "I do not know."}}}},
      {"default",  // no longer in the context: a model asks for the original
       {{"text", "Let me look."},
        {"calls", {{{"name", "Recall"}, {"arguments", {{"search", "the value of task 3 is"}}}}}}}}};
  for (int turn = 0; turn < task_count; ++turn) {
    json calls = json::array();
    for (int n = 0; n < 4; ++n)
      calls.push_back({{"name", "Read"}, {"arguments", {{"file_path", file_name(turn, n)}}}});
    plan["replies"].push_back({{"text", "Looking."}, {"calls", calls}});
    plan["replies"].push_back({{"text", "Task " + std::to_string(turn) + " is done."}});
  }
  return plan.dump();
}

void write_files(const Home& home) {
  for (int turn = 0; turn < task_count; ++turn)
    for (int n = 0; n < 4; ++n) {
      std::ofstream file(home.work / file_name(turn, n));
      for (int line = 0; line < 110; ++line)
        file << "entry " << line << " of " << file_name(turn, n) << ": src/part" << (turn * line) % 97
             << "/unit" << line * n << ".cpp has a note about the parser\n";
    }
}

long resident_kb(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("VmRSS:", 0) == 0) return std::atol(line.c_str() + 6);
  return 0;
}

// One prompt in, the result line out.
json ask(Headless& tern, const std::string& prompt) {
  tern.write(json{{"type", "user"}, {"message", {{"role", "user"}, {"content", prompt}}}}.dump());
  while (const auto line = tern.line())
    if (const json event = json::parse(*line, nullptr, false);
        event.is_object() && event.value("type", "") == "result")
      return event;
  return json::object();
}

void drive(const Wire& wire) {
  INFO(wire.name);
  Home home;
  write_files(home);
  FakeLlm server(scenario());
  Headless tern(home, wire, server.url(),
                {"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--window",
                 std::to_string(window)});
  std::vector<long> memory;
  for (int turn = 0; turn < task_count; ++turn) {
    const json result = ask(tern, prompt_of(turn));
    REQUIRE(result.value("result", "") == "Task " + std::to_string(turn) + " is done.");
    memory.push_back(resident_kb(tern.pid()));
  }
  CHECK(ask(tern, "What is the value of task 3?").value("result", "") ==
        "It is v" + std::to_string(3 * 7919 + 13));
  tern.close_input();
  CHECK(tern.wait() == 0);
  CHECK(tern.errors() == "");
  CHECK(server.refused() == 0);
  CHECK(server.shape_problems() == std::vector<std::string>{});
  if (memory_tells) CHECK(memory.back() < memory.at(task_count / 4) + 12'000);

  auto store = Store::open({.folder = home.work / ".compression", .read_only = true});
  std::string why;
  REQUIRE(store->newest(why));
  std::set<std::string> prompts;
  for (const RewindPoint& point : store->rewind_points()) prompts.insert(point.text);
  for (int turn = 0; turn < task_count; ++turn) CHECK(prompts.count(prompt_of(turn)) == 1);
  Tokens all = 0;
  for (const ItemPtr& item : store->items({{1}, {100'000}})) all += estimate(*item);
  CHECK(all >= 10 * window);
  CHECK_FALSE(store->compactions().empty());
  WARN(wire.name << ": " << all << " tokens, " << store->compactions().size() << " compactions, "
                 << memory.at(task_count / 4) << " -> " << memory.back() << " KB");
}

}  // namespace

TEST_CASE("a conversation of ten windows ends with the right answer over anthropic") { drive(wires()[0]); }
TEST_CASE("a conversation of ten windows ends with the right answer over chat completions") {
  drive(wires()[1]);
}
TEST_CASE("a conversation of ten windows ends with the right answer over responses") { drive(wires()[2]); }
TEST_CASE("a conversation of ten windows ends with the right answer over gemini") { drive(wires()[3]); }
