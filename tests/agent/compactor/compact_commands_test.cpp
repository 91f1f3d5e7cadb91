// What the person asks of the compactor: /compact, its preview, undo and redo, pins.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "agent/compactor/compactor.h"
#include "agent/compactor/tuning.h"
#include "agent/store/compaction_text.h"
#include "agent/turn/context_tools.h"
#include "compression/values/tokens.h"
#include "tests/agent/turn/long_work.h"

using namespace tern;
using test::fullest;
using test::phases;
using test::prose;
using test::Rig;
using test::says;
using test::with_summaries;
using test::work;

namespace {

std::string text_of(const Conversation& conversation) {
  std::string text;
  for (const auto& item : conversation.items)
    for (const auto& block : item->blocks) {
      if (const auto* said = std::get_if<Text>(&block)) text += said->text + '\n';
      if (const auto* summary = std::get_if<Summary>(&block)) text += summary->text + '\n';
      if (const auto* result = std::get_if<ToolResult>(&block)) text += result->text + '\n';
    }
  return text;
}

Compact by(std::string strategy) {
  return {.focus = {}, .strategy = std::move(strategy), .preview = false, .range = {}};
}

}  // namespace

TEST_CASE("one compaction is taken back in place, later turns stay, and comes again") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 12);
  const auto before = count(rig.context.conversation);
  const auto meters = read_meters(rig.context);
  rig.compactor.compact(rig.context, Compact{}, {});
  const auto small = count(rig.context.conversation);
  REQUIRE(small < before);
  const auto less = read_meters(rig.context);
  CHECK(less.saved > meters.saved);
  rig.compactor.undo(rig.context, {1, {}});  // the meters follow, there and back
  CHECK(read_meters(rig.context).saved == meters.saved);
  CHECK(std::abs(read_meters(rig.context).used - meters.used) <= meters.used / 200);
  rig.compactor.undo(rig.context, {-1, {}});
  CHECK(read_meters(rig.context).saved == less.saved);
  CHECK(std::abs(read_meters(rig.context).used - less.used) <= less.used / 200);
  work(rig, 1, 100, 50);
  const auto with_more = count(rig.context.conversation);
  rig.compactor.undo(rig.context, {1, {}});
  CHECK(phases(rig, CompactionPhase::undone).size() == 2);
  CHECK(count(rig.context.conversation) == before + with_more - small);
  CHECK(check(rig.context.conversation).empty());
  rig.compactor.undo(rig.context, {-1, {}});
  CHECK(count(rig.context.conversation) == with_more);
}

TEST_CASE("a compaction is not done again over a later one of the same messages") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 12);
  rig.compactor.compact(rig.context, Compact{}, {});
  rig.compactor.undo(rig.context, {1, {}});
  rig.compactor.compact(rig.context, Compact{}, {});
  const auto stands = rig.context.conversation.items;
  rig.compactor.undo(rig.context, {-1, {}});
  CHECK(rig.context.conversation.items == stands);
  CHECK(phases(rig, CompactionPhase::redone).empty());
  CHECK(rig.seen<Notice>().back().text.find("Not redone: ") == 0);
  rig.compactor.undo(rig.context, {1, {}});
  CHECK(count(rig.context.conversation) > count({stands}));
}

