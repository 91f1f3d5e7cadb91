// How the program ends, seen from a shell: exit codes, and what has reached standard output and standard
// error by then.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/fake_llm.h"
#include "tests/support/shell_run.h"

using namespace tern::test;

TEST_CASE("a program that ends while curl is still being loaded ends in order") {
  const Home home;
  const auto run = shell_run(home,
                             "for i in 1 2 3 4 5 6 7 8 9 10; do\n"
                             "  for j in 1 2 3 4 5 6 7 8 9 10 11 12; do (\"$TERN\" -p -r nosuch hi "
                             ">/dev/null 2>&1; echo $?) & done; wait\n"
                             "done",
                             service(wires()[0], "http://127.0.0.1:9"));
  std::string wanted;
  for (int n = 0; n < 120; ++n) wanted += "2\n";
  CHECK(run.out == wanted);
}

namespace {

using nlohmann::json;

std::vector<std::string> model_at(const FakeLlm& server) {
  auto environment = service(wires()[0], server.url());
  environment.push_back("TERN_MODEL=" + std::string(wires()[0].model));
  return environment;
}

}  // namespace

TEST_CASE("an answer that was cut and taken up again is printed whole") {
  const Home home;
  FakeLlm server(R"({"replies":[{"text":"FIRST HALF ","stop":"length"},{"text":"second half."}]})");
  CHECK(shell_run(home, "\"$TERN\" -p hi", model_at(server)).out == "FIRST HALF second half.\n");
  server.scenario(R"({"replies":[{"text":"FIRST HALF ","stop":"length"},{"text":"second half."}]})");
  const auto result =
      json::parse(shell_run(home, "\"$TERN\" -p hi --output-format json", model_at(server)).out);
  CHECK(result["result"] == "FIRST HALF second half.");
  CHECK(result["subtype"] == "success");
}

TEST_CASE("an answer that stays cut is no success") {
  const Home home;
  const FakeLlm server(
      R"({"replies":[{"text":"a ","stop":"length"},{"text":"b ","stop":"length"},{"text":"c ","stop":"length"},
    {"text":"d","stop":"length"}]})");
  const auto run = shell_run(home, "\"$TERN\" -p hi --output-format json", model_at(server));
  const auto result = json::parse(run.out);
  CHECK(run.status == 1);
  CHECK(result["is_error"] == true);
  CHECK(result["subtype"] == "error_during_execution");
  CHECK(result["partial_result"] == "a b c d");
  CHECK(result["result"].get<std::string>().find("incomplete") != std::string::npos);
}

TEST_CASE("standard output that takes nothing is exit code 1 with its reason") {
  const Home home;
  const FakeLlm server(R"({"replies":[{"text":"one"},{"text":"two"},{"text":"three"}]})");
  for (const char* where : {">/dev/full", ">&-", "--output-format json >/dev/full"}) {
    const auto run = shell_run(home, std::string("\"$TERN\" -p hi ") + where, model_at(server));
    INFO(where << ": " << run.err);
    CHECK(run.status == 1);
    CHECK(run.err.find("standard output could not take everything") != std::string::npos);
  }
  CHECK(shell_run(home, "\"$TERN\" --version >/dev/full").status == 1);
}

TEST_CASE("a prompt of blanks is none, and a stream of prompts takes no words") {
  const Home home;
  const FakeLlm server(R"({"replies":[{"text":"never asked"}]})");
  CHECK(shell_run(home, "printf '  \\n\\t' | \"$TERN\" -p", model_at(server)).status == 2);
  CHECK(shell_run(home, "\"$TERN\" -p ' '", model_at(server)).status == 2);
  const auto both = shell_run(home, "\"$TERN\" -p --input-format stream-json 'a prompt'", model_at(server));
  CHECK(both.status == 2);
  CHECK(both.err.find("standard input") != std::string::npos);
  CHECK(server.requests().empty());
}

TEST_CASE("a word that tern context or tern debug does not know is named, and exits with 2") {
  const Home home;
  for (const std::string what : {"context", "debug"}) {
    const auto run = shell_run(home, "\"$TERN\" " + what + " foo");
    INFO(run.err);
    CHECK(run.status == 2);
    CHECK(run.err.find("there is no \"tern " + what + " foo\"") != std::string::npos);
  }
}

TEST_CASE("the demo has no last request, and tern debug request says so") {
  const Home home;
  shell_run(home, "\"$TERN\" -p hi --model demo");
  const auto run = shell_run(home, "\"$TERN\" debug request --model demo");
  CHECK(run.status == 1);
  CHECK(run.out.empty());
  CHECK(run.err.find("the demo is scripted and sends none") != std::string::npos);
}

