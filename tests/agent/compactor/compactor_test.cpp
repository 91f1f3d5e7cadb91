#include "agent/compactor/compactor.h"

#include <catch2/catch_test_macros.hpp>
#include <map>

#include "agent/compactor/resume_rule.h"
#include "agent/compactor/tuning.h"
#include "tests/agent/turn/long_work.h"

using namespace tern;
using test::call;
using test::fullest;
using test::phases;
using test::prompts;
using test::prose;
using test::Rig;
using test::with_summaries;
using test::work;
using How = TurnEnded::How;

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
    rig.script.then(test::calls(
        {call("c" + std::to_string(i), "Read", R"({"file_path":")" + (rig.root / name).string() + R"("})")}));
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

TEST_CASE("nobody waits for an automatic compaction: the draft is ready in nine of ten long sessions") {
  int automatic = 0, swapped = 0, without_a_pause = 0, sessions = 0;
  std::map<std::string, int> why;
  for (const Tokens window : {24'000, 32'000, 48'000, 64'000}) {
    for (const int words : {300, 600, 900}) {
      Rig rig(window);
      rig.context.config.micro_at = 0.99;  // summaries have to do the work
      rig.script.summaries([](const Request&) {
        return test::says("<summary>\n1. Primary request: go on\n8. Current work: reading\n</summary>",
                          {500, 100});
      });
      work(rig, 50, words);
      ++sessions;
      without_a_pause += rig.compactor.forced_pauses() == 0;
      swapped += static_cast<int>(rig.compactor.swapped());
      automatic += static_cast<int>(rig.compactor.swapped() + rig.compactor.forced_pauses());
      CHECK(fullest(rig) < 1.0);
      for (const auto& one : phases(rig, CompactionPhase::started)) ++why[one.why];
      for (const auto& one : phases(rig, CompactionPhase::failed)) ++why[one.why];
    }
  }
  std::string reasons;
  for (const auto& [reason, times] : why) reasons += std::to_string(times) + "x " + reason + '\n';
  INFO(reasons);
  INFO(swapped << " of " << automatic << " swapped in from a draft; " << without_a_pause << " of " << sessions
               << " sessions without a pause");
  REQUIRE(automatic >= 20);
  CHECK(swapped * 10 >= automatic * 9);
  CHECK(without_a_pause * 10 >= sessions * 9);
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
  rig.script.otherwise(
      [](const Request&) { return test::fails(Failure::overflow, "prompt is too long", 32'000, 40'000); });
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
  const auto text =
      resume_text(before, after, budget,
                  {{"write tests", "in_progress", "Writing tests"}, {"done thing", "completed", ""}}, root);
  CHECK(text.find("the new content") != std::string::npos);
  CHECK(text.find("◐ Writing tests") != std::string::npos);
  CHECK(text.find("☒ done thing") != std::string::npos);
  CHECK(resume_text(before, after, budget, {}, root / "elsewhere").find("the new content") ==
        std::string::npos);
  std::filesystem::remove_all(root);
}

