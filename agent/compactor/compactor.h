// Keeps the context below its window: runs the plans of the compression core, asks models for summaries,
// drafts ahead, falls back without one, and can take each compaction back. Every decision is logged with its
// reason before it is applied. Belongs to the worker; the draft thread works on an immutable copy and hands
// its answer over once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/compactor/compactor_world.h"
#include "agent/compactor/draft.h"
#include "agent/compactor/made_compaction.h"
#include "agent/compactor/meters.h"
#include "agent/compactor/note_keeper.h"
#include "agent/store/decided.h"
#include "compression/plan/next_action.h"

namespace tern {

class Compactor {
 public:
  explicit Compactor(CompactorWorld world)
      : world_(std::move(world)), notes_{{}, {world_.store, world_.kept_in}} {}

  // Before every request, also in a tool loop. On return it fits, or `why` says what fills the context.
  Fit make_room(Context& context, std::stop_token stop);
  // The provider refused the length: true when the context is now smaller than what was refused.
  bool overflow(Context& context, const Failed& refusal, std::stop_token stop);

  void compact(Context& context, const Compact& command, std::stop_token stop);
  void settle_preview(Context& context, const AcceptPreview& answer);
  void undo(Context& context, const UndoCompact& command);
  void pin(Context& context, const PinThis& command);
  void edit(Context& context, const EditContext& command);  // hand_edits.cpp

  void new_turn(std::uint64_t turn);
  void resumed(const Context& context);  // the cache is cold, an old draft may still be good
  void keep_draft(Context& context);     // between turns: a finished draft goes into the store
  void stop_drafting() { held_.draft.reset(); }
  void set_focus(std::string focus) { focus_ = std::move(focus); }  // the memory file's compact instructions
  // What is told before and after a compaction; empty ones cost nothing.
  void set_steering(decltype(CompactorWorld::before_compaction) before,
                    decltype(CompactorWorld::after_compaction) after);
  bool draft_pending() const { return held_.draft && !held_.draft->done(); }
  bool draft_ready() const { return held_.draft && held_.draft->done(); }
  NoteBook& notes() { return notes_.book; }
  std::string status() const;                            // breaker, thrash, draft: lines for /context
  std::size_t forced_pauses() const { return pauses_; }  // summaries somebody waited for
  std::size_t swapped() const { return swapped_; }       // drafts that were ready when they were due

