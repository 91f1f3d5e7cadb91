// Compression in the running program, as a person steers it and as others look at it: settings that change
// under it, tuning, and the store read by somebody else meanwhile.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/store/sqlite.h"
#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"

using namespace tern;
using namespace tern::test;
using nlohmann::json;

namespace {

// Forty listings in one turn, through a window that holds about six.
constexpr std::string_view rounds =
    R"({"rounds": {"n": 40, "call": {"name": "Bash", "arguments": {"command": )"
    R"("for n in $(seq $i00 $i99); do echo the quick brown fox number $n jumps over a lazy dog; done"}}, )"
    R"("text": "Round $i.", "final": "all rounds done"}, "limit": 16000, "summary": {"text": "@"}})";

std::string scenario(const std::string& summary) {
  std::string text(rounds);
  return text.replace(text.find('@'), 1, summary);
}

// Results alone are the second tier's; here summaries have to do the work.
const std::vector<std::string> session_flags = {"--plain",
                                                "--window",
                                                "16000",
                                                "--permission-mode",
                                                "bypass",
                                                "--config",
                                                "compression.microAt=0.79",
                                                "--config",
                                                "compression.microLowWater=0.78"};

// What it says until a line holds `end`, that line included; empty when it does not come.
std::string until(Headless& tern, const std::string& end) {
  std::string said;
  while (const auto line = tern.line()) {
    said += *line + '\n';
    if (line->find(end) != std::string::npos && !line->starts_with("> !")) return said;
  }
  FAIL("no '" << end << "' in: " << said << tern.errors());
  return {};
}

// A command's whole answer: what came before the echo of the next line.
std::string answer(Headless& tern, const std::string& command) {
  static int number = 0;
  const auto mark = "mark-" + std::to_string(++number);
  tern.write(command);
  tern.write("!echo " + mark);
  until(tern, "> " + command);
  return until(tern, mark);
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

json config_of(const Home& home) {
  std::ifstream file(home.work / ".compression/config.json");
  return json::parse(file, nullptr, false);
}

}  // namespace

TEST_CASE("tuning suggests from what happened with the evidence, and --apply writes it and holds at once") {
  Home home;
  FakeLlm server(scenario(" "));  // no summary is any good
  Headless tern(home, wires()[0], server.url(), session_flags);
  tern.write("do the rounds");
  until(tern, "all rounds done");
  const auto advice = answer(tern, "/context tune");
  INFO(advice);
  CHECK(contains(advice, "/context tune --apply writes this"));
  const auto begin = advice.find("\n- ") + 3;
  const auto key =
      advice.substr(begin, advice.find(':', begin) - begin);  // whatever it is, with its reason behind it
  CHECK_FALSE(config_of(home).contains(key));
  const auto done = answer(tern, "/context tune --apply");
  INFO(done);
  CHECK(contains(done, key + ": "));
  CHECK(contains(done, " → "));
  const auto written = config_of(home);
  REQUIRE(written.is_object());
  INFO(written.dump());
  REQUIRE(written.contains(key));
  CHECK(written["effective"][key] == written[key]);
  CHECK(contains(answer(tern, "/config"), ".compression/config.json"));
  CHECK(contains(answer(tern, "/context tune"), "no changes suggested"));  // the evidence is used up
  tern.close_input();
  CHECK(tern.wait() == 0);
}

TEST_CASE(
    "autoTune applies within bounds what happened suggests, and says so; the command line shows the rest") {
  Home home;
  FakeLlm server(scenario(" "));  // no summary is any good
  auto flags = session_flags;
  flags.insert(flags.end(),
               {"--config", "compression.autoTune=true", "--config", "compression.protectResults=0"});
  {
    Headless tern(home, wires()[0], server.url(), flags);
    for (int i = 0; i < 3; ++i) {
      tern.write("do the rounds, part " + std::to_string(i));
      until(tern, "ready");
    }
    tern.close_input();
    CHECK(tern.wait() == 0);
  }
  const auto log = [&](std::vector<std::string> words) {
    Headless look(home, wires()[0], server.url(), std::move(words));
    look.close_input();
    std::string said;
    while (const auto line = look.line()) said += *line + '\n';
    CHECK(look.wait() == 0);
    return said;
  };
  const auto advice = log({"context", "tune"});
  INFO(advice);
  CHECK(contains(advice, "- smallModel: "));  // beyond what is done unasked
  CHECK_FALSE(config_of(home).contains("smallModel"));
  const auto applied = log({"context", "tune", "--apply"});
  INFO(applied);
  CHECK(contains(applied, " → "));
  CHECK(config_of(home).contains("smallModel"));
  CHECK(contains(log({"context", "tune"}), "no changes suggested"));
}

namespace {

// Columns move with the longest key.
std::string squeezed(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || !out.ends_with(' ')) out += c;
  return out;
}

}  // namespace

