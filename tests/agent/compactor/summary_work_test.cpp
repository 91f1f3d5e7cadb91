// Summaries are made from originals, in parts at the same time when the range is large; drafts survive a
// restart.
#include "agent/compactor/summary_work.h"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <latch>

#include "agent/compactor/draft.h"
#include "compression/plan/microcompact.h"
#include "compression/values/tokens.h"
#include "tests/agent/turn/long_work.h"

using namespace tern;
using test::phases;
using test::prose;
using test::Rig;
using test::with_summaries;
using test::work;

namespace {

std::string text_of(const Request& request) {
  std::string text;
  for (const auto& item : request.conversation.items)
    for (const auto& block : item->blocks) {
      if (const auto* said = std::get_if<Text>(&block)) text += said->text + '\n';
      if (const auto* summary = std::get_if<Summary>(&block)) text += "SUMMARY " + summary->text + '\n';
      if (const auto* result = std::get_if<ToolResult>(&block)) text += result->text + '\n';
    }
  return text;
}

SummaryRequest ask_for(const Rig& rig) {
  const auto& items = rig.context.conversation.items;
  return summary_request(rig.context.conversation, budget_of(rig.context),
                         {items.front()->id, items.back()->id}, "", {});
}

// A provider whose answers all wait for each other: it only ends when the parts are asked at the same time.
class Together : public Provider {
 public:
  explicit Together(std::latch& all) : all_(all) {}
  void stream(const Request&, const Sink& sink, std::stop_token) override {
    all_.arrive_and_wait();
    sink(UsageReport{{100, 10, 0, 0}});
    sink(BlockDone{Text{"<summary>\n1. Primary request: x\n2. Key concepts: y\n3. Files: z\n</summary>"}});
    sink(Finished{StopReason::end});
  }

 private:
  std::latch& all_;
};

}  // namespace