TEST_CASE("another process tells the context in the window and with the system prompt it was used with") {
  const Home home;
  const FakeLlm server(R"({"replies":[{"text":"one"}]})");
  shell_run(home, "\"$TERN\" -p hi --window 14000", model_at(server));
  const auto told = json::parse(shell_run(home, "\"$TERN\" context --json", model_at(server)).out);
  CHECK(told["window"] == 14'000);
  CHECK(told["effective"] < 14'000);
  CHECK(told["parts"]["system"] > 100);
  CHECK(told["parts"]["tools"] > 100);
  int sum = 0;
  for (const auto& [part, tokens] : told["parts"].items()) sum += tokens.get<int>();
  CHECK(told["used"] == sum);
}

TEST_CASE("a line of prompts that is none is an event and ends in exit code 1, the others are answered") {
  const Home home;
  const FakeLlm server(R"({"replies":[{"text":"answered"}]})");
  const auto run =
      shell_run(home,
                "printf '%s\\n' 'no json' '{\"type\":\"user\",\"message\":{\"content\":\"hi\"}}' | "
                "\"$TERN\" -p --input-format stream-json --output-format stream-json",
                model_at(server));
  CHECK(run.status == 1);
  CHECK(run.out.find(R"("type":"error")") != std::string::npos);
  CHECK(run.out.find("answered") != std::string::npos);
}

TEST_CASE("the account of a run that goes on with a session is of that run") {
  const Home home;
  const FakeLlm server(R"({"replies":[{"text":"one"},{"text":"two"}]})");
  const auto first =
      json::parse(shell_run(home, "\"$TERN\" -p hi --output-format json", model_at(server)).out);
  const auto second =
      json::parse(shell_run(home, "\"$TERN\" -p -c again --output-format json", model_at(server)).out);
  CHECK(second["num_turns"] == 1);
  CHECK(first["usage"]["output_tokens"] == second["usage"]["output_tokens"]);
  CHECK(second["total_cost_usd"].get<double>() < 1.5 * first["total_cost_usd"].get<double>());
}

TEST_CASE("what a run has cost before does not count against --max-cost") {
  const Home home;
  const FakeLlm server(R"({"replies":[{"text":"one"},{"text":"two"}]})");
  const auto first =
      json::parse(shell_run(home, "\"$TERN\" -p hi --output-format json", model_at(server)).out);
  const auto most = std::to_string(first["total_cost_usd"].get<double>() * 0.9);
  const auto second = shell_run(home, "\"$TERN\" -p -c again --max-cost " + most, model_at(server));
  INFO(second.err);
  CHECK(second.status == 0);
}

TEST_CASE("a terminal gets the words of a model without what it would obey") {
  const Home home;
  const FakeLlm server(R"({"replies":[{"text":"a\u001b]0;pwned\u0007b\u001b[2Jc\u009bd\u202ee"},
    {"text":"a\u001b]0;pwned\u0007b\u001b[2Jc\u009bd\u202ee"}]})");
  const std::string raw =
      "a\x1b]0;pwned\x07"
      "b\x1b[2Jc\u009bd\u202ee\n";
  CHECK(shell_run(home, "\"$TERN\" -p hi", model_at(server)).out == raw);
  const auto shown = shell_run(home, "script -qec '\"$TERN\" -p hi' /dev/null", model_at(server));
  if (shown.status == 127) SKIP("there is no script(1) to make a terminal");
  for (const char* part : {"\x1b", "\x07", "\u009b", "\u202e"})
    CHECK(shown.out.find(part) == std::string::npos);
  CHECK(shown.out.find("abc") != std::string::npos);
}

TEST_CASE("a rule for a tool that does not exist is never silent, and case does not matter") {
  const Home home;
  FakeLlm server(
      R"({"replies":[{"calls":[{"name":"Write","arguments":{"file_path":"made.txt","content":"x"}}]},{"text":"done"}]})");
  const auto unknown = shell_run(home, "\"$TERN\" -p hi --disallowed-tools writ", model_at(server));
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("did you mean Write?") != std::string::npos);
  CHECK(server.requests().empty());
  shell_run(home, "\"$TERN\" -p hi --permission-mode bypass --disallowed-tools write,bash", model_at(server));
  CHECK_FALSE(std::filesystem::exists(home.work / "made.txt"));
  std::ofstream(home.path / ".config/tern/config.json") << R"({"permissions": {"deny": ["Wriet"]}})";
  server.scenario(R"({"replies":[{"text":"done"}]})");
  const auto told = shell_run(home, "\"$TERN\" -p hi", model_at(server));
  CHECK(told.status == 0);
  CHECK(told.err.find("NOTHING IS DENIED") != std::string::npos);
}

