// The keys of when, how far and by what the conversation is compressed.
#include "app/config/config_keys.h"
#include "app/config/key_kinds.h"
#include "compression/plan/strategies.h"

namespace tern {
namespace {

using Json = nlohmann::json;
using namespace keys;

ConfigKey recent_messages_key() {
  return {.name = "compression.recentMessages",
          .wants = "a number of messages, or null",
          .help = "newest messages that absoluteThreshold leaves out; null = what is protected",
          .set =
              [](Config& config, const Json& json) {
                if (!json.is_null() && !(json.is_number_integer() && json.get<int>() >= 0)) return false;
                config.compression.recent_messages =
                    json.is_null() ? std::nullopt : std::optional(json.get<int>());
                return true;
              },
          .get =
              [](const Config& config) {
                return config.compression.recent_messages ? Json(*config.compression.recent_messages)
                                                          : Json(nullptr);
              }};
}

ConfigKey threshold_key() {
  return {.name = "compression.absoluteThreshold",
          .wants = "a number of tokens, or null",
          .help = "only compressible tokens are compared with it; null = off",
          .set =
              [](Config& config, const Json& json) {
                if (!json.is_null() && !(json.is_number_integer() && json.get<Tokens>() > 0)) return false;
                config.compression.absolute_threshold =
                    json.is_null() ? std::nullopt : std::optional(json.get<Tokens>());
                return true;
              },
          .get =
              [](const Config& config) {
                return config.compression.absolute_threshold ? Json(*config.compression.absolute_threshold)
                                                             : Json(nullptr);
              }};
}

ConfigKey style_key() {
  return {.name = "compression.style",
          .wants = "one of sections snapshot",
          .help = "shape of a summary: numbered sections, or a state snapshot",
          .set =
              [](Config& config, const Json& json) {
                if (json != "sections" && json != "snapshot") return false;
                config.compression.style =
                    json == "snapshot" ? SummaryStyle::snapshot : SummaryStyle::sections;
                return true;
              },
          .get =
              [](const Config& c) {
                return Json(c.compression.style == SummaryStyle::snapshot ? "snapshot" : "sections");
              },
          .text = true};
}

ConfigKey max_tool_output_key() {
  ConfigKey key = whole(
      "compression.maxToolOutput", [](Config & c) -> auto& { return c.compression.max_tool_output; }, 0, 1e9,
      "characters of any tool result, as two halves around a marker; setting it turns snipHalves on, 0 off");
  key.set = [inner = key.set](Config& config, const Json& json) {
    if (!inner(config, json)) return false;
    config.compression.snip_halves = config.compression.max_tool_output > 0;
    return true;
  };
  return key;
}

ConfigKey summary_max_chars_key() {
  ConfigKey key = whole(
      "compression.summaryMaxChars", [](Config & c) -> auto& { return c.compression.summary_max_chars; }, 50,
      1e6, "longest summary in characters; unset, it limits only key points in summaries.json");
  key.set = [inner = key.set](Config& config, const Json& json) {
    return inner(config, json) && (config.compression.cap_summary = true);
  };
  return key;
}

ConfigKey trigger_tokens_key() {
  ConfigKey key = whole(
      "compression.triggerTokens", [](Config & c) -> auto& { return c.compression.trigger_tokens; }, 1'000,
      1e9,
      "most tokens before the conversation is summarized, even if compactAt allows more; unset, it "
      "acts only past microAt");
  key.set = [inner = key.set](Config& config, const Json& json) {
    return inner(config, json) && (config.compression.trigger_alone = true);
  };
  return key;
}

#define TERN_SQUEEZE(field) TERN_FIELD(compression.field)

// When each tier acts, and how large a result may be.
std::vector<ConfigKey> tier_keys() {
  return {
      flag("compression.autoCompress", TERN_SQUEEZE(auto_compress), "compact automatically"),
      flag("compression.autoTune", TERN_SQUEEZE(auto_tune),
           "apply what /context tune suggests, within bounds, and say so"),
      share("compression.microAt", TERN_SQUEEZE(micro_at),
            "share of the working size at which old results are shortened"),
      share("compression.compactAt", TERN_SQUEEZE(compact_at),
            "share of the window at which the conversation is summarized"),
      share("compression.truncateAt", TERN_SQUEEZE(truncate_at),
            "share of the window at which the oldest messages are dropped, without a model"),
      share("compression.draftAt", TERN_SQUEEZE(draft_at),
            "share at which a summary is drafted in the background"),
      share("compression.microLowWater", TERN_SQUEEZE(micro_low_water),
            "share that shortening brings the context down to"),
      share("compression.compactTarget", TERN_SQUEEZE(compact_target),
            "share of the trigger that a summary brings it down to"),
      whole("compression.snipLimit", TERN_SQUEEZE(snip_limit), 500, 1e9,
            "characters from which a tool result is cut when it enters (unset: from 40% of the window on); "
            "the other limits are "
            "never below it"),
      whole("compression.snipRelaxed", TERN_SQUEEZE(snip_relaxed), 500, 1e9,
            "snipLimit while less than 40% of the window is used; at most a twelfth of the window"),
      whole("compression.readLimit", TERN_SQUEEZE(read_limit), 500, 1e9,
            "characters of a file that enter whole, twice that for a range of lines; at most a twelfth of "
            "the window"),
      share("compression.snipHead", TERN_SQUEEZE(snip_head), "share of the limit kept from the beginning"),
      share("compression.snipTail", TERN_SQUEEZE(snip_tail), "share of the limit kept from the end"),
      max_tool_output_key(),
      flag("compression.snipHalves", TERN_SQUEEZE(snip_halves), "cut to maxToolOutput as two halves"),
  };
}

// What stays, what is asked for, and how it is made.
std::vector<ConfigKey> summary_keys() {
  return {
      whole("compression.maxTurns", TERN_SQUEEZE(max_turns), 1, 1e6,
            "turns that may stay out of a summary; from there on the sliding window slides"),
      whole("compression.keepRecent", TERN_SQUEEZE(keep_recent), 0, 1e6,
            "newest rounds that stay out of a summary while there is room; turns the sliding window keeps"),
      flag("compression.slidingWindow", TERN_SQUEEZE(sliding_window),
           "keep the newest keepRecent turns, one summary for the rest"),
      summary_max_chars_key(),
      share("compression.importanceThreshold", TERN_SQUEEZE(importance_threshold),
            "answers at or above it stay word for word beside a summary while there is room"),
      whole("compression.keepLastToolRounds", TERN_SQUEEZE(keep_last_tool_rounds), 0, 1e6,
            "tool rounds pruning leaves alone; 0 = prune all"),
      flag("compression.preserveToolCalls", TERN_SQUEEZE(preserve_tool_calls),
           "name the tools in a summary by rules"),
      whole("compression.protectUserMessages", TERN_SQUEEZE(protect_user_messages), 0, 1e6,
            "newest user messages nothing touches"),
      whole("compression.protectResults", TERN_SQUEEZE(protect_results), 0, 1e6,
            "newest tool results nothing touches; where tier 2 finds nothing else, those that fit a quarter "
            "of the window"),
      share("compression.minCompressible", TERN_SQUEEZE(min_compressible),
            "share of the window below which cutting is not worth it"),
      threshold_key(),
      recent_messages_key(),
      flag("compression.countSystem", TERN_SQUEEZE(count_system),
           "the system prompt and the tools count in absoluteThreshold"),
      trigger_tokens_key(),
      whole("compression.triggerMessages", TERN_SQUEEZE(trigger_messages), 1, 1e9,
            "messages that trigger shortening by themselves"),
      whole("compression.minMessages", TERN_SQUEEZE(min_messages), 0, 1e6,
            "fewer messages are never compressed"),
      share("compression.targetRatio", TERN_SQUEEZE(target_ratio), "what removal strategies keep"),
      text("compression.strategy", TERN_SQUEEZE(strategy), compaction_names(),
           "how a conversation is compacted"),
      style_key(),
      flag("compression.microByModel", TERN_SQUEEZE(micro_by_model),
           "let the small model write the one-liners"),
      whole("compression.indexBudget", TERN_SQUEEZE(index_budget), 0, 100'000,
            "tokens of the index after a summary"),
      whole("compression.pinBudget", TERN_SQUEEZE(pin_budget), 0, 1e6, "tokens that pins may hold"),
      text("compression.smallModel", TERN_SQUEEZE(small_model), "",
           "the model that writes summaries; empty = a small one of the same provider"),
  };
}

}  // namespace

std::vector<ConfigKey> compression_keys() {
  std::vector<ConfigKey> keys = tier_keys();
  for (ConfigKey& key : summary_keys()) keys.push_back(std::move(key));
  return keys;
}

}  // namespace tern
