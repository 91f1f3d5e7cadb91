// A summary by a model: asked for on this thread, or drafted ahead on a thread of its own from an immutable copy.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "agent/models.h"
#include "agent/provider.h"
#include "compression/summarize.h"

namespace tern {

struct SummaryAnswer {
  std::string text, error;  // error: why there is none
  bool complete = true, cancelled = false;
  TokenUsage usage;
  bool usage_reported = false;
};

// What a summary request shares with the turn's own, so that the provider's prompt cache serves it.
struct SharedPrefix {
  std::string system;
  std::vector<ToolSpec> tools;
};

Request summary_wire_request(const SummaryRequest& ask, const ModelInfo& model, const SharedPrefix& shared);
SummaryAnswer ask_for_summary(Provider& provider, const Request& request, std::stop_token stop);

// What stands between the summary tags of an answer; all of it when there are none.
std::string bare_summary(const std::string& answer);

class Draft {
 public:
  // `covered` are the items as they stand in the context: the draft is good while they stand there unchanged.
  Draft(SummaryRequest ask, std::vector<ItemPtr> covered, ModelInfo model, std::unique_ptr<Provider> provider, Request request);
  ~Draft();  // cancels

  bool done() const { return shared_->done.load(std::memory_order_acquire); }
  void wait(std::stop_token stop) const;
  bool untouched(const Conversation& conversation) const;
  const SummaryAnswer& answer() const { return shared_->answer; }  // REQUIRES: done()
  const SummaryRequest& request() const { return ask_; }
  const ModelInfo& model() const { return model_; }

 private:
  struct Shared {
    std::atomic<bool> done{false};
    std::mutex mutex;
    std::condition_variable_any ended;
    SummaryAnswer answer;
  };
  SummaryRequest ask_;
  std::vector<ItemPtr> covered_;
  ModelInfo model_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::jthread thread_;
};

// The items of a range as they stand now; empty when one end is gone.
std::vector<ItemPtr> covered_items(const Conversation& conversation, ItemRange range);

}  // namespace tern