TEST_CASE("a config that cannot be read stops the start") {
  const Home home;
  const FakeLlm server(R"({"replies":[{"text":"never asked"}]})");
  const auto file = home.path / ".config/tern/config.json";
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  for (const char* line : {"\"$TERN\" -p hi", "\"$TERN\" hi"}) {
    const auto run = shell_run(home, line, model_at(server));
    CHECK(run.status == 2);
    CHECK(run.err.find("config.json cannot be read") != std::string::npos);
  }
  CHECK(shell_run(home, "\"$TERN\" doctor", {}).out.find("config.json cannot be read") != std::string::npos);
  CHECK(server.requests().empty());
}

TEST_CASE("a history that is no file or an empty one is named, and nothing waits for it") {
  const Home home;
  const FakeLlm server(R"({"replies":[{"text":"one"},{"text":"two"}]})");
  shell_run(home, "\"$TERN\" -p hi", model_at(server));
  const auto db = home.work / ".compression/tern.db";
  std::filesystem::resize_file(db, 0);
  const auto empty = shell_run(home, "\"$TERN\" -p hi", model_at(server));
  CHECK(empty.err.find("is an empty file") != std::string::npos);
  CHECK(std::filesystem::exists(db.string() + ".damaged-1"));
  std::filesystem::remove(db);
  for (const char* command : {"sessions", "context", "recall x", "summaries", "doctor"}) {
    const auto run =
        shell_run(home, "rm -f .compression/tern.db; mkfifo .compression/tern.db; timeout 20 \"$TERN\" " +
                            std::string(command));
    INFO(command << ": " << run.out << run.err);
    CHECK(run.status != 124);
    CHECK((run.out + run.err).find("not a plain file") != std::string::npos);
  }
}

TEST_CASE("a key of the config, a recording and a session of the demo need no key in the environment") {
  const Home home;
  const FakeLlm server(R"({"replies":[{"text":"with the key of the file"},{"text":"again"}]})");
  std::ofstream(home.path / ".config/tern/config.json")
      << R"({"providers":{"anthropic":{"key":"dummy-key","baseUrl":")" << server.url() << R"("}}})";
  const auto keyed = shell_run(home, "\"$TERN\" -p hi --record ../tape");
  INFO(keyed.err);
  CHECK(keyed.out == "with the key of the file\n");
  std::filesystem::remove(home.path / ".config/tern/config.json");
  const auto played = shell_run(home, "\"$TERN\" -p hi --replay ../tape");
  INFO(played.err);
  CHECK(played.out == "with the key of the file\n");
  CHECK(shell_run(home, "\"$TERN\" -p hi --model demo/demo").status == 0);
  const auto demo = shell_run(home, "\"$TERN\" -p -c again");
  INFO(demo.err);
  CHECK(demo.status == 0);
}

TEST_CASE("a service that sends on is asked once, and an impossible port never") {
  const Home home;
  const FakeLlm server(
      R"({"default":{"fault":{"kind":"status","status":301,"message":"moved","location":"https://x.example"}}})");
  const auto run = shell_run(home, "\"$TERN\" -p hi", model_at(server));
  CHECK(run.status == 1);
  CHECK(server.requests().size() == 1);
  INFO(run.err);
  CHECK(run.err.find("redirects to https://x.example") != std::string::npos);
  auto wrong = service(wires()[0], "http://127.0.0.1:99999");
  wrong.push_back("TERN_MODEL=" + std::string(wires()[0].model));
  const auto port = shell_run(home, "\"$TERN\" -p hi", wrong);
  CHECK(port.status == 1);
  CHECK(port.err.find("impossible port") != std::string::npos);
}

TEST_CASE("doctor tests the model, the key and the address that a session takes") {
  const Home home;
  const FakeLlm server;
  std::ofstream(home.path / ".config/tern/config.json")
      << R"({"model":"mine","aliases":{"mine":"anthropic/claude-sonnet-4-5"},"providers":{"anthropic":{"key":"dummy-key","baseUrl":")"
      << server.url() << R"("}}})";
  const auto run = shell_run(home, "\"$TERN\" doctor");
  INFO(run.out << run.err);
  CHECK(run.out.find("claude-sonnet-4-5") != std::string::npos);
  REQUIRE_FALSE(server.requests().empty());
  CHECK(server.requests()[0].header("x-api-key") == "dummy-key");
}
