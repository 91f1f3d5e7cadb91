// How much a message matters, on the two founding scales, each score with its reasons; which calls must be
// kept in detail; and how hard a conversation may be compressed by what it is made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compression/values/budget.h"
#include "compression/values/conversation.h"

namespace tern {

struct Survey;

struct Importance {
  double score = 0;
  std::vector<std::string> reasons;  // "user +30", "errors +50" …
};

// Points: user 30, errors 50, code 20, recency up to 30 (one less each minute), named again later 40.
Importance importance_points(const Item& item, TimePoint now, bool referenced_later);

// 0..1 from a neutral 0.3: user +0.2, keywords +0.2, code or commands +0.1, tool results -0.2, short -0.1,
// rich +0.1. What stays below `importanceThreshold` (0.3) is not kept beside a summary.
Importance importance(const Item& item);

// Parallel to the surveyed items: whether the assistant later wrote a name that this item brought in.
std::vector<bool> referenced_later(const Survey& survey, std::size_t items);

// --- calls whose details outlive a summary
// ------------------------------------------------------------------------------

enum class Critical { file_change, system_change, failure };
std::string_view to_string(Critical critical);
// Write/Edit/MultiEdit/Delete, shell commands that install, clone, commit or run services, and whatever
// failed.
std::optional<Critical> critical(const ToolCall& call, const ToolResult* result);
bool changes_system(std::string_view command);

// --- what the conversation is made of
// -----------------------------------------------------------------------------------

struct Mix {
  double code = 0, chat = 0,
         errors = 0;  // shares: of text in code and results, of plain talk, of results that failed
};
Mix mix_of(const Conversation& conversation);

// The share that may stay, from `base`: code over 50 % at most 0.7, chat over 70 % at least 0.3, errors over
// 10 % at most 0.6.
double adaptive_ratio(const Mix& mix, double base);

}  // namespace tern