TEST_CASE("the sliding window puts one summary in the place of old rounds") {
  Rig rig(200'000);
  rig.context.config.sliding_window = true;
  rig.context.config.max_turns = 6;
  rig.context.config.keep_recent = 3;
  work(rig, 9, 60);
  std::size_t typed = 0, summaries = 0;
  const auto requests = rig.script.requests();
  for (const auto& item : requests.back().conversation.items) {
    typed +=
        item->role == Role::user && !item->synthetic && std::holds_alternative<Text>(item->blocks.back());
    summaries += std::holds_alternative<Summary>(item->blocks.front());
  }
  CHECK(typed < 9);
  CHECK(summaries == 1);
  CHECK(rig.bad_request().empty());
}

TEST_CASE("a summary is shown without its tags") {
  CHECK(bare_summary("<analysis>x</analysis>\n<summary>\n1. a\n2. b\n</summary>\n") == "1. a\n2. b");
  CHECK(bare_summary("<state_snapshot>goal</state_snapshot>") == "goal");
  CHECK(bare_summary("<summary> </summary>").empty());
  CHECK(bare_summary("<summary>cut in the mid") == "cut in the mid");
  CHECK(bare_summary("no tags") == "no tags");
}

TEST_CASE(
    "microcompact waits while the cache is warm and it would not pay, and runs at once when it is cold") {
  Rig rig(64'000);
  auto& config = rig.context.config;
  config.auto_compress = false;
  config.protect_results = 0;
  config.compact_at = config.draft_at = 0.90;
  for (int i = 0; fill_share(rig.context) < 0.62; ++i) work(rig, 1, 500, i);
  auto& model = rig.context.model;
  model.priced = model.caching = true;
  model.input = 3;
  model.cache_read = 0.003;  // rereading costs next to nothing: no cut pays soon
  model.cache_write = 3.75;
  rig.context.gauges.reported(rig.context.estimated(), {0, 50, rig.context.estimated(), 0}, model, rig.clock);
  config.auto_compress = true;
  REQUIRE(fill_share(rig.context) < 0.70);
  rig.compactor.make_room(rig.context, {});
  CHECK(phases(rig, CompactionPhase::completed).empty());
  CHECK(rig.compactor.status().find("microcompact waits: costs ") != std::string::npos);
  CHECK(compaction_log_text(*rig.store).find("wait\n    microcompact waits: costs ") != std::string::npos);
  rig.clock += std::chrono::hours(1);
  rig.compactor.make_room(rig.context, {});
  REQUIRE(phases(rig, CompactionPhase::completed).size() == 1);
  CHECK(phases(rig, CompactionPhase::completed).front().tier == Tier::micro);
  CHECK(phases(rig, CompactionPhase::completed).front().cost.find(" · cache cold (60 min)") !=
        std::string::npos);
}

TEST_CASE("one-liners are the small model's when the configuration says so") {
  Rig rig(32'000);
  rig.context.config.micro_by_model = true;
  rig.context.config.protect_results = 0;
  rig.script.summaries([](const Request& request) {
    const auto& asked = std::get<Text>(request.conversation.items.back()->blocks.front()).text;
    return asked.find("Below are numbered tool results") == 0
               ? test::says("1: the first listing, by a model\n2: the second\n")
               : test::says(test::good_summary, {500, 100});
  });
  work(rig, 8);
  bool found = false;
  for (const auto& request : rig.script.requests())
    for (const auto& item : request.conversation.items)
      for (const auto& block : item->blocks)
        if (const auto* result = std::get_if<ToolResult>(&block))
          found = found || result->text.find("[Compacted: the first listing, by a model") == 0;
  CHECK(found);
}

TEST_CASE("what left the context is read in full again, what stands in it is not") {
  Rig rig(32'000);
  with_summaries(rig);
  rig.context.config.protect_results = 0;
  rig.context.config.auto_compress = false;
  rig.write("same.txt", prose(1, 200));
  const auto read = [&](const std::string& id) {
    rig.script
        .then(
            test::calls({call(id, "Read", R"({"file_path":")" + (rig.root / "same.txt").string() + R"("})")}))
        .then(test::says("seen"));
    REQUIRE(rig.turn("read it, " + id).how == How::done);
    return rig.seen<ToolFinished>().back().text;
  };
  const auto first = read("a1"), second = read("a2");
  CHECK(second.size() < first.size() / 2);  // unchanged
  work(rig, 4, 300);
  rig.compactor.compact(rig.context, {}, {});
  CHECK(read("a3") == first);
}

TEST_CASE("a compaction in the middle of a task is followed by what the model needs to go on") {
  Rig rig(32'000);
  rig.context.config.micro_at = 0.99;  // straight to summaries
  with_summaries(rig);
  rig.hands.todos = {{"read all files", "in_progress", "Reading all files"}};
  rig.write("small.txt", "the small file as it is now\n");
  rig.script.then(
      test::calls({call("r", "Read", R"({"file_path":")" + (rig.root / "small.txt").string() + R"("})")}));
  rig.script.then(test::calls({call("s", "Edit",
                                    R"({"file_path":")" + (rig.root / "small.txt").string() +
                                        R"(","old_string":"as it is now","new_string":"as it is then"})")}));
  for (int i = 0; i < 30; ++i) {
    const auto name = "f" + std::to_string(i) + ".txt";
    rig.write(name, prose(static_cast<unsigned>(i), 900));
    rig.script.then(test::calls(
        {call("c" + std::to_string(i), "Read", R"({"file_path":")" + (rig.root / name).string() + R"("})")}));
  }
  rig.script.then(test::says("all read"));
  CHECK(rig.turn("read all of them").how == How::done);
  bool told = false, listed = false, fresh = false;
  for (const auto& request : rig.script.requests())
    for (const auto& item : request.conversation.items)
      for (const auto& block : item->blocks) {
        const auto* text = std::get_if<Text>(&block);
        if (!text || !item->synthetic) continue;
        told = told || text->text.find("compacted in the middle of your task") != std::string::npos;
        listed = listed || text->text.find("◐ Reading all files") != std::string::npos;
        fresh = fresh || text->text.find("the small file as it is then") != std::string::npos;
      }
  CHECK(told);
  CHECK(listed);
  CHECK(fresh);  // it was changed after it was read last
}

TEST_CASE("Esc during a compaction stops it, and the context is as it was") {
  Rig rig(32'000);
  std::stop_source esc;
  rig.script.summaries([&](const Request&) {
    auto reply = test::hangs("<summary>\n1. ");
    reply.before = [&](const Request&) { esc.request_stop(); };
    return reply;
  });
  rig.context.config.auto_compress = false;
  work(rig, 6);
  const auto before = count(rig.context.conversation);
  rig.compactor.compact(rig.context, {}, esc.get_token());
  CHECK(count(rig.context.conversation) == before);
  REQUIRE_FALSE(phases(rig, CompactionPhase::failed).empty());
  CHECK(phases(rig, CompactionPhase::failed).back().why == "cancelled");
}

TEST_CASE("every decision stands in the log with its reason, and tuning quotes them") {
  Rig rig(32'000);
  rig.context.config.micro_at = 0.99;  // straight to summaries
  rig.script.summaries(
      [](const Request&) { return test::fails(Failure::server, "the small model is down"); });
  work(rig, 40);
  const auto log = compaction_log_text(*rig.store);
  CHECK(log.find("draft by model at ") != std::string::npos);
  CHECK(log.find("summary failed\n    compact: ") != std::string::npos);
  CHECK(log.find("the small model is down") != std::string::npos);
  CHECK(log.find("compact · local") != std::string::npos);
  std::string changes;
  rig.context.config.small_model = "test/small";
  const auto text = tuning_text(*rig.store, rig.context.config, "test/model", changes);
  CHECK(text.find("smallModel: \"test/model\"") != std::string::npos);
  CHECK(text.find("the small model is down") != std::string::npos);
  CHECK(changes.find("\"smallModel\":\"test/model\"") != std::string::npos);
}
