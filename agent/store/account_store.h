// What requests cost, and what compactions did.
#pragma once

#include <string_view>
#include <vector>

#include "agent/store/store_part.h"
#include "agent/store/store_types.h"

namespace tern {

class AccountStore : protected StorePart {
 public:
  void add_usage(const UsageRow& row);
  std::vector<UsageRow> requests() const;  // those of usage_total(), oldest first
  UsageTotal usage_total() const;  // of the open session, with what it shares with those it was forked from
  UsageTotal spent() const;        // of the open session alone
  UsageTotal usage_for(std::string_view purpose) const;  // the part of usage_total() that was for this
  std::vector<SourceSpend> spent_on() const;             // usage_total() by source, where it was divided
  std::vector<ModelUsage> usage_by_model() const;        // usage_total() in the order of their first request
  // Oldest first; with `decisions` also what was decided and changed nothing (tier none): waits, drafts,
  // failures, pins, undo.
  std::vector<CompactionRecord> compactions(bool decisions = false) const;
  std::vector<NumberedSummary> summaries(std::size_t newest = SIZE_MAX) const;  // oldest first

 protected:
  using StorePart::StorePart;
};

}  // namespace tern
