// Every setting of the compression changes what a model is sent: one row a key. A new key without a row
// fails.
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.h"
#include "app/config/config_keys.h"
#include "compression/plan/plan.h"
#include "compression/reading/snip.h"
#include "compression/reading/summarize.h"
#include "compression/values/blocks.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"

using namespace tern;

namespace {

constexpr const char* written_summary =
    "<analysis>x</analysis>\n<summary>\n1. Primary request and intent: go on with the parts, and keep every "
    "test of them green.\n"
    "7. Pending tasks: the rest of the parts.\n8. Current work: reading.\n</summary>";

// A person asks, the model reads, searches, runs, edits and says why.
std::string work_on_parts(int turns) {
  std::string text;
  for (int i = 0; i < turns; ++i) {
    const auto n = std::to_string(i), base = std::to_string(i * 4);
    text += "user Please change part " + n + " and keep its tests green.\n";
    text += "call " + base + "1 Read src/part" + n + ".cpp\nresult " + base + "1 120 lines\n";
    text += "call " + base + "2 Bash make part" + n + "\nresult " + base + "2 " + (i == 1 ? "900" : "60") +
            " lines\n";
    text += "call " + base + "3 Edit src/part" + n + ".cpp\nresult " + base + "3 = done\n";
    text += "assistant Changed part" + n + " because the old_name_" + n +
            " hid what it does; decided to keep file_" + n + ".h.\n";
  }
  return text;
}

struct Lived {
  Config config;
  Budget budget{.window = 30'000, .reserve = 3'000, .fixed = 1'500};
  int turns = 40;
};

// As the agent lives it: what enters is snipped, before each request the tiers run, a summary is answered at
// once.
std::string context_of(const Lived& world) {
  Budget budget = world.budget;
  budget.config = world.config.compression;
  Conversation context;
  ItemId next{100'000};
  std::string asked;
  for (const auto& item : test::script(work_on_parts(world.turns)).items) {
    if (item->role == Role::assistant) {
      const Plan due = plan(context, budget, {.cache_cold = true});
      Edits edits = due.edits;
      if (due.ask) {
        asked += due.ask->instructions + std::to_string(due.ask->target) + due.ask->index + due.ask->said;
        if (auto made = with_summary(*due.ask, written_summary, true);
            auto* taken = std::get_if<Edits>(&made))
          edits = std::move(*taken);
      }
      give_ids(edits, next);
      context = tern::apply(context, edits);
    }
    context.items.push_back(
        std::make_shared<const Item>(snip(*item, budget, {.share = usage(context, budget).share})));
    asked += std::to_string(count(context)) + ' ';  // a difference may be gone at the end, but it was sent
  }
  return asked + test::to_script(context, 1'000'000);
}

struct Setting {
  const char* key;
  const char* value;
  std::vector<std::pair<const char*, const char*>> with = {};  // what else is set, on both sides
  Tokens window = 30'000;
};

using Together = std::vector<std::pair<const char*, const char*>>;
const Together summaries{{"microAt", "0.79"}, {"microLowWater", "0.78"}};
const Together sliding{{"slidingWindow", "true"}, {"maxTurns", "8"}, {"keepRecent", "4"}};

const std::vector<Setting>& settings_shown() {
  static const std::vector<Setting> table{
      {"autoCompress", "false"},
      {"microAt", "0.4"},
      {"compactAt", "0.9", summaries},
      {"truncateAt",
       "0.7",
       {{"microAt", "0.68"}, {"microLowWater", "0.67"}, {"compactAt", "0.69"}, {"minMessages", "100000"}}},
      {"microLowWater", "0.55"},
      {"compactTarget", "0.3", summaries},
      {"snipLimit", "600"},
      {"snipRelaxed", "600", {{"snipLimit", "500"}}},
      {"readLimit", "600", {{"snipLimit", "500"}}},
      {"snipHead", "0.1"},
      {"snipTail", "0.1"},
      {"snipHalves", "true"},
      {"maxToolOutput", "900", {{"snipHalves", "true"}}},
      {"maxTurns", "5", sliding},
      {"keepRecent", "2", sliding},
      {"slidingWindow", "true", {{"maxTurns", "8"}, {"keepRecent", "4"}}},
      {"summaryMaxChars", "60", summaries},
      {"importanceThreshold", "0.99", summaries, 60'000},
      {"keepLastToolRounds", "6", {{"strategy", "tools"}, {"microAt", "0.79"}, {"microLowWater", "0.78"}}},
      {"preserveToolCalls", "false", sliding},
      {"protectUserMessages", "12", summaries},
      {"protectResults", "1"},
      {"minCompressible", "0.9"},
      {"absoluteThreshold", "3000"},
      {"recentMessages", "0", {{"absoluteThreshold", "9000"}}},
      {"countSystem", "true", {{"absoluteThreshold", "9000"}}},
      {"triggerTokens", "8000"},
      {"triggerMessages", "20", {{"minMessages", "5"}}},
      {"minMessages", "100000", summaries},
      {"targetRatio", "0.2", {{"strategy", "oldest"}, {"microAt", "0.79"}, {"microLowWater", "0.78"}}},
      {"strategy", "snapshot", summaries},
      {"style", "snapshot", summaries},
      {"indexBudget", "100", summaries},
  };
  return table;
}

// What acts beside the plan: shown by the tests of tuning, drafts, one-liners, summaries, pins and pauses.
const std::set<std::string> shown_elsewhere{"autoTune",     "draftAt",   "microByModel",
                                            "smallModel",   "pinBudget", "noteBudget",
                                            "contextStyle", "coldCache", "longCache"};

Lived lived_with(const Setting& row) {
  Lived made;
  made.budget.window = row.window;
  const auto set = [&](const char* key, const char* value) {
    CHECK(set_config(made.config, std::string(kCompression) + key, value, "test").empty());
  };
  for (const auto& [key, value] : row.with) set(key, value);
  return made;
}

}  // namespace

TEST_CASE("each setting of the compression shows in what the model is sent") {
  for (const Setting& row : settings_shown()) {
    INFO(row.key << " = " << row.value);
    Lived made = lived_with(row);
    const auto before = context_of(made);
    CHECK(set_config(made.config, std::string(kCompression) + row.key, row.value, "test").empty());
    CHECK((context_of(made) != before));  // not printed: it is long
  }
}

TEST_CASE("no setting of the compression is left out of what is shown") {
  std::set<std::string> shown = shown_elsewhere;
  for (const Setting& row : settings_shown()) shown.insert(row.key);
  for (const auto& key : config_keys()) {
    INFO(key);
    if (key.starts_with(kCompression)) CHECK(shown.count(key.substr(kCompression.size())) == 1);
  }
}