TEST_CASE("an undo that would not fit is refused with the numbers and offers its parts") {
  Rig rig(60'000);
  rig.context.config.protect_results = 0;
  with_summaries(rig);
  work(rig, 12);
  rig.compactor.compact(rig.context, {.focus = {}, .strategy = "tools", .preview = false, .range = {}}, {});
  const auto small = count(rig.context.conversation);
  rig.context.window_override = small * 2;
  rig.compactor.undo(rig.context, {1, {}});
  CHECK(count(rig.context.conversation) == small);
  REQUIRE_FALSE(rig.seen<Notice>().empty());
  const auto said = rig.seen<Notice>().back().text;
  CHECK(said.find("Not undone: it would be ") == 0);
  const auto offer = said.find("/undo-compact r");
  REQUIRE(offer != std::string::npos);

  const auto id = said.substr(offer + 14, said.find_first_of(" ", offer + 14) - offer - 14);
  rig.compactor.undo(rig.context, {0, {id}});
  CHECK(rig.seen<Notice>().back().text.find("Back in the context: " + id) == 0);
  CHECK(count(rig.context.conversation) > small);
  CHECK(check(rig.context.conversation).empty());
  CHECK(text_of(rig.context.conversation).find(*rig.store->text(parse_recall_id(id))) != std::string::npos);
}

TEST_CASE("what was taken back is not taken away again at the next request") {
  Rig rig(32'000);
  with_summaries(rig);
  rig.context.config.auto_compress = false;
  work(rig, 5);
  const auto whole = count(rig.context.conversation);
  rig.compactor.compact(rig.context, {}, {});
  REQUIRE(count(rig.context.conversation) < whole);
  rig.context.config.auto_compress = true;
  rig.context.config.micro_at = 0.35;
  rig.context.config.compact_at = 0.45;
  rig.compactor.undo(rig.context, {1, {}});
  REQUIRE(fill_share(rig.context) > rig.context.config.compact_at);
  rig.compactor.make_room(rig.context, {});
  CHECK(count(rig.context.conversation) == whole);
  CHECK_FALSE(rig.compactor.draft_pending());
  CHECK(rig.compactor.status().find("paused: ") != std::string::npos);
  const auto before = phases(rig, CompactionPhase::completed).size();
  work(rig, 30, 900, 20);  // far beyond: the tiers are back
  CHECK(phases(rig, CompactionPhase::completed).size() > before);
  CHECK(fullest(rig) < 1.0);
}

TEST_CASE("a preview changes nothing until it is accepted, and costs nothing more then") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 12);
  const auto before = count(rig.context.conversation);
  rig.compactor.compact(rig.context, Compact{.preview = true}, {});
  REQUIRE(rig.seen<PreviewReady>().size() == 1);
  const auto preview = rig.seen<PreviewReady>().front();
  CHECK(count(rig.context.conversation) == before);
  CHECK(preview.after < preview.before);
  CHECK(preview.range.find(" messages, from \"Please look at f0.txt") != std::string::npos);
  CHECK(preview.kept.find(" to \"Read it. ") != std::string::npos);
  CHECK(preview.kept.find(" messages of yours word for word; an index of ") != std::string::npos);
  CHECK(preview.cost.find("prices unknown") != std::string::npos);
  const auto requests = rig.script.requests().size();

  SECTION("accepted") {
    rig.compactor.settle_preview(rig.context, {preview.id, true, {}});
    CHECK(count(rig.context.conversation) < before);
  }
  SECTION("discarded") {
    rig.compactor.settle_preview(rig.context, {preview.id, false, {}});
    CHECK(count(rig.context.conversation) == before);
  }
  SECTION("edited by the person") {
    rig.compactor.settle_preview(
        rig.context, {preview.id, true, "<summary>\n1. Primary request: my own words\n</summary>"});
    CHECK(count(rig.context.conversation) < before);
    CHECK(text_of(rig.context.conversation).find("my own words") != std::string::npos);
  }
  SECTION("an edited one that is too long stays open") {
    rig.compactor.settle_preview(rig.context, {preview.id, true, prose(3, 30'000)});
    CHECK(count(rig.context.conversation) == before);
    REQUIRE(rig.seen<PreviewReady>().size() == 2);
    rig.compactor.settle_preview(rig.context, {preview.id, true, preview.draft});
    CHECK(count(rig.context.conversation) < before);
  }
  SECTION("a stale one is refused") {
    rig.compactor.settle_preview(rig.context, {preview.id + 5, true, {}});
    CHECK(count(rig.context.conversation) == before);
  }
  CHECK(rig.script.requests().size() == requests);
}

TEST_CASE(
    "pins of a message, a result, a file and a sentence stand byte for byte through every tier and a "
    "restart") {
  const auto folder = test::fresh_folder() / "store";
  std::filesystem::create_directories(folder);
  std::vector<std::string> pinned;
  {
    Rig rig(32'000, folder);
    rig.context.config.protect_results = 0;
    with_summaries(rig);
    work(rig, 1, 200);
    rig.compactor.pin(rig.context, {"last", true});  // the answer
    work(rig, 1, 200, 1);
    RecallId result;
    for (const auto& item : rig.context.conversation.items)
      for (const auto& block : item->blocks)
        if (const auto* one = std::get_if<ToolResult>(&block)) result = one->recall;
    rig.compactor.pin(rig.context, {to_string(result), true});
    rig.write("keep.txt", "file line one\nfile line two\n");
    rig.compactor.pin(rig.context, {"keep.txt", true});
    rig.compactor.pin(rig.context, {"Never touch the file magic-4711.cfg", true});
    for (const auto& item : rig.context.conversation.items)
      if (item->pinned) pinned.push_back(text_of({{item}}));
    REQUIRE(pinned.size() == 4);
    work(rig, 40, 900, 10);  // snip, microcompact, summaries
    for (const auto* strategy : {"local", "middle", "oldest", "hybrid", "tools", "truncate"}) {
      work(rig, 3, 600, 100 + static_cast<int>(rig.agent.turn));
      rig.compactor.compact(rig.context, by(strategy), {});
    }
    std::set<Tier> tiers;
    for (const auto& done : phases(rig, CompactionPhase::completed)) tiers.insert(done.tier);
    CHECK(tiers.count(Tier::compact) == 1);
    CHECK(tiers.count(Tier::truncate) == 1);
    for (const auto& text : pinned) CHECK(text_of(rig.context.conversation).find(text) != std::string::npos);
    rig.compactor.pin(rig.context, {prose(1, 20'000), true});
    CHECK(rig.seen<Notice>().back().text.find("pinBudget") != std::string::npos);
  }
  Rig again(32'000, folder);
  for (const auto& text : pinned) CHECK(text_of(again.context.conversation).find(text) != std::string::npos);
  CHECK(again.store->pins().size() == 4);
  again.compactor.pin(again.context, {});
  const auto page = again.seen<Page>().back().text;
  CHECK(page.find("sentence  Never touch") != std::string::npos);
  CHECK(page.find("file  keep.txt") != std::string::npos);
  CHECK(page.find("of 8.0k tokens") != std::string::npos);
  for (const auto& row : again.store->pins())
    again.compactor.pin(again.context, {std::to_string(row.id), false});
  CHECK(again.store->pins().empty());
  for (const auto& item : again.context.conversation.items) CHECK_FALSE(item->pinned);
  std::filesystem::remove_all(folder.parent_path());
}

TEST_CASE("what looks like a path and is no small text file is not pinned as words") {
  Rig rig(32'000);
  rig.write("big.txt", std::string(72 * 1024, 'x'));
  std::filesystem::create_directories(rig.root / "src");
  rig.write("src/a.cpp", "int main() {}\n");
  rig.write("empty.txt", "");
  const std::pair<const char*, const char*> refused[] = {{"big.txt", "big.txt has 72 KB"},
                                                         {"src", "src is a folder"},
                                                         {"src/none.cpp", "there is no file src/none.cpp"},
                                                         {"empty.txt", "is empty"}};
  for (const auto& [what, why] : refused) {
    rig.compactor.pin(rig.context, {what, true});
    const auto said = rig.seen<Notice>().back().text;
    INFO(said);
    CHECK(said.find("Not pinned: ") == 0);
    CHECK(said.find(why) != std::string::npos);
  }
  CHECK(rig.store->pins().empty());
  for (const auto* what : {"src/a.cpp", "\"src/none.cpp\"", "tabs", "Never touch src/none.cpp."})
    rig.compactor.pin(rig.context, {what, true});
  CHECK(rig.store->pins().size() == 4);
  CHECK(rig.store->pins()[1].what == "src/none.cpp");
}

TEST_CASE("a pin said during a turn is of the message that was the last one then") {
  Rig rig(32'000);
  with_summaries(rig);
  work(rig, 1, 20);
  const auto meant = last_said(rig.context.conversation);
  work(rig, 1, 20, 1);
  rig.compactor.pin(rig.context, {"last", true, meant->id});
  REQUIRE(rig.store->pins().size() == 1);
  CHECK(rig.store->pins()[0].item == meant->id);
  rig.compactor.pin(rig.context, {"last", true, {999'999}});
  CHECK(rig.seen<Notice>().back().text.find("has left the context") != std::string::npos);
}

TEST_CASE("a cut without a model names its turns, and only what came by itself counts as a wait") {
  Rig rig(32'000);
  with_summaries(rig);
  work(rig, 6, 300);
  rig.compactor.compact(rig.context, by("truncate"), {});
  const auto rows = rig.store->compactions();
  REQUIRE(!rows.empty());
  CHECK(rows.back().first_turn >= 1);
  CHECK(rows.back().last_turn >= rows.back().first_turn);
  CompactionRecord slow = rows.back();
  for (int n = 0; n < 3; ++n) {
    slow.batch = rig.store->next_batch(), slow.pause_ms = 4'000,
    slow.why = "asked for; 12 messages by a model";
    rig.store->log({slow.batch, {}}, slow);
  }
  std::string changes;
  CHECK(tuning_text(*rig.store, rig.context.config, "demo/demo", changes).find("made you wait") ==
        std::string::npos);
  for (int n = 0; n < 3; ++n) {
    slow.batch = rig.store->next_batch(), slow.cause = Cause::automatic;
    rig.store->log({slow.batch, {}}, slow);
  }
  CHECK(tuning_text(*rig.store, rig.context.config, "demo/demo", changes).find("3 automatic compactions") !=
        std::string::npos);
}

TEST_CASE("a pin taken off by its id leaves the list") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 1, 100);
  rig.compactor.pin(rig.context, {"last", true});
  rig.compactor.pin(rig.context, {"last", true});
  CHECK(rig.store->pins().size() == 1);
  rig.compactor.pin(rig.context, {"last", false});
  CHECK(rig.store->pins().empty());
  rig.compactor.pin(rig.context, {"nothing of that name", false});
  CHECK(rig.seen<Notice>().back().text.find("/pin lists") != std::string::npos);
}

TEST_CASE("every strategy of /compact does something, and an unknown one is named") {
  for (const auto* strategy :
       {"sections", "snapshot", "local", "middle", "oldest", "hybrid", "tools", "truncate"}) {
    Rig rig(60'000);
    rig.context.config.protect_results = 0;
    with_summaries(rig);
    work(rig, 10);
    const auto before = count(rig.context.conversation);
    rig.compactor.compact(rig.context, by(strategy), {});
    INFO(strategy);
    CHECK(count(rig.context.conversation) < before);
    CHECK(check(rig.context.conversation).empty());
  }
  Rig rig(60'000);
  rig.compactor.compact(rig.context, by("magic"), {});
  CHECK(rig.seen<Notice>().back().text.find("There is no strategy \"magic\". There is: sections snapshot") ==
        0);
}

TEST_CASE("a stretch picked by prompts is all that is compacted") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 10, 400);
  rig.compactor.compact(rig.context, {}, {});  // so that the first items are no longer there
  work(rig, 6, 400, 20);
  const auto points = rig.store->rewind_points();  // newest first
  const auto from_here = points[3].item;
  const auto kept = text_of(rig.context.conversation);

  SECTION("everything before it") {
    rig.compactor.compact(rig.context, {{}, {}, false, ItemRange{ItemId{1}, ItemId{from_here.value - 1}}},
                          {});
    CHECK(std::holds_alternative<Summary>(rig.context.conversation.items.front()->blocks.front()));
    CHECK(rig.context.conversation.items[1]->id == from_here);
  }
  SECTION("everything from there on") {
    rig.compactor.compact(rig.context, {{}, {}, false, ItemRange{from_here, ItemId{~0ull}}}, {});
    CHECK(std::holds_alternative<Summary>(rig.context.conversation.items.back()->blocks.front()));
  }
  SECTION("without a model") {
    rig.context.config.protect_results = 0;
    rig.compactor.compact(rig.context,
                          {{}, "microcompact", false, ItemRange{ItemId{1}, ItemId{from_here.value - 1}}}, {});
    bool inside = true;
    for (const auto& item : rig.context.conversation.items) {
      inside = inside && item->id < from_here;
      for (const auto& block : item->blocks)
        if (const auto* result = std::get_if<ToolResult>(&block); result && !inside)
          CHECK(result->form != ResultForm::compacted);
    }
  }
  CHECK(text_of(rig.context.conversation) != kept);
  CHECK(check(rig.context.conversation).empty());
}

TEST_CASE("a stretch that no summary makes smaller stays, and nothing outside pays for it") {
  Rig rig(60'000);
  rig.script.summaries([](const Request&) {
    return says(std::string("<summary>") + prose(1, 9'000) + "</summary>", {500, 100});
  });
  for (const auto* text : {"one", "two", "three", "four", "five", "six", "seven"}) {
    rig.script.then(says(std::string("Answer to ") + text + ". " + prose(3, 60)));
    rig.turn(std::string("Prompt ") + text);
  }
  const auto points = rig.store->rewind_points();  // newest first
  const auto before = rig.context.conversation.items;
  for (int i = 0; i < 4; ++i)
    rig.compactor.compact(rig.context,
                          {{}, {}, false, ItemRange{points[4].item, ItemId{points[1].item.value - 1}}}, {});
  const auto& after = rig.context.conversation.items;
  for (const auto& item : before)
    if (item->id < points[4].item || item->id >= points[1].item)
      CHECK(std::find(after.begin(), after.end(), item) != after.end());
  CHECK(rig.compactor.status().find("in a row") ==
        std::string::npos);  // what the person asked for does not stop the automatic ones
}

TEST_CASE("what a compaction saved follows what its redo really moved") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 12);
  rig.compactor.compact(rig.context, by("tools"), {});
  rig.compactor.undo(rig.context, {1, {}});
  rig.compactor.compact(rig.context, by("truncate"), {});
  const auto before = read_meters(rig.context);
  rig.compactor.undo(rig.context, {-1, {}});
  const auto after = read_meters(rig.context);
  CHECK(std::abs((after.saved - before.saved) - (before.used - after.used)) <= before.used / 50);
}

TEST_CASE("a focus reaches the model that summarises") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 10);
  rig.compactor.compact(
      rig.context, {.focus = "keep the port numbers", .strategy = {}, .preview = false, .range = {}}, {});
  const auto& last = *rig.script.requests().back().conversation.items.back();
  CHECK(std::get<Text>(last.blocks.front()).text.find("keep the port numbers") != std::string::npos);
}

TEST_CASE("a compaction that is asked for takes the draft that is paid for, unless it wants another one") {
  Rig rig(60'000);
  rig.context.config.micro_at = 0.99;
  with_summaries(rig);
  for (int i = 0; i < 40 && !rig.compactor.draft_ready(); ++i) work(rig, 1, 900, i);
  REQUIRE(rig.compactor.draft_ready());
  const auto requests = rig.script.requests().size();
  const auto before = count(rig.context.conversation);
  SECTION("as it is") {
    rig.compactor.compact(rig.context, {}, {});
    CHECK(rig.script.requests().size() == requests);
    CHECK(rig.compactor.swapped() == 1);
  }
  SECTION("looked at first, discarded, and looked at again") {
    const auto preview = [&] {
      rig.compactor.compact(rig.context, {.focus = {}, .strategy = {}, .preview = true, .range = {}}, {});
      REQUIRE_FALSE(rig.seen<PreviewReady>().empty());
      return rig.seen<PreviewReady>().back();
    };
    rig.compactor.settle_preview(rig.context, {preview().id, false, {}});
    CHECK(count(rig.context.conversation) == before);
    CHECK(rig.compactor.draft_ready());
    rig.compactor.settle_preview(rig.context, {preview().id, true, {}});
    CHECK(rig.script.requests().size() == requests);
    CHECK_FALSE(rig.compactor.draft_ready());
  }
  SECTION("with a focus of its own") {
    rig.compactor.compact(rig.context, {.focus = "ports", .strategy = {}, .preview = false, .range = {}}, {});
    CHECK(rig.script.requests().size() > requests);
  }
  CHECK(count(rig.context.conversation) < before);
}

TEST_CASE(
    "the key points of a summary are its list entries and what stands behind its headings, cut between "
    "characters") {
  CHECK(key_points("1. Primary request: build it\n2. Concepts: none\n3. Files:\n- a.cpp\n  * b.cpp\n- "
                   "none\nplain words: no\n",
                   40) == std::vector<std::string>{"build it", "a.cpp", "b.cpp"});
  CHECK(key_points("1. Primary request and intent:\n   Build the parser.\n   Then test it.\n2. "
                   "Concepts:\nnone\n**3. Files:** a.cpp\n",
                   40) == std::vector<std::string>{"Build the parser.", "a.cpp"});
  CHECK(key_points("- 公共接口公共接口\n", 10) == std::vector<std::string>{"公共接 …"});
  CHECK(key_points("- one two three\n", 9) == std::vector<std::string>{"one two …"});
}

TEST_CASE("a pin of a message in another script is listed by whole characters") {
  Rig rig(60'000);
  rig.script.then(says("好"));
  rig.turn(std::string("说 ") + "永远不要修改公共接口永远不要修改公共接口永远不要修改公共接口");
  rig.compactor.pin(rig.context,
                    {.what = "last", .on = true, .item = rig.store->rewind_points().front().item});
  const auto pins = rig.store->pins();
  REQUIRE(pins.size() == 1);
  CHECK(pins[0].what.ends_with("公共"));  // 60 bytes would end inside the next one
}

TEST_CASE("the whole audit names many specifics on a line, sentences on their own") {
  LossReport loss;
  for (int i = 0; i < 100; ++i)
    loss.lost.emplace_back(Fate::reachable,
                           Fact{.kind = FactKind::number, .text = std::to_string(4'000 + i), .recall = {17}});
  loss.lost.emplace_back(Fate::dropped, Fact{.kind = FactKind::error, .text = "error: out of disk"});
  loss.stays.push_back({.kind = FactKind::file, .text = "src/a.cpp", .recall = {3}});
  loss.stays.push_back({.kind = FactKind::file, .text = "src/b.cpp", .recall = {4}});
  const auto text = full_audit(loss);
  CHECK(
      text.starts_with("Files: 2 kept, 0 by recall, 0 lost\nErrors seen: 0 kept, 0 by recall, 1 lost\n"
                       "Numbers: 0 kept, 100 by recall, 0 lost\nIn all: 2 kept, 100 by recall, 1 lost\n\n"));
  CHECK(text.find("\n- by recall: Numbers r17: 4000, 4001, ") != std::string::npos);
  CHECK(text.find(", 4099\n") != std::string::npos);
  CHECK(text.find("- lost: Errors seen  error: out of disk\n") != std::string::npos);
  CHECK(text.ends_with("- kept: Files: src/a.cpp, src/b.cpp\n"));
  CHECK(std::count(text.begin(), text.end(), '\n') < 16);
}

TEST_CASE("a compaction that the model asks for waits until its calls are answered") {
  Rig rig(24'000);
  rig.context.config.auto_compress = false;
  with_summaries(rig);
  work(rig, 4);
  rig.write("last.txt", "the last one\n");
  rig.script
      .then(test::calls(
          {test::call("now", "context_compress", R"({"strategy":"local"})"),
           test::call("then", "Read", R"({"file_path":")" + (rig.root / "last.txt").string() + R"("})")}))
      .then(test::says("done"));
  rig.events.clear();
  CHECK(rig.turn("make room, then read").how == TurnEnded::How::done);
  std::vector<std::string> order;
  for (const auto& event : rig.events) {
    if (const auto* cell = std::get_if<ToolFinished>(&event)) order.push_back(cell->call_id);
    if (const auto* done = std::get_if<Compaction>(&event); done && done->phase == CompactionPhase::completed)
      order.push_back("compacted");
  }
  CHECK(order == std::vector<std::string>{"now", "then", "compacted"});
  CHECK(rig.bad_request().empty());
  bool told = false;
  const auto requests = rig.script.requests();
  for (const auto& item : requests.back().conversation.items)
    for (const auto& block : item->blocks)
      if (const auto* text = std::get_if<Text>(&block)) told = told || text->text.starts_with("[Compacted: ");
  CHECK(told);
}
