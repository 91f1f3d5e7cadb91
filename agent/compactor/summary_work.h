// What is asked of a model for one summary, and what it answers: one request, or several at once when the
// range is larger than one should carry. Made from originals: results that were shortened since are put back,
// and earlier summaries are read as the stored first ones they were made of, so that no summary is ever made
// from a summary of summaries.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/models/models.h"
#include "agent/models/provider.h"
#include "compression/reading/summarize.h"
#include "compression/reading/summary_parts.h"

namespace tern {

class Store;

struct SummaryAnswer {
  std::string text, error;         // error: why there is none
  std::vector<std::string> parts;  // the answers the text was joined from; empty when there was one
  bool complete = true, cancelled = false;
  TokenUsage usage;
  bool usage_reported = false;
};

// What a summary request shares with the turn's own, so that the provider's prompt cache serves it.
struct SharedPrefix {
  std::string system;
  std::vector<ToolSpec> tools;
  bool warm =
      false;  // the provider has it now: the messages are sent as they stand, since each byte changed costs
};

struct SummaryWork {
  SummaryStyle style = SummaryStyle::sections;
  std::vector<Request> requests;  // in the order of the conversation
  std::size_t of_leaves = 0;      // so many of them read stored summaries, the others originals
  std::vector<RecallId> leaves;   // those stored summaries
};
// Some models think before they answer whether asked to or not, and that counts as output.
inline Tokens room_for_thoughts(const ModelInfo& model) { return model.thinking ? 4'000 : 0; }
SummaryWork summary_work(const SummaryRequest& ask, const Store& store, const ModelInfo& model,
                         const SharedPrefix& shared);

using Providers = std::vector<std::unique_ptr<Provider>>;  // one for each request
// Blocks until all have answered; the requests run at the same time. One part that fails fails the whole.
SummaryAnswer ask_for_summary(const Providers& providers, const SummaryWork& work, std::stop_token stop);

// Remembers of which first summaries the summary with this id was made, for the next one that covers it.
void keep_leaves(Store& store, const SummaryWork& work, const SummaryAnswer& answer, ItemId summary);

}  // namespace tern
