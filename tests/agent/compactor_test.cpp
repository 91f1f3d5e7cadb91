#include "agent/compactor.h"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <set>

#include "agent/resume_rule.h"
#include "tests/agent/turn_rig.h"

using namespace tern;
using test::call;
using test::Rig;
using How = TurnEnded::How;

namespace {

// Text no two of which are alike, so that nothing is superseded or collapsed.
std::string prose(unsigned seed, int words) {
  std::mt19937 random(seed);
  std::string text;
  for (int i = 0; i < words; ++i) text += "w" + std::to_string(random() % 100'000) + (i % 12 == 11 ? '\n' : ' ');
  return text;
}

constexpr const char* good_summary =
    "<analysis>thinking</analysis>\n<summary>\n1. Primary Request and Intent: go on with the work.\n2. Key Technical Concepts: "
    "none.\n"
    "3. Files and Code Sections: f1.txt\n4. Errors and fixes: none\n5. Problem Solving: none\n6. All user messages: see above\n"
    "7. Pending Tasks: the rest\n8. Current Work: reading\n9. Optional Next Step: read on\n</summary>";

void with_summaries(Rig& rig) {
  rig.script.summaries([](const Request&) { return test::says(good_summary, {500, 100}); });
}

// Turns in which the model reads one file each and then answers.
void work(Rig& rig, int turns, int words = 900, int from = 0) {
  for (int i = from; i < from + turns; ++i) {
    const auto name = "f" + std::to_string(i) + ".txt";
    rig.write(name, prose(static_cast<unsigned>(i), words));
    rig.script
        .then(test::calls({call("c" + std::to_string(i), "Read", R"({"file_path":")" + (rig.root / name).string() + R"("})")}))
        .then(test::says("Read it. " + prose(static_cast<unsigned>(i) + 7'000, 40)));
    const auto end = rig.turn("Please look at " + name + " and tell me about it.");
    REQUIRE(end.how == How::done);
  }
}

double fullest(const Rig& rig) {
  double most = 0;
  for (const auto& request : rig.script.requests())
    if (request.may_call_tools)
      most = std::max(
          most, static_cast<double>(count(request.conversation) + rig.context.fixed()) / static_cast<double>(request.window));
  return most;
}

std::vector<Compaction> phases(const Rig& rig, CompactionPhase phase) {
  std::vector<Compaction> found;
  for (const auto& event : rig.seen<Compaction>())
    if (event.phase == phase) found.push_back(event);
  return found;
}

// Different prompts of the person that still stand word for word somewhere in the context.
std::size_t prompts(const Conversation& conversation) {
  std::set<std::string> found;
  const auto collect = [&](const std::string& text) {
    constexpr std::string_view mark = "Please look at ";
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1))
      found.insert(text.substr(at, text.find(' ', at + mark.size()) - at));
  };
  for (const auto& item : conversation.items)
    for (const auto& block : item->blocks) {
      if (const auto* text = std::get_if<Text>(&block)) collect(text->text);
      if (const auto* summary = std::get_if<Summary>(&block)) collect(summary->text);
    }
  return found.size();
}

}  // namespace

TEST_CASE("a conversation of many windows never meets the wall") {
  Rig rig(32'000);
  with_summaries(rig);
  work(rig, 80);
  CHECK(fullest(rig) < 1.0);
  CHECK(rig.bad_request().empty());
  CHECK_FALSE(phases(rig, CompactionPhase::completed).empty());
  for (const auto& done : phases(rig, CompactionPhase::completed)) {
    CHECK(done.after < done.before);
    CHECK_FALSE(done.audit.empty());
  }
}

TEST_CASE("no prompt of the person is lost by compaction, and every original can be recalled") {
  Rig rig(32'000);
  with_summaries(rig);
  work(rig, 40);
  CHECK(prompts(rig.context.conversation) == 40);
  for (const auto& original : rig.store->originals(10'000)) CHECK(rig.store->text(original.id));
}

TEST_CASE("the tiers also run inside one turn's tool loop") {
  Rig rig(32'000);
  with_summaries(rig);
  for (int i = 0; i < 40; ++i) {
    const auto name = "f" + std::to_string(i) + ".txt";
    rig.write(name, prose(static_cast<unsigned>(i), 900));
    rig.script.then(
        test::calls({call("c" + std::to_string(i), "Read", R"({"file_path":")" + (rig.root / name).string() + R"("})")}));
  }
  rig.script.then(test::says("all read"));
  CHECK(rig.turn("read all of them").how == How::done);
  CHECK(fullest(rig) < 1.0);
  CHECK(rig.bad_request().empty());
}

TEST_CASE("a failing small model falls back without one, and the breaker opens") {
  Rig rig(24'000);
  rig.context.config.micro_at = 0.99;  // straight to summaries
  rig.context.config.draft_at = 0.99;
  rig.script.summaries([](const Request&) { return test::fails(Failure::server, "broken"); });
  work(rig, 50);
  CHECK(fullest(rig) < 1.0);
  CHECK_FALSE(phases(rig, CompactionPhase::failed).empty());
  CHECK_FALSE(phases(rig, CompactionPhase::completed).empty());
}

TEST_CASE("a draft made ahead is swapped in without a pause") {
  Rig rig(32'000);
  rig.context.config.micro_at = 0.99;
  with_summaries(rig);
  work(rig, 60);
  const auto done = phases(rig, CompactionPhase::draft_ready);
  CHECK_FALSE(done.empty());
  CHECK(rig.compactor.forced_pauses() <= done.size() / 5);
}

TEST_CASE("one compaction is taken back in place, later turns stay, and comes again") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 12);
  const auto before = count(rig.context.conversation);
  rig.compactor.compact(rig.context, Compact{}, {});
  const auto small = count(rig.context.conversation);
  REQUIRE(small < before);
  work(rig, 1, 100, 50);
  const auto with_more = count(rig.context.conversation);
  rig.compactor.undo(rig.context, 1);
  CHECK(phases(rig, CompactionPhase::undone).size() == 1);
  CHECK(count(rig.context.conversation) == before + with_more - small);
  CHECK(check(rig.context.conversation).empty());
  rig.compactor.undo(rig.context, -1);
  CHECK(count(rig.context.conversation) == with_more);
}

TEST_CASE("an undo that would not fit is refused with the numbers") {
  Rig rig(60'000);
  with_summaries(rig);
  work(rig, 12);
  rig.compactor.compact(rig.context, Compact{}, {});
  const auto small = count(rig.context.conversation);
  rig.context.window_override = 12'000;
  rig.compactor.undo(rig.context, 1);
  CHECK(count(rig.context.conversation) == small);
  REQUIRE_FALSE(rig.seen<Notice>().empty());
  CHECK(rig.seen<Notice>().back().text.find("/recall") != std::string::npos);
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
  const auto requests = rig.script.requests().size();

  SECTION("accepted") {
    rig.compactor.settle_preview(rig.context, {preview.id, true, {}});
    CHECK(count(rig.context.conversation) < before);
  }
  SECTION("discarded") {
    rig.compactor.settle_preview(rig.context, {preview.id, false, {}});
    CHECK(count(rig.context.conversation) == before);
  }
  SECTION("a stale one is refused") {
    rig.compactor.settle_preview(rig.context, {preview.id + 5, true, {}});
    CHECK(count(rig.context.conversation) == before);
  }
  CHECK(rig.script.requests().size() == requests);
}

TEST_CASE("pins stand byte for byte through every tier and count against their budget") {
  Rig rig(32'000);
  with_summaries(rig);
  work(rig, 2);
  rig.compactor.pin(rig.context, {"Never touch the file magic-4711.cfg", true});
  work(rig, 40, 900, 10);
  bool stands = false;
  for (const auto& item : rig.context.conversation.items)
    for (const auto& block : item->blocks)
      if (const auto* text = std::get_if<Text>(&block))
        stands = stands || (item->pinned && text->text.find("magic-4711.cfg") != std::string::npos);
  CHECK(stands);
  rig.compactor.pin(rig.context, {prose(1, 20'000), true});
  CHECK(rig.seen<Notice>().back().text.find("pinBudget") != std::string::npos);
}

TEST_CASE("a conversation with hardly anything to summarise is left alone or made smaller, never a fault") {
  for (int turns = 1; turns < 6; ++turns) {
    Rig rig(32'000);
    with_summaries(rig);
    work(rig, turns, 20);
    const auto before = count(rig.context.conversation);
    rig.compactor.compact(rig.context, Compact{}, {});
    CHECK(count(rig.context.conversation) <= before);
  }
}

TEST_CASE("autoCompress off is off, also when the provider refuses the length") {
  Rig rig(32'000);
  rig.context.config.auto_compress = false;
  rig.script.otherwise([](const Request&) { return test::fails(Failure::overflow, "prompt is too long", 32'000, 40'000); });
  const auto end = rig.turn("go");
  CHECK(end.how == How::failed);
  CHECK(rig.script.requests().size() == 1);
  CHECK(rig.seen<Notice>().back().text.find("autoCompress") != std::string::npos);
}

TEST_CASE("after a compaction in the middle of a task the model gets its list and its small files back") {
  const auto root = test::fresh_folder();
  std::ofstream(root / "small.txt") << "the new content\n";
  Conversation before, after;
  Item item;
  item.role = Role::user;
  item.blocks.push_back(ToolResult{"c1", "Edit", "edited", false, "small.txt", {}, ResultForm::full});
  before.items.push_back(make_item(item));
  Budget budget;
  const auto text = resume_text(before, after, budget,
                                {{"write tests", "in_progress", "Writing tests"}, {"done thing", "completed", ""}}, root);
  CHECK(text.find("the new content") != std::string::npos);
  CHECK(text.find("◐ Writing tests") != std::string::npos);
  CHECK(text.find("☒ done thing") != std::string::npos);
  CHECK(resume_text(before, after, budget, {}, root / "elsewhere").find("the new content") == std::string::npos);
  std::filesystem::remove_all(root);
}

TEST_CASE("the sliding window drops old rounds and keeps the first request") {
  Rig rig(200'000);
  rig.context.config.sliding_window = true;
  rig.context.config.max_turns = 6;
  rig.context.config.keep_recent = 3;
  work(rig, 9, 60);
  std::size_t typed = 0;
  const auto requests = rig.script.requests();
  for (const auto& item : requests.back().conversation.items)
    typed += item->role == Role::user && !item->synthetic && std::holds_alternative<Text>(item->blocks.back());
  CHECK(typed < 9);
  CHECK(rig.bad_request().empty());
}

TEST_CASE("a summary is shown without its tags") {
  CHECK(bare_summary("<analysis>x</analysis>\n<summary>\n1. a\n2. b\n</summary>\n") == "1. a\n2. b");
  CHECK(bare_summary("<state_snapshot>goal</state_snapshot>") == "goal");
  CHECK(bare_summary("<summary> </summary>").empty());
  CHECK(bare_summary("<summary>cut in the mid") == "cut in the mid");
  CHECK(bare_summary("no tags") == "no tags");
}
