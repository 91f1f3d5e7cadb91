// Keeps the context below its window: runs the plans of the compression core, asks models for summaries, drafts ahead, falls
// back without one, and can take each compaction back. Every decision is logged with its reason before it is applied. Belongs
// to the worker; the draft thread works on an immutable copy and hands its answer over once.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/draft.h"
#include "agent/event.h"
#include "agent/meters.h"
#include "agent/models.h"
#include "agent/store.h"
#include "compression/plan.h"

namespace tern {

class FileMemory;
struct TodoItem;

struct Room {
  bool fits = true;
  std::string why;  // when it does not: what the person can do
};

// What the compactor needs of the world around it.
struct CompactorWorld {
  Store& store;
  const Models& models;
  FileMemory& files;
  const std::vector<TodoItem>& todos;
  std::function<void(Event)> emit;
  std::function<std::unique_ptr<Provider>(const ModelInfo&)> connect;  // null when there is no way to that model
  std::function<TimePoint()> now;
  std::function<void(const std::function<void()>&)> attend;  // runs slow work while commands are answered
  std::function<ItemPtr(Item)> append;                       // logs, adds to the context, shows
  std::filesystem::path root;                                // files shown again are inside it
  std::uint64_t turn = 0;
  std::function<void()> draft_ended = {};  // on the draft's thread
};

class Compactor {
 public:
  explicit Compactor(CompactorWorld world) : world_(std::move(world)) {}

  // Before every request, also inside a tool loop. On return the request fits, or `why` says what fills the context.
  Room make_room(Context& context, std::stop_token stop);
  // The provider refused the length: true when the context is now smaller than what was refused.
  bool overflow(Context& context, const Failed& refusal, std::stop_token stop);

  void compact(Context& context, const Compact& command, std::stop_token stop);
  void settle_preview(Context& context, const AcceptPreview& answer);
  void undo(Context& context, const UndoCompact& command);
  void pin(Context& context, const PinThis& command);

  void new_turn(std::uint64_t turn);
  void resumed(const Context& context);  // the cache is cold, an old draft may still be good
  void keep_draft(Context& context);     // between turns: a finished draft goes into the store
  void stop_drafting() { draft_.reset(); }
  void set_focus(std::string focus) { focus_ = std::move(focus); }  // the memory file's compact instructions
  bool draft_pending() const { return draft_ && !draft_->done(); }
  bool draft_ready() const { return draft_ && draft_->done(); }
  std::string status() const;                            // breaker, thrash, draft: lines for /context
  std::size_t forced_pauses() const { return pauses_; }  // summaries somebody waited for
  std::size_t swapped() const { return swapped_; }       // drafts that were ready when they were due

 private:
  struct Result {  // one compaction, ready to be logged
    Edits edits;
    Tier tier = Tier::none;
    std::string strategy, model, why, summary, index;
    double dollars = 0;
    std::int64_t pause_ms = 0;
    std::optional<ItemRange> covers;
  };
  struct Preview {
    std::uint64_t id = 0;
    Result result;
    std::optional<SummaryRequest> ask;
    std::vector<ItemPtr> covered;
    PreviewReady shown;
  };
  enum class Step { nothing, changed, failed };
  struct Job {  // the requests of one summary with a connection for each
    Providers providers;
    SummaryWork work;
  };
  PlanState state(const Context& context) const;
  Step step(Context& context, PlanState state, std::stop_token stop);
  bool held(Context& context, double share);
  bool waits(Context& context, const Plan& plan, double share);

  // compactor_summaries.cpp
  std::vector<ModelInfo> ladder(const Context& context) const;
  std::optional<Result> summarise(Context& context, const Plan& plan, const PlanState& state, std::stop_token stop);
  std::optional<Job> job_for(const Context& context, const SummaryRequest& ask, const ModelInfo& model);
  double account(Context& context, const SummaryAnswer& answer, const ModelInfo& model, const char* purpose);
  std::variant<Result, Rejected> taken(SummaryRequest, const SummaryWork&, const SummaryAnswer&, const ModelInfo&);
  std::optional<Result> by_model(Context& context, const SummaryRequest& ask, const ModelInfo& model, std::stop_token stop);
  std::optional<Result> without_model(Context& context, const PlanState& state, Tokens replaced);
  Edits lines_by_model(Context& context, Edits edits, std::stop_token stop);  // microByModel
  void maybe_draft(Context& context);
  bool start_draft(Context& context, const SummaryRequest& ask, const std::string& why);
  void restore_draft(const Context& context);
  void drop_draft();
  void draft_failed(const Context& context, const std::string& why);
  void count_failure(bool failed);
  Step swap_draft(Context& context);

  // compactor_commit.cpp
  bool commit(Context& context, Result result);
  CompactionRecord record_of(const Context& context, const Result& result, const Conversation& before, const Conversation& after);
  void decided(const std::string& what, const std::string& why);  // a line of the decision log that changed nothing
  void log_failure(const std::string& why, Tier tier);
  void forget_files(const Conversation& before, const Conversation& after);
  void resume_rule(Context& context, const Conversation& before);
  std::pair<std::uint64_t, std::uint64_t> turns_of(ItemRange range) const;

  // compact_commands.cpp, pins.cpp
  bool preview_draft(Context& context);
  void show_preview(Context& context, const SummaryRequest* ask, Result result);
  bool take_back(Context& context, std::uint64_t batch, bool redo);
  void bring_back(Context& context, const std::vector<std::string>& ids);
  void pin_text(Context& context, const std::string& kind, const std::string& what, const std::string& text);
  void unpin(Context& context, const std::string& what);
  void mark(Context& context, ItemId item, const std::string& what, bool on);
  void list_pins(const Context& context);
  CompactorWorld world_;
  std::unique_ptr<Draft> draft_;
  bool draft_kept_ = false;  // in the store and in the account
  double draft_dollars_ = 0;
  std::optional<Preview> preview_;
  std::string focus_, waiting_for_;
  int failures_ = 0, refills_ = 0, requests_since_ = 1000;
  std::size_t pauses_ = 0, swapped_ = 0;
  Tier deepest_ = Tier::none;  // since the last look
  std::uint64_t next_preview_ = 1;
  std::size_t rung_ = 0;                   // so many models' drafts have failed since the last compaction
  std::optional<Tokens> draft_failed_at_;  // how much was used when the last of them failed
  double hold_until_ = 0;                  // share below which a person's undo stands: no tier takes it away again
  bool cold_ = false;
};

}  // namespace tern
