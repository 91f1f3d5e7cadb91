// How many tokens a text is worth: a piece-counting estimate, one pass, counted once per block when an item
// is made.
#pragma once

#include <string_view>

#include "compression/values/conversation.h"

namespace tern {

Tokens estimate(std::string_view text);
Tokens estimate(const Block& block);
Tokens estimate(const Item& item);               // blocks + role and frame
Tokens count(const Conversation& conversation);  // sum of Item::tokens

// The item with its tokens counted. The only way items are made.
ItemPtr make_item(Item item);

// The founding formula, kept exact (DESIGN 4.3).
Tokens seed_estimate(std::string_view text);
Tokens seed_estimate(const Item& item);

// Learns, per model, the ratio of what the API reported to what was estimated (moving average, clamped
// 0.5..2).
class Calibration {
 public:
  void learn(Tokens estimated, Tokens reported);
  Tokens operator()(Tokens estimated) const;
  double factor() const { return factor_; }
  bool learned() const { return samples_ > 0; }

 private:
  double factor_ = 1.0;
  int samples_ = 0;
};

}  // namespace tern
