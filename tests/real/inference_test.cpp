// tern against real inference: a llama.cpp server whose address is in TERN_REAL_URL, with tiny_model's model
// and a window of 32,768 tokens, each of them a byte. Started by tests/run --real.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/headless.h"

namespace {

using namespace tern::test;
using nlohmann::json;

constexpr int kPatience = 300'000;  // ms, of a busy machine

constexpr Wire real_wires[] = {
    {"chat", "llamacpp", "llamacpp", "LLAMACPP_API_KEY", "LLAMACPP_BASE_URL", "", "/chat/completions"},
    {"messages", "anthropic", "anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "",
     "/messages"},
    {"responses", "responses", "responses/gpt-5", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1", "/responses"},
};

std::string server() {
  const char* url = std::getenv("TERN_REAL_URL");
  return url ? url : "";
}

struct Answer {
  json result = json::object();
  std::string text, errors;
  int code = -1;
  long sent() const { return cached() + result["usage"].value("input_tokens", 0L); }
  std::vector<json> compactions;  // that were carried out
  long cached() const { return result["usage"].value("cache_read_input_tokens", 0L); }
};

Answer ask(const Home& home, const Wire& wire, std::vector<std::string> arguments,
           const std::string& input = {}) {
  for (const char* word : {"--permission-mode", "auto", "--output-format", "stream-json"})
    arguments.emplace_back(word);
  Headless run(home, wire, server(), std::move(arguments));
  if (!input.empty()) run.write(input);
  run.close_input();
  Answer answer;
  while (const auto line = run.line(kPatience)) {
    answer.text += *line + "\n";
    const json event = json::parse(*line, nullptr, false);
    if (!event.is_object()) continue;
    if (event.value("type", "") == "result") answer.result = event;
    if (event.value("subtype", "") == "compact_boundary") answer.compactions.push_back(event);
  }
  answer.code = run.wait();
  answer.errors = run.errors();
  return answer;
}

std::string printed_by(const std::string& command) {
  std::string text;
  FILE* from = ::popen(command.c_str(), "r");
  REQUIRE(from);
  char part[4096];
  for (std::size_t got; (got = std::fread(part, 1, sizeof part, from)) > 0;) text.append(part, got);
  ::pclose(from);
  return text;
}

std::string lines_of(Headless& run) {
  std::string text;
  while (const auto line = run.line(kPatience)) text += *line + "\n";
  return text;
}

// Every command of the model prints some 6,000 bytes.
void make_commands_talk(const Home& home) {
  const auto script = home.path / "talk";
  std::ofstream(script) << "printf '{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",'\n"
                           "printf '\"updatedToolOutput\":\"%s\"}}' \"$(seq -s ' ' 1 1450)\"\n";
  json hook;
  hook["type"] = "command";
  hook["command"] = "sh " + script.string();
  json entry, config;
  entry["hooks"] = json::array({hook});
  config["trusted"] = json::array({home.work.string()});
  config["hooks"]["PostToolUse"] = json::array({entry});
  std::ofstream(home.path / ".config/tern/config.json") << config.dump();
}

// About 12,000 tokens.
std::string notes(int number) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += "fact " + std::to_string(number) + "-" + std::to_string(i) + ": the value of that item is " +
            std::to_string((i * 7919 + number * 104'729) % 100'000) + " and it stays\n";
  return text;
}

}  // namespace

TEST_CASE("a real model calls a tool, reads its result and answers") {
  const Wire wire = GENERATE(from_range(real_wires));
  INFO(wire.name);
  const Home home;
  const Answer answer = ask(home, wire, {"-p", "go"});
  INFO(answer.errors);
  CHECK(answer.code == 0);
  CHECK(answer.result.value("result", "") == "All done: the command ran.");
  CHECK(answer.text.find("tern-was-here\\n") != std::string::npos);  // what the command printed
}

TEST_CASE("a second turn is read from the server's cache") {
  const Wire wire = GENERATE(from_range(real_wires));
  INFO(wire.name);
  const Home home;
  REQUIRE(ask(home, wire, {"-p", "go"}).code == 0);
  const Answer second = ask(home, wire, {"--continue", "-p", "and again"});
  CHECK(second.code == 0);
  CHECK(second.cached() * 10 > second.sent() * 8);
}

TEST_CASE("a conversation that outgrows a real server's window goes on, and what was cut can be recalled") {
  const Wire wire = GENERATE(from_range(real_wires));
  INFO(wire.name);
  const Home home;
  std::vector<std::string> words{"-p", "Read these notes"};
  for (int i = 1; i <= 4; ++i) {  // 48,000 tokens where tern, which counts pieces of words, expects a third
    const Answer answer = ask(home, wire, words, notes(i));
    INFO(answer.errors);
    REQUIRE(answer.code == 0);
    REQUIRE(answer.result.value("result", "") == "All done: the command ran.");
    if (i == 1) words.emplace_back("--continue");
  }
  Headless recall(home, wire, server(), {"recall", "fact 1-17:"});
  std::string found;
  while (const auto line = recall.line(kPatience)) found += *line + "\n";
  CHECK(found.find("fact 1-17: the value of that item is") != std::string::npos);
}

TEST_CASE("an answer without end is stopped, and the session goes on") {
  const Wire wire = GENERATE(from_range(real_wires));
  INFO(wire.name);
  const Home home;
  {
    Headless run(home, wire, server(),
                 {"-p", "go on without end", "--output-format", "stream-json", "--include-partial-messages"});
    run.close_input();
    for (auto line = run.line(kPatience); line && line->find(" and") == std::string::npos;)
      line = run.line(kPatience);
    ::kill(run.pid(), SIGINT);
    while (run.line(kPatience)) {}
    CHECK(run.wait() == 130);
  }
  const Answer next = ask(home, wire, {"--continue", "-p", "go"});
  INFO(next.errors);
  CHECK(next.code == 0);
  CHECK(next.result.value("result", "") == "All done: the command ran.");
}

TEST_CASE("what tern counts follows what a real server counts") {
  const Wire& wire = real_wires[1];
  const Home home;
  REQUIRE(ask(home, wire, {"-p", "Read these notes"}, notes(1)).code == 0);
  REQUIRE(ask(home, wire, {"--continue", "-p", "and again"}).code == 0);
  Headless context(home, wire, server(), {"context", "--json"});
  const long used = json::parse(lines_of(context), nullptr, false).value("used", 0L);
  Headless request(home, wire, server(), {"--continue", "debug", "request"});
  const auto body = home.path / "body.json";
  std::ofstream(body) << lines_of(request);
  const auto counted = printed_by("curl -s -H 'content-type: application/json' --data-binary @" +
                                  body.string() + " " + server() + "/v1/messages/count_tokens");
  INFO(counted);
  const long tokens = json::parse(counted, nullptr, false).value("input_tokens", 0L);
  INFO("tern says " << used << ", the server " << tokens);
  CHECK(tokens > 12'000);
  CHECK(std::labs(used - tokens) * 20 < tokens);
}

TEST_CASE("shortening old results costs one cold read of what follows them, and is warm again at once") {
  const Wire wire = GENERATE(from_range(real_wires));
  INFO(wire.name);
  const Home home;
  make_commands_talk(home);
  std::vector<std::string> words{"-p", "go"};
  Answer before, cut;
  for (int turn = 1; turn <= 12 && cut.compactions.empty(); ++turn) {
    before = std::move(cut);
    cut = ask(home, wire, words);
    if (turn == 1) words.emplace_back("--continue");
    INFO(cut.errors);
    REQUIRE(cut.code == 0);
  }
  REQUIRE_FALSE(cut.compactions.empty());
  const Answer after = ask(home, wire, words);
  const auto share = [](const Answer& answer) { return 100 * answer.cached() / std::max(1L, answer.sent()); };
  WARN(wire.name << ": from the cache " << share(before) << " % before the cut, " << share(cut)
                 << " % with it, " << share(after) << " % after; "
                 << cut.compactions.front()["compact_metadata"].dump());
  CHECK(share(cut) < share(before));
  CHECK(cut.cached() > 0);  // what stands before the first result that was cut
  CHECK(share(after) > share(cut));
}