TEST_CASE("the project's settings follow their file while tern runs, and what is wrong in it is named") {
  Home home;
  FakeLlm server(R"({"default": {"text": "fine"}})");
  Headless tern(home, wires()[0], server.url(), session_flags);
  tern.write("hello");
  until(tern, "ready");
  std::ofstream(home.work / ".compression/config.json")
      << R"({"compression": {"keepRecent": 17, "keepRecnt": 3, "compactAt": "much", "protectResults": -1}})";
  tern.write("hello again");
  const auto said = until(tern, "ready");
  INFO(said);
  CHECK(contains(said, "keepRecnt"));
  CHECK(contains(said, "compactAt"));
  CHECK(contains(said, "protectResults"));
  CHECK_FALSE(contains(said, "keepRecent:"));
  const auto now = answer(tern, "/config");
  INFO(now);
  CHECK(contains(squeezed(now), "compression.keepRecent 17"));
  std::filesystem::remove(home.work / ".compression/config.json");
  CHECK_FALSE(contains(squeezed(answer(tern, "/config")), "keepRecent 17"));
  tern.close_input();
  CHECK(tern.wait() == 0);
}

TEST_CASE("a setting that cannot hold is named once, however often the file is read") {
  Home home;
  FakeLlm server(R"({"default": {"text": "fine"}})");
  Headless tern(home, wires()[0], server.url(), session_flags);
  tern.write("hello");
  until(tern, "ready");
  const auto file = home.work / ".compression/config.json";
  std::ofstream(file) << R"({"compactAt": 0.85})";
  tern.write("hello again");
  until(tern, "ready");
  std::ofstream(file) << R"({"compactAt": 0.5})";
  std::string said;
  for (const char* words : {"and again", "and once more"}) {
    tern.write(words);
    said += until(tern, "ready");
  }
  INFO(said);
  const auto first = said.find("must hold");
  CHECK(first != said.npos);
  CHECK(said.find("must hold", first + 1) == said.npos);
  tern.close_input();
  CHECK(tern.wait() == 0);
}

TEST_CASE("the summaries and compactions and usage are views that anybody may read while tern runs") {
  Home home;
  FakeLlm server(scenario(
      "<summary>\\n1. Primary Request and Intent: the rounds\\n8. Current Work: going on\\n</summary>"));
  Headless tern(home, wires()[0], server.url(), session_flags);
  tern.write("do the rounds");
  until(tern, "compaction: ");  // in the middle of the turn
  Sqlite beside(home.work / ".compression/tern.db", Sqlite::Mode::read);
  CHECK(beside.integer("SELECT count(*) FROM usage WHERE input > 0") > 0);
  const auto then = beside.integer("SELECT count(*) FROM compactions");
  CHECK(then > 0);
  until(tern, "all rounds done");
  until(tern, "ready");
  CHECK(beside.integer("SELECT count(*) FROM compactions") >= then);
  CHECK(
      beside.integer(
          "SELECT count(*) FROM summaries WHERE content LIKE '%the rounds%' AND tokensBefore > tokensAfter") >
      0);
  tern.write("/status");  // it still writes while somebody reads
  until(tern, "session ");
  tern.close_input();
  CHECK(tern.wait() == 0);
  CHECK(tern.errors().empty());
}

TEST_CASE("the line behind a compaction is read when it has ended") {
  Home home;
  FakeLlm server(
      R"({"rounds": {"n": 6, "call": {"name": "Bash", "arguments": {"command": "seq $i00 $i99"}}, "text": "Round $i.", "final": "all rounds done"},)"
      R"( "summary": {"text": "<summary>\n1. Primary Request and Intent: the rounds\n8. Current Work: going on\n</summary>", "first_delay_ms": 700}})");
  Headless tern(home, wires()[0], server.url(), {"--plain", "--permission-mode", "bypass"});
  tern.write("do the rounds");
  tern.write("again");
  tern.write("/pin r1");  // what it shows afterwards is no answer to the next line
  tern.write("/compact focus on the rounds");
  tern.write("/context");
  const auto said = until(tern, "> /context");
  INFO(said);
  CHECK(contains(said, "compaction: "));
}
