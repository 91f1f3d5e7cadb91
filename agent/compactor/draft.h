// A summary written ahead on a thread of its own from an immutable copy of the messages it covers. Good while
// those stand in the context unchanged; once written it is kept in the store, so that a restart does not pay
// for it again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "agent/compactor/summary_work.h"

namespace tern {

struct DraftRecord;  // agent/store/store_types.h

class Draft {
 public:
  // `covered` are the items as they stand in the context.
  // `on_end` runs on the draft's thread when it has ended.
  Draft(SummaryRequest ask, std::vector<ItemPtr> covered, ModelInfo model, Providers providers,
        SummaryWork work, std::function<void()> on_end = {});
  // One that was written and paid for before a restart.
  Draft(SummaryRequest ask, std::vector<ItemPtr> covered, ModelInfo model, const DraftRecord& record);
  ~Draft();  // cancels

  bool done() const { return shared_->done.load(std::memory_order_acquire); }
  void wait(std::stop_token stop) const;
  bool untouched(const Conversation& conversation) const;
  const SummaryAnswer& answer() const { return shared_->answer; }  // REQUIRES: done()
  const SummaryRequest& request() const { return ask_; }
  const SummaryWork& work() const { return shared_->work; }
  const ModelInfo& model() const { return model_; }
  DraftRecord record(double dollars) const;  // REQUIRES: done()

 private:
  struct Shared {
    std::atomic<bool> done{false};
    std::mutex mutex;
    std::condition_variable_any ended;
    SummaryWork work;
    SummaryAnswer answer;
  };
  SummaryRequest ask_;
  std::vector<ItemPtr> covered_;
  ModelInfo model_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::jthread thread_;
};

// The draft of a conversation, if there is one, and what is known of it.
struct HeldDraft {
  std::unique_ptr<Draft> draft;
  bool kept = false;  // in the store and in the account
  double dollars = 0;
  std::optional<Tokens> failed_at;  // how much was used when the last of them failed
};

// The items of a range as they stand now; empty when one end is gone.
std::vector<ItemPtr> covered_items(const Conversation& conversation, ItemRange range);
// The same for equal items with equal texts, in every process.
std::string fingerprint(const std::vector<ItemPtr>& items);

}  // namespace tern
