// What compression did, in figures: counts, tokens, ratios, by layer and by unit; and what they suggest to set differently.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compression/budget.h"
#include "compression/edit.h"

namespace tern {

struct Compression {  // one batch, as it went
  Tier tier = Tier::none;
  TimePoint when{};
  std::size_t messages_before = 0, messages_after = 0;
  Tokens before = 0, after = 0;
  std::map<std::string, Tokens> by_unit;  // tokens saved, per Reason::unit
  std::map<std::string, std::size_t> edits_by_unit;
  bool undone = false;

  double ratio() const;  // after / before
  Tokens saved() const { return before - after; }
};
Compression measure(const Conversation& before, const Conversation& after, const Edits& edits, TimePoint when);

struct Stats {
  std::vector<Compression> history;

  Tokens saved() const;  // undone batches do not count
  Tokens saved(Tier tier) const;
  std::map<std::string, Tokens> by_unit() const;
  double mean_ratio() const;  // of batches that stand; 1 when there is none
};
std::string report(const Stats& stats);  // the table of /context log

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

}  // namespace tern
