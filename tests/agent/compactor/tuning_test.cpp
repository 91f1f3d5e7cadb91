// What /context tune makes of a session's past: one kind of trouble each, with the figures it was seen in.
#include <catch2/catch_test_macros.hpp>

#include "agent/compactor/tuning.h"
#include "agent/store/store.h"
#include "tests/support/store_folder.h"

using namespace tern;

namespace {

struct Past {
  test::StoreFolder folder;
  std::unique_ptr<Store> store = folder.store();
  CompressionConfig config;
  std::string changes;

  Past() { store->create({}); }
  void happened(Tier tier, const std::string& strategy, const std::string& why) {
    CompactionRecord record;
    record.batch = store->next_batch();
    record.tier = tier, record.strategy = strategy, record.why = why;
    record.before = 100'000, record.after = 50'000;
    store->log({record.batch, {}}, record);
  }
  void recalled(const std::string& id) { store->put_original("what had left", "Recall", id); }
  std::string advice() { return tuning_text(*store, config, "test/model", changes); }
};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("tuning: nothing that went wrong changes nothing") {
  Past past;
  past.happened(Tier::compact, "sections", "82 % of the window");
  past.recalled("r4");
  CHECK(contains(past.advice(), "no changes suggested"));
  CHECK(past.changes.empty());
}

TEST_CASE("tuning: too many recalls keep more, and say how many there were") {
  Past past;
  past.happened(Tier::micro, "microcompact", "61 % of the window");
  for (const char* id : {"r4", "r5", "r4"}) past.recalled(id);
  const auto text = past.advice();
  INFO(text);
  CHECK(contains(text, "3 recalls (1 repeated)"));
  CHECK(contains(text, "- protectResults: 8 (3 recalls after 1 compression"));
  CHECK(contains(text, "- microLowWater: 0.25 (3 recalls after 1 compression"));
  CHECK(contains(past.changes, "\"protectResults\":8"));
}

TEST_CASE("tuning: a context that fills up at once is cut deeper") {
  Past past;
  past.config.micro_low_water = 0.3;
  past.happened(Tier::none, "thrash", "refilled to the limit three times in a row");
  const auto text = past.advice();
  INFO(text);
  CHECK(contains(text, "- microLowWater: 0.2 (the context filled up again at once 1 time"));
  CHECK(contains(text, "- compactTarget: 0.4 (the context filled up again at once 1 time"));
  CHECK(contains(past.changes, "\"microLowWater\":0.2"));
}

TEST_CASE("tuning: where the main model fails, too, no model is asked") {
  Past past;
  past.config.small_model = "test/model";
  for (int n = 0; n < 3; ++n)
    past.happened(Tier::none, "summary failed", "compact: summary by model: the answer was empty");
  const auto text = past.advice();
  INFO(text);
  CHECK(contains(
      text, "- strategy: \"local\" (3 summaries failed: compact: summary by model: the answer was empty"));
}

TEST_CASE("tuning: drafts that were waited for draft earlier, and say how long it was") {
  Past past;
  for (int n = 0; n < 2; ++n) {
    CompactionRecord record;
    record.batch = past.store->next_batch();
    record.tier = Tier::compact, record.strategy = "sections",
    record.why = "81% of 160k; the draft of the summary was waited for";
    record.before = 100'000, record.after = 50'000, record.pause_ms = 4'200;
    past.store->log({record.batch, {}}, record);
  }
  const auto text = past.advice();
  INFO(text);
  CHECK(contains(text, "- draftAt: 0.65 (2 automatic compactions made you wait, up to 4 s"));
}

TEST_CASE("tuning: the same original asked for again and again keeps more") {
  Past past;
  for (int n = 0; n < 20; ++n) past.happened(Tier::compact, "sections", "81% of 160k");
  for (int n = 0; n < 4; ++n) past.recalled("r4");
  const auto text = past.advice();
  INFO(text);
  CHECK(contains(text, "- protectResults: 8 (3 originals were recalled again"));
}

TEST_CASE("tuning: small cuts that follow each other at once are seen by their messages") {
  Past past;
  past.config.micro_low_water = 0.3;
  for (int n = 0; n < 3; ++n) {
    CompactionRecord record;
    record.batch = past.store->next_batch();
    record.tier = Tier::micro, record.strategy = "microcompact";
    record.before = 100'000, record.after = 60'000,
    record.messages_before = 100 + 2 * static_cast<std::size_t>(n);
    record.messages_after = record.messages_before;
    past.store->log({record.batch, {}}, record);
  }
  CHECK(contains(past.advice(), "- microLowWater: 0.2 (microcompaction freed little and came again soon"));
}

TEST_CASE("tuning: evidence is used once, and what is applied unasked stays within bounds") {
  Past past;
  past.config.micro_low_water = 0.3;
  past.happened(Tier::none, "thrash", "refilled to the limit three times in a row");
  for (int n = 0; n < 3; ++n)
    past.happened(Tier::none, "summary failed", "compact: summary by small: the answer was empty");
  const auto all = tuning(*past.store, past.config, "test/model");
  const auto unasked = within_bounds(all);
  CHECK(contains(changes_of(all), "smallModel"));
  CHECK(changes_of(unasked) == R"({"compactTarget":0.4,"microLowWater":0.2})");
  past.config.micro_low_water = 0.2;
  for (const auto& one : within_bounds(tuning(*past.store, past.config, "test/model")))
    CHECK(one.key != "microLowWater");
  note_tuning(*past.store, unasked);
  CHECK(tuning(*past.store, past.config, "test/model").empty());
  CHECK(contains(past.store->compactions(true).back().why,
                 "microLowWater 0.2: the context filled up again at once"));
}
