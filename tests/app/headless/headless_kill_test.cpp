// kill -9 of the real program at random moments of a turn with tool calls and compactions. What it had said
// on its standard output must be in the log, the store must open, and the context must be the log folded with
// whole compactions only. TERN_KILLS=500 for the long run.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "agent/store/codec_zstd.h"
#include "agent/store/item_codec.h"
#include "agent/store/sqlite.h"
#include "agent/store/store.h"
#include "compression/values/check.h"
#include "compression/values/context_edit.h"
#include "compression/values/tokens.h"
#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"

using namespace tern;
using namespace tern::test;
using nlohmann::json;

namespace {

constexpr const char* rounds =
    R"({"rounds": {"n": 9, "call": {"name": "Bash", "arguments": {"command": "seq $i00 $i99; seq 1 1300"}}, "text": "Round $i.",
 "final": "all done"}, "limit": 14000, "summary": {"text": "<summary>\n1. Primary Request and Intent: the rounds\n8. Current Work: going on\n</summary>"}})";

std::vector<std::string> arguments() {
  return {"-p",
          "do the magic-word-4711 rounds",
          "--permission-mode",
          "bypass",
          "--window",
          "12000",
          "--output-format",
          "stream-json"};
}

// What the program had said before it was killed.
struct Said {
  std::set<std::uint64_t> messages, batches;
  bool ended = false;
};

void note(const std::string& line, Said& said) {
  const json event = json::parse(line, nullptr, false);
  if (!event.is_object()) return;
  if (event.value("type", "") == "assistant")
    said.messages.insert(std::stoull(event["message"]["id"].get<std::string>().substr(4)));
  if (event.contains("compact_metadata"))
    said.batches.insert(event["compact_metadata"]["batch"].get<std::uint64_t>());
  if (event.value("type", "") == "result") said.ended = true;
}

Said run_and_kill(const Home& home, const FakeLlm& server, double milliseconds) {
  Headless tern(home, wires()[0], server.url(), arguments());
  tern.close_input();
  Said said;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double, std::milli>(milliseconds);
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    const auto line = tern.line(static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (!line) break;
    note(*line, said);
  }
  tern.kill();
  while (const auto line = tern.line()) note(*line, said);  // what was in the pipe had been said, too
  tern.wait();
  return said;
}

// The log read by hand, folded by the one function that changes conversations.
struct Log {
  std::set<std::uint64_t> items, batches;
  std::string prompt;
  Conversation folded;
};

Log read_log(const std::filesystem::path& file) {
  Sqlite db(file, Sqlite::Mode::read);
  Log log;
  Cursor row = db.query("SELECT kind, codec, body FROM log WHERE kind IN (0, 1) ORDER BY seq");
  while (row.step()) {
    const auto body = unpack(static_cast<Packing>(row.integer(1)), row.bytes(2)).value_or("");
    if (row.integer(0) == 0) {
      auto item = decode_item(body);
      REQUIRE(item);
      if (log.items.empty()) log.prompt = std::get<Text>(item->blocks.at(0)).text;
      log.items.insert(item->id.value);
      log.folded.items.push_back(make_item(std::move(*item)));
    } else {
      const auto batch = decode_batch(body);
      REQUIRE(batch);
      log.batches.insert(batch->id);
      log.folded = tern::apply(log.folded, batch->edits);
    }
  }
  return log;
}

std::vector<std::string> picture(const Conversation& conversation) {
  std::vector<std::string> lines;
  for (const auto& item : conversation.items) lines.push_back(encode(*item));
  return lines;
}

void verify(const Home& home, const Said& said) {
  const auto folder = home.work / ".compression";
  if (!std::filesystem::exists(folder / "tern.db")) {
    REQUIRE(said.messages.empty());
    return;
  }
  auto store = Store::open({.folder = folder});
  REQUIRE(store->notices().empty());
  REQUIRE(store->integrity() == "ok");
  const Log log = read_log(folder / "tern.db");
  for (const auto id : said.messages) REQUIRE(log.items.count(id));
  for (const auto id : said.batches) REQUIRE(log.batches.count(id));
  if (log.items.empty()) return;
  REQUIRE(log.prompt == "do the magic-word-4711 rounds");
  std::string why;
  auto look = Store::open({.folder = folder, .read_only = true});
  REQUIRE(look->newest(why));
  REQUIRE(picture(look->conversation()) == picture(log.folded));
  const auto opened = store->newest(why);
  REQUIRE(opened);
  REQUIRE(check(opened->conversation).empty());
  for (const Original& original : store->originals())
    REQUIRE(static_cast<std::int64_t>(store->text(original.id).value_or("").size()) == original.bytes);
}

// The next start goes on with it: a well-shaped request with the prompt in it, and an answer.
void go_on(const Home& home, FakeLlm& server) {
  server.scenario(R"({"default": {"text": "went on"}, "summary": {"text": "<summary>going on</summary>"}})");
  Headless tern(home, wires()[0], server.url(), {"-p", "go on", "--continue", "--window", "12000"});
  tern.close_input();
  std::string out;
  while (const auto line = tern.line()) out += *line;
  INFO(tern.errors());
  REQUIRE(tern.wait() == 0);
  REQUIRE(out == "went on");
  REQUIRE(server.shape_problems().empty());
  const auto requests = server.requests();  // a draft in the background may be among them
  REQUIRE(std::any_of(requests.begin(), requests.end(), [](const FakeRequest& one) {
    return one.body.find("magic-word-4711") != std::string::npos;
  }));
}

}  // namespace

TEST_CASE(
    "kill -9 of the program at random moments loses nothing that was said, and the next start goes on") {
  const char* more = std::getenv("TERN_KILLS");
  const int kills = more ? std::atoi(more) : 100;
  double whole = 0;  // how long an undisturbed turn takes on this machine now
  std::mt19937 random(std::random_device{}());
  int early = 0, late = 0;
  for (int n = 0; n <= kills; ++n) {
    Home home;
    FakeLlm server(rounds);
    const double moment = n == 0 ? 60'000 : std::uniform_real_distribution<double>(0, whole)(random);
    const auto begin = std::chrono::steady_clock::now();
    const Said said = run_and_kill(home, server, moment);
    if (n == 0) {
      whole = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
      REQUIRE(said.ended);
      REQUIRE(said.messages.size() == 10);
      REQUIRE(said.batches.size() >= 2);
    }
    INFO("kill " << n << " after " << moment << " of " << whole << " ms: " << said.messages.size()
                 << " messages, " << said.batches.size() << " compactions were said");
    verify(home, said);
    (said.messages.empty() ? early : late) += 1;
    if (n % 5 == 0 && !said.messages.empty()) go_on(home, server);
  }
  CHECK(late > early);  // most moments lie inside the turn
}
