#include "compression/values/budget.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/support/script.h"

using namespace tern;
using test::script;

namespace {
std::string picture(const Conversation& conversation, const CompressionConfig& config = {}) {
  std::string shown;
  for (const bool keep : protected_items(conversation, config)) shown += keep ? 'P' : '.';
  return shown;
}
}  // namespace

TEST_CASE(
    "protected are the system, the first request, the last three of the user, the last answer, the last "
    "results") {
  std::string text =
      "system s\nuser first request\nassistant a\nuser second\nassistant b\nuser third\nassistant c\n";
  CHECK(picture(script(text)) == "PP.P.PP");
  text += "user fourth\n";
  CHECK(picture(script(text)) == "PP.P.PPP");
  text += "assistant d\nuser fifth\nassistant e\nuser sixth";
  CHECK(picture(script(text)) == "PP.....P.PPP");
}

TEST_CASE("the last five results are protected, older ones are not, unless pinned") {
  std::string text = "user go\n";
  for (int i = 1; i <= 7; ++i) {
    text += "call " + std::to_string(i) + " Read a\nresult " + std::to_string(i) + " = x\n";
    if (i == 1) text += "pin\n";
  }
  CHECK(picture(script(text)) == "P.P...P.P.P.PPP");
}

TEST_CASE("tern's own messages are not the user's") {
  CHECK(picture(script("summary 1-4 old\nuser a\nassistant b\nuser c\nassistant d\nuser e")) == ".P.PPP");
}

TEST_CASE("usage counts the zones, the fixed part and the pending input, calibrated") {
  const auto conversation =
      script("system s\nuser a\ncall 1 Read x\nresult 1 2000 tokens\nassistant b\nuser c");
  Budget budget{.window = 10'000, .reserve = 2'000, .fixed = 500, .pending = 100};
  budget.config.protect_results = 0;
  const auto before = usage(conversation, budget);
  CHECK(before.compressible > 1'900);
  CHECK(before.used == before.system + before.protected_part + before.compressible + 100);
  CHECK(before.share == Catch::Approx(static_cast<double>(before.used) / 8'000));
  budget.calibration = 1.5;
  CHECK(static_cast<double>(usage(conversation, budget).used) == Catch::Approx(before.used * 1.5).margin(1));
  CHECK(uncalibrated(1'500, budget) == 1'000);
}

TEST_CASE("the bands of use") {
  CHECK(band(0.0) == Band::calm);
  CHECK(band(0.399) == Band::calm);
  CHECK(band(0.40) == Band::light);
  CHECK(band(0.60) == Band::busy);
  CHECK(band(0.80) == Band::high);
  CHECK(band(0.95) == Band::full);
  CHECK(band(1.7) == Band::full);
}

TEST_CASE("the reserve is what is asked for, within 20k and an eighth of the window") {
  CHECK(output_reserve(200'000, 8'000) == 8'000);
  CHECK(output_reserve(200'000, 64'000) == 20'000);
  CHECK(output_reserve(32'000, 8'000) == 4'000);
}

TEST_CASE("a model's optimum is the working limit when it is below the window") {
  Budget budget{.window = 128'000, .reserve = 8'000};
  CHECK(working_limit(budget) == 120'000);
  budget.optimum = 80'000;
  CHECK(working_limit(budget) == 80'000);
  budget.optimum = 500'000;
  CHECK(working_limit(budget) == 120'000);
}

TEST_CASE("a trigger in tokens that the person set is the mark of a compaction, whatever the window") {
  Budget budget{.window = 400'000, .reserve = 0};
  budget.config.trigger_tokens = 60'000;
  budget.config.trigger_alone = true;
  CHECK(working_limit(budget) == 75'000);
  CHECK(compaction_goal(budget) == 30'000);  // half of the trigger
  Usage usage;
  usage.compressible = usage.used = 60'000;
  CHECK(compaction_due(usage, 10, budget));
  usage.compressible = usage.used = 59'000;
  CHECK_FALSE(compaction_due(usage, 10, budget));
  budget.config.trigger_alone = false;
  usage.compressible = usage.used = 60'000;
  CHECK_FALSE(compaction_due(usage, 10, budget));
}

TEST_CASE("recentMessages and countSystem change what the absolute threshold is compared with") {
  std::string text = "system Be brief\n";
  for (int i = 1; i <= 10; ++i) {
    const auto n = std::to_string(i);
    text += "user question " + n + "\ncall " + n + " Read f" + n + ".cpp\nresult " + n +
            " 400 tokens\nassistant answer " + n + "\n";
  }
  const auto conversation = test::script(text);
  Budget budget;
  budget.fixed = 5'000;
  budget.config.absolute_threshold = 2'000;
  const auto due = [&] {
    return compaction_due(usage(conversation, budget), conversation.items.size(), budget);
  };
  const auto old = usage(conversation, budget).compressible;
  REQUIRE(old < 3'000);
  CHECK(due() == (old > 2'000));
  budget.config.recent_messages = 3;  // the founding figure: only the last turn stays out
  CHECK(due());
  budget.config.recent_messages = 38;
  CHECK_FALSE(due());
  budget.config.count_system = true;
  CHECK(due());  // 5,000 of the system prompt
}

TEST_CASE("the newest results are spared as far as they fit, for a summary with all that follows them") {
  std::string text = "user go\n";
  for (int i = 1; i <= 8; ++i) {
    const auto n = std::to_string(i);
    text += "call " + n + " Bash x\nresult " + n + " 100 tokens\nassistant " + std::string(4'000, 'a') + "\n";
  }
  const auto conversation = test::script(text);
  const auto spared = [&](Tokens room, Spared counted) {
    return sparing_what_fits(conversation, {}, room, counted).config.protect_results;
  };
  const auto tokens = [&](std::size_t i) {
    return conversation.items[conversation.items.size() - i]->tokens;
  };
  const Tokens two = tokens(2) + tokens(3) + tokens(4) + tokens(5);  // the newest two rounds
  CHECK(spared(100'000, Spared::rounds) == 5);
  CHECK(spared(two, Spared::rounds) == 2);
  CHECK(spared(two - 1, Spared::rounds) == 1);
  const Tokens since = two + tokens(1);
  CHECK(spared(since, Spared::everything_since) == 2);
  CHECK(spared(since - 1, Spared::everything_since) == 1);
  CHECK(spared(0, Spared::everything_since) == 1);
}
