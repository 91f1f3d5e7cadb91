#include "agent/compactor/draft.h"

#include <algorithm>

#include "agent/store/item_codec.h"
#include "agent/store/store_types.h"
#include "compression/text/fnv.h"

namespace tern {

Draft::Draft(SummaryRequest ask, std::vector<ItemPtr> covered, ModelInfo model, Providers providers,
             SummaryWork work, std::function<void()> on_end)
    : ask_(std::move(ask)), covered_(std::move(covered)), model_(std::move(model)) {
  shared_->work = std::move(work);
  thread_ = std::jthread(
      [shared = shared_, on_end = std::move(on_end),
       providers = std::make_shared<const Providers>(std::move(providers))](std::stop_token stop) {
        try {
          shared->answer = ask_for_summary(*providers, shared->work, stop);
        } catch (const std::exception& error) {
          shared->answer.error = error.what();
        }
        {
          std::lock_guard lock(shared->mutex);
          shared->done.store(true, std::memory_order_release);
        }
        shared->ended.notify_all();
        if (on_end) on_end();
      });
}

Draft::Draft(SummaryRequest ask, std::vector<ItemPtr> covered, ModelInfo model, const DraftRecord& record)
    : ask_(std::move(ask)), covered_(std::move(covered)), model_(std::move(model)) {
  shared_->answer.text = record.answer;
  shared_->answer.complete = record.complete;
  shared_->done.store(true, std::memory_order_release);
}

Draft::~Draft() = default;

void Draft::wait(std::stop_token stop) const {
  std::unique_lock lock(shared_->mutex);
  shared_->ended.wait(lock, stop, [this] { return done(); });
}

bool Draft::untouched(const Conversation& conversation) const {
  if (covered_.empty()) return false;
  const auto& items = conversation.items;
  const auto first = std::find(items.begin(), items.end(), covered_.front());
  return static_cast<std::size_t>(items.end() - first) >= covered_.size() &&
         std::equal(covered_.begin(), covered_.end(), first);
}

DraftRecord Draft::record(double dollars) const {
  return {ask_.covers,
          shared_->answer.text,
          model_.provider + "/" + model_.name,
          ask_.style == SummaryStyle::snapshot ? "snapshot" : "sections",
          fingerprint(covered_),
          dollars,
          shared_->answer.complete};
}

std::vector<ItemPtr> covered_items(const Conversation& conversation, ItemRange range) {
  const auto& items = conversation.items;
  const auto is = [](ItemId id) { return [id](const ItemPtr& item) { return item->id == id; }; };
  const auto first = std::find_if(items.begin(), items.end(), is(range.first));
  const auto last = std::find_if(first, items.end(), is(range.last));
  if (first == items.end() || last == items.end()) return {};
  return {first, last + 1};
}

std::string fingerprint(const std::vector<ItemPtr>& items) {
  std::uint64_t hash = fnv_offset;
  for (const auto& item : items) hash = fnv1a(std::to_string(item->id.value) + encode(*item), hash);
  return std::to_string(hash);
}

}  // namespace tern
