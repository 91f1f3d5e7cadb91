// A summary by a model, as two pure halves: what to ask, and what the answer means.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compression/values/budget.h"
#include "compression/values/context_edit.h"

namespace tern {

struct SummaryRequest {
  ItemRange covers;  // whole messages, call/result pairs never split
  SummaryStyle style = SummaryStyle::sections;
  std::string instructions;    // the user message that asks for the summary
  Conversation source;         // originals (or stored leaf summaries) to be summarised, shape-checked
  Tokens target = 0;           // the result, with index and kept user messages, must stay under it
  Tokens replaces = 0;         // tokens of what it stands for
  std::string index;           // the deterministic specifics appended to the answer
  std::string kept;            // user messages kept verbatim
  std::string said;            // answers kept verbatim: the important ones, newest and shortest first
  std::vector<bool> goes;      // parallel to the source: what leaves; the protected zone stays
  std::size_t most_chars = 0;  // of what the answer tells; 0 = no cap but the target
  ItemId insert_before;        // first item after the range
  ItemId new_id;               // id the summary item will carry (given by the caller, zero until then)
  TimePoint now{};
};

struct Rejected {
  std::string why;  // empty, truncated, larger than what it replaces, over target
};
// `complete` is false when the provider stopped for length. Accepts missing or unclosed tags, fences, leading
// chatter.
std::variant<Edits, Rejected> with_summary(const SummaryRequest& request, const std::string& answer,
                                           bool complete = true);

// What of the range stays as it is: the protected zone, or pins alone where the user picked the range.
enum class Zone { all, pins };
struct SummaryForm {
  double kept = 0.3;  // the share of the target that the user's own words may take, word for word
  Zone zone = Zone::all;
};
SummaryRequest summary_request(const Conversation& conversation, const Budget& budget, ItemRange range,
                               const std::string& focus, TimePoint now, const SummaryForm& form = {});

// What a compaction would summarise: from behind the last summary (from the start when summaries fill too
// much) to the best boundary that leaves about half of the goal verbatim; more of it when the work is code,
// less when it is talk. Earlier summaries stand as they are, so no summary is made from the last one. None
// when too little lies before the boundary.
std::optional<ItemRange> summary_range(const Conversation& conversation, const Budget& budget);

// What a model is asked to stay under: what the result leaves beside the kept messages and the index, less
// what models overshoot by.
Tokens asked_tokens(const SummaryRequest& request);

}  // namespace tern
