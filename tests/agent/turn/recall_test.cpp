// Recall: every id ever shown answers with exactly the bytes it stood for, whatever the context went through
// since.
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <regex>

#include "agent/turn/context_tools.h"
#include "compression/text/sha256.h"
#include "tests/agent/turn/long_work.h"
#include "tests/support/store_folder.h"
#include "tools/set/tool.h"

using namespace tern;
using test::phases;
using test::prose;
using test::Rig;
using test::work;

namespace {

// What the tools and people really said, taken from the events before anything could be shortened.
void remember(const Rig& rig, std::map<std::uint32_t, std::string>& hashes) {
  for (const auto& event : rig.events) {
    if (const auto* done = std::get_if<ToolFinished>(&event); done && done->recall)
      hashes.emplace(done->recall.value, sha256(done->text));
    const auto* added = std::get_if<ItemAdded>(&event);
    if (!added || !added->item->recall || added->item->blocks.size() != 1) continue;
    if (const auto* text = std::get_if<Text>(&added->item->blocks.front()))
      hashes.emplace(added->item->recall.value, sha256(text->text));
  }
}

// Ids as they stand in the texts of the requests: "r17".
void ids_shown(const Rig& rig, std::map<std::uint32_t, int>& shown) {
  static const std::regex id(R"(\br([1-9][0-9]*)\b)");
  const auto scan = [&](const std::string& text) {
    for (auto it = std::sregex_iterator(text.begin(), text.end(), id); it != std::sregex_iterator(); ++it)
      ++shown[static_cast<std::uint32_t>(std::stoul((*it)[1]))];
  };
  for (const auto& request : rig.script.requests())
    for (const auto& item : request.conversation.items)
      for (const auto& block : item->blocks) {
        if (const auto* summary = std::get_if<Summary>(&block)) scan(summary->text);
        if (const auto* result = std::get_if<ToolResult>(&block); result && result->form != ResultForm::full)
          scan(result->text);
        if (const auto* text = std::get_if<Text>(&block); text && item->synthetic) scan(text->text);
      }
}

// Large outputs with colours, carriage returns, broken UTF-8 and Chinese text: the snip may clean them,
// recall may not.
void noisy_turn(Rig& rig, int n) {
  std::string bytes;
  for (int i = 0; i < 900; ++i)
    bytes += "\x1b[32mline " + std::to_string(n * 1'000 + i) + "\x1b[0m 换行 \r\xff" +
             prose(static_cast<unsigned>(i), 3) + "\n";
  rig.write("noise" + std::to_string(n), bytes);
  rig.script
      .then(test::calls({test::call(
          "n" + std::to_string(n), "Bash",
          R"({"command":"cat )" + (rig.root / ("noise" + std::to_string(n))).string() + R"("})")}))
      .then(test::says("seen"));
  REQUIRE(rig.turn("run it, number " + std::to_string(n)).how == TurnEnded::How::done);
}

}  // namespace

TEST_CASE("every recall id answers with equal SHA-256 after three compactions and a restart") {
  const auto folder = test::fresh_folder() / "store";
  std::filesystem::create_directories(folder);
  std::map<std::uint32_t, std::string> hashes;
  std::map<std::uint32_t, int> shown;
  {
    Rig rig(32'000, folder);
    int made = 0;
    rig.script.summaries([&](const Request&) {
      return test::says("<summary>\n1. Primary request: go on, summary " + std::to_string(++made) +
                            "\n3. Files: f1.txt\n8. Current work: reading\n</summary>",
                        {500, 100});
    });
    for (int i = 0; i < 24; ++i) {
      work(rig, 1, 700, i);
      if (i % 6 == 5) noisy_turn(rig, i);
      if (i % 8 == 7) rig.compactor.compact(rig.context, {}, {});
    }
    rig.compactor.compact(rig.context, {{}, "truncate", false, {}}, {});
    std::size_t compactions = 0;
    for (const auto& done : phases(rig, CompactionPhase::completed))
      compactions += done.tier >= Tier::compact;
    REQUIRE(compactions >= 3);
    remember(rig, hashes);
    ids_shown(rig, shown);
    for (const auto& original : rig.store->originals(100'000)) {
      const auto text = rig.store->text(original.id);
      REQUIRE(text);
      const auto known = hashes.find(original.id.value);
      if (known == hashes.end()) hashes.emplace(original.id.value, sha256(*text));
    }
  }
  REQUIRE(hashes.size() > 60);
  REQUIRE(shown.size() > 10);
  auto store = Store::open({.folder = folder});
  std::string why;
  REQUIRE(store->newest(why));
  std::size_t equal = 0, answered = 0;
  for (const auto& [id, hash] : hashes) {
    const auto text = store->text(RecallId{id});
    INFO("r" << id);
    CHECK((text && sha256(*text) == hash));
    equal += text && sha256(*text) == hash;
  }
  for (const auto& [id, times] : shown) {
    INFO("r" << id << " stands in " << times << " places of the requests");
    CHECK(store->text(RecallId{id}));
    answered += store->text(RecallId{id}).has_value();
  }
  INFO(equal << " of " << hashes.size() << " originals equal, " << answered << " of " << shown.size()
             << " shown ids answered");
  CHECK(equal == hashes.size());
  CHECK(answered == shown.size());
  std::filesystem::remove_all(folder.parent_path());
}

TEST_CASE("Recall says what an original does not have, and searches only where it was asked to") {
  test::StoreFolder folder;
  auto store = folder.store();
  store->create({});
  const RecallId first = store->put_original("one\ntwo\nneedle\nfour\nneedle", "Bash", "make");
  const RecallId second = store->put_original("another needle\nhere\n", "Read", "a.txt");
  const std::string id = to_string(first), other = to_string(second);
  const auto ask = [&](const RecallQuery& query) { return answer_recall(*store, query); };
  using Range = std::pair<std::size_t, std::size_t>;

  CHECK(ask({.id = id, .lines = Range{2, 3}}) == "two\nneedle\n");
  CHECK(ask({.id = id, .lines = Range{9, 12}}) == id + " has 5 lines; none of them is asked for.");
  CHECK(ask({.id = other, .search = "four"}) == other + " does not hold \"four\".");
  CHECK(ask({.search = "five"}) == "Nothing stored contains \"five\".");
  CHECK(ask({.id = "r99", .search = "needle"}) == "There is no r99.");
  CHECK(ask({.id = "r99", .lines = Range{1, 2}}) == "There is no r99.");
  CHECK(ask({.id = "r99"}) == "There is no r99.");
  const std::string all = ask({.search = "needle"});
  CHECK(all.find(id + ":3  make  needle\n") != std::string::npos);
  CHECK(all.find(id + ":5  make  needle\n") != std::string::npos);
  CHECK(all.find(other + ":1  a.txt  another needle\n") != std::string::npos);
  CHECK(ask({.id = id, .lines = Range{4, 5}, .search = "needle"}) == id + ":5  make  needle\n");
  CHECK(ask({.id = id, .lines = Range{1, 2}, .search = "needle"}) ==
        id + " does not hold \"needle\" in these lines.");
}

TEST_CASE("Recall lists what is stored by role, tool, path and age") {
  Rig rig;
  work(rig, 3, 100);
  const auto ask = [&](std::string list) { return answer_recall(*rig.store, {.list = std::move(list)}); };
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  CHECK(lines(ask("tool=Read")) == 3);
  const auto one = ask("tool=Read path=f1.txt");
  INFO(one);
  CHECK(lines(one) == 1);
  CHECK(one.find("f1.txt") != std::string::npos);
  const auto said = ask("role=user");
  INFO(said);
  CHECK(lines(said) == 3);
  CHECK(said.find("Please look at f0.txt") != std::string::npos);
  CHECK(lines(ask("role=assistant")) == 3);
  const auto id = one.substr(0, one.find(' '));
  CHECK(lines(ask("tool=Read since=" + id)) == 1);
  CHECK(lines(ask("tool=Read since=1h")) == 3);
  CHECK(ask("tool=Bash") == "Nothing stored fits \"tool=Bash\".");
  CHECK(ask("colour=red").find("not colour=red") != std::string::npos);
  CHECK(ask("since=soon") == "since is 30m, 2h, 1d or an id such as r17.");
}
