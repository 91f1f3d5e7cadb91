// What tokens cost, and whether a compaction pays: dollars now against dollars per turn saved, by the state
// of the provider's prompt cache. Pure arithmetic; unknown prices give unknown dollars, never zero ones.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "agent/models/models.h"
#include "agent/models/provider.h"
#include "compression/text/figures.h"
#include "compression/values/budget.h"

namespace tern {

// The prompt cache as last seen. Warm: the last request was less than `life` ago and the provider reported
// caching.
struct CacheState {
  TimePoint last_request{};
  bool seen = false;  // the provider has reported cache figures at least once
  std::chrono::seconds life{300};
  bool hour = false;  // it was asked for an hour, and the provider keeps it so long
  double hit = -1;    // share of the last request's input that was read from the cache

  void learn(const TokenUsage& usage, TimePoint now);
  bool warm(TimePoint now) const;
  std::chrono::seconds age(TimePoint now) const;
};

// What may be spent before a turn stops, in dollars; 0 = no limit.
struct SpendLimits {
  double run = 0;                         // of this run of the program, in one session
  double turn = 0, session = 0, day = 0;  // day: of all sessions of this user, by the local date
  std::map<std::string, double>
      sources;  // of a session: "Bash", "Task", "mcp__github"; what is over it is called no more

  bool any() const { return run > 0 || turn > 0 || session > 0 || day > 0 || !sources.empty(); }
};

// By its name: turn, session, day, or a source.
void set_limit(SpendLimits& limits, const std::string& name, double dollars);

// A server on this machine: it has a price, and that is nothing.
bool costs_nothing(const ModelInfo& model);

// How long that provider keeps a prompt nobody asks for again.
std::chrono::seconds cache_life(const ModelInfo& model);

// Which life of the cache the pauses of the last hundreds of requests would have paid for: what they would
// have cost with either.
class CachePauses {
 public:
  // A request after a pause: `prefix` tokens had been sent before, `fresh` came since.
  void saw(std::chrono::seconds pause, Tokens prefix, Tokens fresh, const ModelInfo& model);
  bool hour_pays() const;
  std::string save() const;  // two figures and a count
  void load(const std::string& text);

 private:
  double short_ = 0, hour_ = 0, requests_ = 0;
};

// What a token costs that a cache of this life has to take in, dollars per million.
double write_price(const ModelInfo& model, bool hour);

struct CutCost {
  bool known = false;  // prices known
  bool warm = false;
  double now = 0;         // rewriting what stands after the first changed byte, and the summary itself
  double per_turn = 0;    // saved on each later turn
  double break_even = 0;  // turns; infinite when nothing is saved
  double requests = 1;    // of a turn, as the last ones had them: each of them is paid for
};

// `freed` tokens leave, `after` tokens stand behind the first change and must be written to the cache again,
// `summary_dollars` is what the summarising request itself costs (zero for tiers without a model), `requests`
// how many a turn has.
CutCost cut_cost(Tokens freed, Tokens after, const CacheState& cache, TimePoint now, const ModelInfo& model,
                 double requests = 1, double summary_dollars = 0);

// Whether a cut that needs no model should wait: the cache is warm, the cut pays late, and at `share` of the
// window there is room yet.
bool better_later(const CutCost& cost, double share, const CompressionConfig& config);

// One line for people: "costs $0.041 now, saves $0.0062 per turn · pays after 7 turns (29 requests) · cache
// warm (40 s)".
std::string describe(const CutCost& cost, const CacheState& cache, TimePoint now);

}  // namespace tern
