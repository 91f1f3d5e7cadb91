// A compression is a list of edits, each with a reason; apply() is the only place that changes a
// conversation. Edits are logged before they are applied. Undo is replaying the log without one batch
// (replay), so later items stay.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

enum class Tier { none, snip, micro, compact, truncate };
std::string_view to_string(Tier tier);

struct Reason {
  Tier tier = Tier::none;
  std::string unit;  // which strategy spoke: "microcompact", "superseded", "summarize" …
  std::string why;   // one sentence for people: "later read again (r41)"
};

struct Replace {  // one block of the target by another
  std::size_t block = 0;
  Block with;
};
struct Drop {};  // the whole target leaves
struct Insert {  // a new item directly before the target; ItemId{0} as target appends
  ItemPtr item;
};
struct Pin {  // the person marks or unmarks the target; its bytes stay
  bool on = true;
};

struct Edit {
  ItemId target;
  std::variant<Replace, Drop, Insert, Pin> how;
  Reason why;
  Tokens saved = 0;
};
using Edits = std::vector<Edit>;

// Edits whose target is no longer there (an undone batch, an overlapping one) are skipped; the rest is
// applied in order. So are edits that would touch a system message, or a pinned one outside the truncate
// tier, and an Insert whose id is there already. Call it as tern::apply: unqualified, std::apply is found
// too.
Conversation apply(const Conversation& conversation, const Edits& edits);

struct Batch {  // what one compression did, as it is logged
  std::uint64_t id = 0;
  Edits edits;
};
// A later batch may have put its items before one that an undone batch had inserted. They go before what that
// one stood before, so that undoing one compaction never takes the summary of the next out of the context.
class UndoneInserts {
 public:
  void add(const Edits& undone);
  void redirect(Edits& later) const;

 private:
  std::unordered_map<std::uint64_t, ItemId> stood_before_;
};
using LogEntry = std::variant<ItemPtr, Batch>;
// The context is a fold of the log. `skipped` names the batches that were undone.
Conversation replay(std::span<const LogEntry> log, std::span<const std::uint64_t> skipped = {});

Tokens saved(const Edits& edits);

// `first`, then what `next` makes of its outcome, as one batch: what `next` says of an item that `first`
// inserts changes that insert.
Edits followed(const Conversation& conversation, Edits first,
               const std::function<Edits(const Conversation&)>& next);

// Strategies insert items without an id (zero). Whoever logs a batch first numbers them, counting `next` up.
void give_ids(Edits& edits, ItemId& next);

}  // namespace tern
