// How full the context is, what it costs and when the next tier comes: kept true after every step.
// The last request's usage, as the provider reported it, is the anchor; only what came since is estimated.
#pragma once

#include <string>
#include <vector>

#include "agent/compactor/prompt.h"
#include "agent/models/cost.h"
#include "agent/models/models.h"
#include "agent/protocol/event.h"
#include "compression/values/budget.h"
#include "compression/values/family_count.h"
#include "compression/values/tokens.h"

namespace tern {

// Turns until a distance is grown, from the recent turns' growth.
class Forecast {
 public:
  void learn(Tokens growth);  // of one finished turn
  int turns(
      Tokens distance) const;  // −1 = unknown: fewer than three turns known, or far away; 0 = the next one
  Tokens per_turn() const { return static_cast<Tokens>(mean_); }
  std::string save() const;
  void load(const std::string& text);

 private:
  double mean_ = 0;
  int samples_ = 0;
};

class Gauges {
 public:
  void reported(Tokens estimated, const TokenUsage& usage, const ModelInfo& model, TimePoint now);
  void refused(Tokens estimated, Tokens real);  // the provider said how long the refused request was
  void cut();                                   // the context was changed: the anchor no longer stands
  void cut(Tokens before, Tokens after);        // estimates: what is left counts at the rate of the whole
  void grew(Tokens tokens) { growing_ += tokens; }
  Tokens grown() const { return growing_; }  // in the turn under way, as estimated
  void turn_ended();
  void spent(double dollars, bool known);  // summaries
  void freed(Tokens tokens) { saved_ += tokens; }
  void new_model();  // calibration and cache belong to a model

  double factor(Tokens estimated) const;  // for Budget::calibration
  bool estimated_only() const { return !calibration_.learned(); }
  const CacheState& cache() const { return cache_; }
  // Before a request: whether it asks for a cache of an hour. What is warm keeps the life it has.
  void choose_cache(const ModelInfo& model, bool may, TimePoint now);
  bool asks_hour() const { return asks_hour_; }
  CachePauses& pauses() { return pauses_; }
  const CachePauses& pauses() const { return pauses_; }
  const Forecast& forecast() const { return forecast_; }
  double requests_per_turn() const;  // of the last turns; at least what the one under way has had
  double dollars() const { return dollars_; }
  bool dollars_known() const { return dollars_known_; }
  Tokens saved() const { return saved_; }
  // Small text for the store's session state. What was learnt of a model comes back only for that model:
  // without it a resumed session would judge its context by the bare estimate, and might cut what fitted a
  // moment ago.
  std::string save(const ModelInfo& model) const;
  void load(const std::string& text, const ModelInfo& model);

 private:
  Calibration calibration_;
  Tokens anchor_estimated_ = 0, anchor_reported_ = 0;
  CacheState cache_;
  CachePauses pauses_;
  bool asks_hour_ = false;
  Forecast forecast_;
  Tokens growing_ = 0, saved_ = 0;
  int requests_ = 0, turns_ = 0;  // of the turn under way; those that ended
  double mean_requests_ = 0;
  double dollars_ = 0;
  bool dollars_known_ = true;
};

// Everything that decides how full the window is: the worker's one copy of the context.
struct Context {
  Conversation conversation;
  ModelInfo model;
  Tokens window_override = 0;
  PromptParts prompt;
  std::vector<ToolSpec> tools;
  Tokens tool_tokens = 0;
  Tokens pending = 0;
  CompressionConfig config;
  Gauges gauges;

  Tokens window() const { return window_override > 0 ? window_override : model.window; }
  Tokens fixed() const { return prompt.system + prompt.memory + tool_tokens; }
  Tokens counted() const { return fixed() + count(conversation) + pending; }  // alike for every model
  // The same as the tokenizers of the model's family count it: what a provider's figures are held against.
  Tokens estimated() const { return estimated(conversation); }
  Tokens estimated(const Conversation& sent) const;
  Tokens estimated(const ItemPtr& item) const;
  mutable FamilyCount family_count = {};
};
Budget budget_of(const Context& context);
Tokens used_of(const Context& context);
// Used against what the tiers are measured by: the effective window, or the model's optimum where that is
// smaller.
double fill_share(const Context& context);
std::string fullness(const Context& context);  // the same in words: "81% of 160k"
Tokens tokens_of(const std::vector<ToolSpec>& tools);

// used, window, marks, parts (they sum to used), forecast, saved, cache, dollars; the rest is filled in by
// the session.
Meters read_meters(const Context& context);
// The biggest items, ready to read: "12k  Bash  npm test (r17)"; in the tokens of the meters.
std::vector<std::string> top_items(const Context& context, std::size_t count);
// What another process cannot work out of a context: the window asked for, and what stands before the
// conversation.
std::string save_frame(const Context& context);
void load_frame(const std::string& text, Context& context);

}  // namespace tern
