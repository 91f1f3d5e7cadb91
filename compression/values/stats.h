// What compression did, in figures, and what they suggest to set differently; what a cut costs.
#pragma once

#include <string>
#include <vector>

#include "compression/values/budget.h"
#include "compression/values/context_edit.h"

namespace tern {

struct Compression {  // one batch, as it went
  Tier tier = Tier::none;
  TimePoint when{};
  std::size_t messages_before = 0, messages_after = 0;
  Tokens before = 0, after = 0;
  bool undone = false;

  double ratio() const;  // after / before
};

struct Stats {
  std::vector<Compression> history;
};

// A key of the config, what to set it to, and why; made from the history alone.
struct Suggestion {
  std::string key, value, why;
};
std::vector<Suggestion> suggest(const Stats& stats, const CompressionConfig& config);

// What a cut costs on a warm prompt cache: everything after its first edit is written anew.
struct CacheCost {
  Tokens rewritten = 0;   // tokens behind the first edit, written again
  Tokens saved = 0;       // tokens that each later request no longer carries
  double break_even = 0;  // requests until the saving has paid for the rewriting; 0 on a cold cache
};
struct CachePrices {  // relative to the plain input price
  double read = 0.10, write = 1.25;
};
CacheCost cache_cost(const Conversation& before, const Edits& edits, bool cold, CachePrices prices = {});

// The edits without the earliest ones where these save less, over so many requests, than the cached text
// behind them costs to write again. Each edit changes a block in its place.
Edits worth_rewriting(const Conversation& before, Edits edits, double requests, CachePrices prices = {});

}  // namespace tern