TEST_CASE("a range larger than one request is asked for in parts at the same time, nothing of it left out") {
  Rig rig(400'000);
  rig.context.config.auto_compress = false;
  work(rig, 60, 900);
  const auto ask = ask_for(rig);
  REQUIRE(count(ask.source) > 100'000);
  const auto& model = rig.context.model;
  auto work_to_do = summary_work(ask, *rig.store, model, {});
  REQUIRE(work_to_do.requests.size() > 1);
  std::string all;
  for (const auto& request : work_to_do.requests) {
    CHECK(count(request.conversation) <= 60'000);
    CHECK(check(request.conversation).empty());
    CHECK_FALSE(request.may_call_tools);
    all += text_of(request);
  }
  for (int i = 0; i < 60; ++i)
    CHECK(all.find("Please look at f" + std::to_string(i) + ".txt") != std::string::npos);
  CHECK(all.find("This is part 2 of ") != std::string::npos);
  Tokens words = 0;  // what the parts may have together leaves room for the kept messages and the index
  for (const auto& request : work_to_do.requests) {
    const auto text = text_of(request);
    words += std::stoi(text.substr(text.rfind("Stay under ") + 11));
  }
  CHECK(words * 4 / 3 < ask.target - estimate(ask.kept) - estimate(ask.index));

  std::latch together(static_cast<std::ptrdiff_t>(work_to_do.requests.size()));
  Providers providers;
  for (std::size_t i = 0; i < work_to_do.requests.size(); ++i)
    providers.push_back(std::make_unique<Together>(together));
  const auto answer = ask_for_summary(providers, work_to_do, {});
  CHECK(answer.error.empty());
  CHECK(answer.usage.input == 100 * static_cast<Tokens>(work_to_do.requests.size()));
  CHECK(answer.parts.size() == work_to_do.requests.size());
  CHECK(std::holds_alternative<Edits>(with_summary(ask, answer.text, answer.complete)));
}

TEST_CASE("a range larger than the small model's window is summarised in parts that fit it") {
  Rig rig(400'000);
  rig.context.config.auto_compress = false;
  work(rig, 40, 900);
  auto small = rig.context.model;
  small.name = "small";
  small.window = 24'000;
  const auto made = summary_work(ask_for(rig), *rig.store, small, {});
  CHECK(made.requests.size() > 3);
  std::string all;
  for (const auto& request : made.requests) {
    CHECK(count(request.conversation) + request.max_output < small.window);
    all += text_of(request);
  }
  for (int i = 0; i < 40; ++i)
    CHECK(all.find("Please look at f" + std::to_string(i) + ".txt") != std::string::npos);
}

TEST_CASE("one failing part fails the whole, and the ladder goes on") {
  Rig rig(400'000);
  rig.context.config.auto_compress = false;
  work(rig, 60, 900);
  std::atomic<int> asked = 0;
  rig.script.summaries([&](const Request&) {
    return ++asked == 2 ? test::fails(Failure::server, "broken") : test::says(test::good_summary, {500, 100});
  });
  const auto before = count(rig.context.conversation);
  rig.compactor.compact(rig.context, {}, {});
  CHECK(asked >= 2);
  CHECK_FALSE(phases(rig, CompactionPhase::failed).empty());
  CHECK(count(rig.context.conversation) < before);
}

TEST_CASE("shortened results are whole again in what a summary is made of") {
  Rig rig(200'000);
  rig.context.config.protect_results = 0;
  work(rig, 12, 400);
  const auto plain = ask_for(rig);
  const auto cuts =
      microcompact(rig.context.conversation, budget_of(rig.context), {.target = 0, .oldest = 1.0});
  rig.context.conversation = tern::apply(rig.context.conversation, cuts);
  const auto ask = ask_for(rig);
  REQUIRE(count(ask.source) < count(plain.source) / 2);
  const auto line = prose(3, 400).substr(0, prose(3, 400).find('\n'));
  const auto whole = summary_work(ask, *rig.store, rig.context.model, {});
  REQUIRE(whole.requests.size() == 1);
  CHECK(text_of(whole.requests.front()).find(line) != std::string::npos);
  SECTION("but a warm cache is not broken for results alone") {
    const auto warm = summary_work(ask, *rig.store, rig.context.model, {"system", {}, true});
    REQUIRE(warm.requests.size() == 1);
    CHECK(text_of(warm.requests.front()).find(line) == std::string::npos);
  }
}

TEST_CASE("no summary is made from a summary of summaries: their first ones are read") {
  Rig rig(60'000);
  int made = 0;
  std::vector<std::string> seen;
  rig.script.summaries([&](const Request& request) {
    seen.push_back(text_of(request));
    return test::says("<summary>\n1. Primary request: go on\n3. Files and code: fact-" +
                          std::to_string(++made) + "\n8. Current work: reading\n</summary>",
                      {500, 100});
  });
  const auto everything = ItemRange{ItemId{1}, ItemId{~0ull}};
  for (int i = 0; i < 4; ++i) {
    work(rig, 4, 400, i * 10);
    rig.compactor.compact(rig.context, {{}, {}, false, everything}, {});
  }
  REQUIRE(made >= 4);
  // The last compaction covers a summary that stands for all before it; what it reads are the first
  // summaries, each itself.
  std::string leaves;
  for (const auto& text : seen)
    if (text.find("[Summary r") != std::string::npos) leaves = text;
  CHECK(leaves.find("fact-1") != std::string::npos);
  for (const auto& text : seen) CHECK(text.find("SUMMARY ") == std::string::npos);
  const auto parts_of_one = [](const std::string& text) {
    std::size_t n = 0;
    for (auto at = text.find("[Summary r"); at != std::string::npos; at = text.find("[Summary r", at + 1))
      ++n;
    return n;
  };
  CHECK(parts_of_one(leaves) == 3);
}

TEST_CASE("a finished draft outlives the process that paid for it") {
  const auto folder = test::fresh_folder() / "store";
  std::filesystem::create_directories(folder);
  {
    Rig rig(32'000, folder);
    rig.context.config.micro_at = 0.99;
    with_summaries(rig);
    for (int i = 0; i < 60 && !rig.store->draft(); ++i) {
      work(rig, 1, 600, i);
      while (rig.compactor.draft_pending()) std::this_thread::yield();
      rig.compactor.keep_draft(rig.context);
    }
    REQUIRE(rig.store->draft());
    rig.compactor.stop_drafting();
  }
  Rig rig(32'000, folder);
  rig.context.config.micro_at = 0.99;
  rig.script.summaries([](const Request&) { return test::fails(Failure::server, "nobody may ask again"); });
  rig.compactor.resumed(rig.context);
  REQUIRE(rig.compactor.draft_ready());
  for (int i = 200; rig.compactor.swapped() == 0 && i < 240; ++i) work(rig, 1, 600, i);
  CHECK(rig.compactor.swapped() == 1);
  CHECK(phases(rig, CompactionPhase::failed).empty());
  CHECK_FALSE(rig.store->draft());
  std::filesystem::remove_all(folder.parent_path());
}

TEST_CASE("when the small model's draft fails the main model writes one, and nobody waits") {
  Rig rig(32'000);
  rig.context.config.micro_at = 0.99;
  rig.context.config.small_model = "test/small";
  std::atomic<int> small = 0;
  rig.script.summaries([&](const Request& request) {
    if (request.model == "model") return test::says(test::good_summary, {500, 100});
    ++small;
    return test::fails(Failure::server, "the small model is down");
  });
  work(rig, 40, 600);
  CHECK(small > 0);
  CHECK(rig.compactor.swapped() >= 2);
  CHECK(rig.compactor.forced_pauses() == 0);
  for (const auto& one : rig.store->compactions())
    if (one.tier == Tier::compact) CHECK(one.model == "model");
}

TEST_CASE("when no model can draft, the summary without one takes its place at once") {
  Rig rig(32'000);
  rig.context.config.micro_at = 0.99;
  rig.script.summaries([](const Request&) { return test::fails(Failure::server, "down"); });
  work(rig, 40, 600);
  CHECK(rig.compactor.forced_pauses() == 0);
  std::size_t local = 0;
  for (const auto& one : rig.store->compactions())
    local += one.tier == Tier::compact && one.strategy != "sections";
  CHECK(local >= 1);
}

TEST_CASE("a draft that is under way is not thrown away by a microcompaction of what it covers") {
  Rig rig(32'000);
  rig.context.config.draft_at = 0.5;
  rig.context.config.micro_low_water = 0.55;  // results alone never bring it below the draft's mark
  rig.context.config.min_compressible = 0;
  with_summaries(rig);
  work(rig, 60, 500);
  std::size_t drafts = 0;
  for (const auto& one : rig.store->compactions(true)) drafts += one.strategy == "draft";
  CHECK(rig.compactor.swapped() >= 3);
  CHECK(drafts <= rig.compactor.swapped() + 1);  // the last may still be waiting
}

TEST_CASE("a stored draft whose messages have changed is dropped") {
  const auto folder = test::fresh_folder() / "store";
  std::filesystem::create_directories(folder);
  Rig rig(60'000, folder);
  work(rig, 6, 300);
  const auto& items = rig.context.conversation.items;
  rig.store->put_draft({{items.front()->id, items[5]->id},
                        "<summary>1. old</summary>",
                        "test/model",
                        "sections",
                        "another",
                        0.1,
                        true});
  rig.compactor.resumed(rig.context);
  CHECK_FALSE(rig.compactor.draft_ready());
  CHECK_FALSE(rig.store->draft());
  std::filesystem::remove_all(folder.parent_path());
}

TEST_CASE(
    "no request for a summary is longer than the conversation's own window, whatever the small model can "
    "take") {
  Rig rig(16'000);
  rig.context.config.small_model = "anthropic/claude-haiku-4-5";
  with_summaries(rig);
  work(rig, 40, 500);
  rig.compactor.compact(rig.context, {},
                        {});  // of results that the second tier has shortened: they are whole again in it
  std::size_t summaries = 0;
  for (const auto& request : rig.script.requests()) {
    if (request.may_call_tools) continue;
    ++summaries;
    CHECK(count(request.conversation) < 16'000);
  }
  CHECK(summaries > 0);
}
