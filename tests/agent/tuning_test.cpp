// What /context tune makes of a session's past: one kind of trouble each, with the figures it was seen in.
#include <catch2/catch_test_macros.hpp>

#include "agent/context_tools.h"
#include "agent/store.h"
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
  CHECK(contains(past.advice(), "nothing to change"));
  CHECK(past.changes.empty());
}

TEST_CASE("tuning: too many recalls keep more, and say how many there were") {
  Past past;
  past.happened(Tier::micro, "microcompact", "61 % of the window");
  for (const char* id : {"r4", "r5", "r4"}) past.recalled(id);
  const auto text = past.advice();
  INFO(text);
  CHECK(contains(text, "3 recalls (1 of them again)"));
  CHECK(contains(text, "- protectResults: 8 (3 recalls after 1 compression"));
  CHECK(contains(text, "- microLowWater: 0.35 (3 recalls after 1 compression"));
  CHECK(contains(past.changes, "\"protectResults\":8"));
}

TEST_CASE("tuning: a context that fills up at once is cut deeper") {
  Past past;
  past.happened(Tier::none, "failed", "compact: thrash: refilled to the limit three times in a row");
  const auto text = past.advice();
  INFO(text);
  CHECK(contains(text, "- microLowWater: 0.2 (the context filled up again at once 1 time"));
  CHECK(contains(text, "- compactTarget: 0.4 (the context filled up again at once 1 time"));
  CHECK(contains(past.changes, "\"microLowWater\":0.2"));
}

TEST_CASE("tuning: where the main model fails, too, no model is asked") {
  Past past;
  past.config.small_model = "test/model";
  for (int n = 0; n < 3; ++n) past.happened(Tier::none, "failed", "compact: summary by model: the answer was empty");
  const auto text = past.advice();
  INFO(text);
  CHECK(contains(text, "- strategy: \"local\" (3 summaries failed: compact: summary by model: the answer was empty"));
}