 private:
  using Result = MadeCompaction;
  using Preview = OpenPreview;
  enum class Step { nothing, changed, failed };
  struct Job {  // the requests of one summary with a connection for each
    Providers providers;
    SummaryWork work;
  };
  PlanState plan_state(const Context& context) const;
  Step step(Context& context, PlanState state, std::stop_token stop);
  Step truncated(Context& context, Plan due, const PlanState& state, std::stop_token stop);
  Step cut(Context& context, const Plan& due);
  void tell(CompactionPhase phase, const Context& context, Tier tier, std::string strategy = {},
            std::string why = {});
  void meet_cold_cache(Context& context);  // cold_cache.cpp
  void fit_attachments(Context& context);
  bool half_the_attachments(Context& context, bool certain);  // certain: the provider minds them
  CompactorFacts facts(const Context& context, bool overflow) const;
  std::optional<Step> take_due_draft(Context& context, std::stop_token stop);
  Step carry_out(Context& context, Plan due, const PlanState& now, Action action, std::stop_token stop);
  bool waits(Context& context, const Plan& plan, double share);
  // compactor_summaries.cpp
  std::vector<ModelInfo> ladder(const Context& context) const;
  std::vector<ModelInfo> askable(const Context& context) const;
  void rest(const Context& context, const ModelInfo& model, const std::string& why);
  std::optional<Result> summarise(Context& context, const Plan& plan, const PlanState& state,
                                  std::stop_token stop);
  std::optional<Job> job_for(const Context& context, const SummaryRequest& ask, const ModelInfo& model);
  double account(Context& context, const SummaryAnswer& answer, const ModelInfo& model, const char* purpose);
  std::variant<Result, Rejected> taken(SummaryRequest, const SummaryWork&, const SummaryAnswer&,
                                       const ModelInfo&);
  std::optional<Result> by_model(Context& context, const SummaryRequest& ask, const ModelInfo& model,
                                 std::stop_token stop);
  std::optional<Result> without_model(Context& context, const PlanState& state, Tokens replaced);
  Edits lines_by_model(Context& context, Edits edits, std::stop_token stop);  // microByModel
  void maybe_draft(Context& context);
  bool start_draft(Context& context, const SummaryRequest& ask, const std::string& why);
  void restore_draft(const Context& context);
  void drop_draft();
  void draft_failed(const Context& context, const std::string& why);
  void count_failure(bool failed);
  std::int64_t wait_for_draft(Context& context, const std::string& why, std::stop_token stop);
  Step swap_draft(Context& context, const std::string& why, std::int64_t waited_ms = -1);
  // compactor_steering.cpp
  // False: it does not happen. The second is for a cut that no tier planned.
  bool steered(Context& context, Plan& due, PlanState& now);
  bool steered_cut(Context& context, Edits& edits, const std::string& why, bool refusable);
  void pin_for_hook(Context& context, const std::string& id);
  void drop_for_hook(Context& context, const std::vector<std::string>& ids);
  void tell_outcome(const Conversation& before, const Conversation& after, const CompactionRecord& record);
  // compactor_commit.cpp
  bool commit(Context& context, Result result);
  CompactionRecord record_of(const Context& context, const Result& result, const Conversation& before,
                             const Conversation& after);
  void decided(Decided what, const std::string& why);  // a line of the log; nothing changed
  void log_failure(const std::string& why, Tier tier, Decided what = Decided::failed);
  void forget_files(const Conversation& before, const Conversation& after);
  void resume_rule(Context& context, const Conversation& before);
  std::pair<std::uint64_t, std::uint64_t> turns_of(ItemRange range) const;
  // fresh_window.cpp
  std::variant<Result, Rejected> fresh(const Context& context, const std::string& why, Tokens room = 0);
  std::string notes_suffice(const Context& context);
  bool starts_fresh(Context& context, Plan& due);
  void remind_of_notes(Context& context);
  void show_notes(Context& context);
  void window_began();
  // compact_commands.cpp, pins.cpp
  void begin_anew(Context& context, const Compact& command);
  bool preview_draft(Context& context);
  bool settled_by_draft(Context& context, bool preview, std::stop_token stop);
  void show_preview(Context& context, const SummaryRequest* ask, Result result);
  bool take_back(Context& context, std::uint64_t batch, bool redo);
  void bring_back(Context& context, const std::vector<std::string>& ids);
  void return_to_context(Context& context, const std::vector<std::string>& ids);
  void put_back(Context& context, Edits edits, const Conversation& after, const std::string& names);
  bool has_room_for(const Context& context, const std::string& id, Tokens tokens);
  void pin_text(Context& context, const std::string& kind, const std::string& what, const std::string& text);
  void unpin(Context& context, const std::string& what);
  void mark(Context& context, ItemId item, const std::string& what, bool on);
  void list_pins(const Context& context);
  CompactorWorld world_;
  NoteKeeper notes_;
  HeldDraft held_;
  std::optional<Preview> preview_;
  std::string focus_, waiting_for_;
  CompactorState state_;
  std::size_t pauses_ = 0, swapped_ = 0;
  std::uint64_t next_preview_ = 1;
  Cause cause_ = Cause::automatic;            // of what is under way
  std::set<std::string> refused_;             // models whose summary was not taken since the last compaction
  std::map<std::string, TimePoint> resting_;  // a small model that failed is not asked before then
};

}  // namespace tern
