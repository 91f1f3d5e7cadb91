// The two variants where front and core meet: Command in, Event out. ui/ and app/headless speak only these.
// Everything is a value; commands are drained by the worker between steps, events are folded by the front end.
// Text in events is as the world gave it: the front end passes it through text_safe before it reaches a cell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compression/budget.h"
#include "compression/conversation.h"
#include "compression/edit.h"

namespace tern {

// ---------------------------------------------------------------- commands
enum class When { steer, after };  // typed while a turn runs: at the next request, or when the turn has ended
struct Attachment {
  std::string path, media_type, bytes;  // an image or document
};
struct Submit {
  std::string text;
  std::vector<Attachment> attachments;
  When when = When::steer;
};
struct TakeBack {};   // give every queued prompt back (answered by Queue with none and TakenBack)
struct Interrupt {};  // also requested through the stop source; kept for headless input
enum class Verdict { yes, yes_remember, no };
struct Answer {  // to PermissionAsked or TrustAsked
  std::uint64_t id = 0;
  Verdict verdict = Verdict::no;
  std::string note;  // "no, and say why"
};
struct ShellLine {  // "! make" typed by the person: runs with their authority, shown to the model
  std::string command;
  bool hidden = false;  // "!!": not sent to the model
};
struct MemoryNote {  // "# always use tabs": appended to AGENTS.md
  std::string text;
};
enum class PermissionMode { ask, accept_edits, plan, automatic, bypass };
std::string_view to_string(PermissionMode mode);
struct SetMode {
  PermissionMode mode = PermissionMode::ask;
};
struct SetModel {
  std::string name;  // "provider/model", an alias; empty = list them (answered by Page)
};
struct Compact {
  std::string focus, strategy;
  bool preview = false;
  std::optional<ItemRange> range;
};
struct AcceptPreview {
  std::uint64_t id = 0;
  bool accept = true;
  std::string edited;  // the person's version of the summary; empty = as drafted
};
struct UndoCompact {
  int steps = 1;                   // negative: redo
  std::vector<std::string> parts;  // recall ids to bring back one by one instead
};
struct PinThis {
  std::string what;  // "r17", "last", a path, a sentence; empty = list
  bool on = true;
};
struct Rewind {  // conversation back to just before this user item; files too when asked
  ItemId item;
  bool conversation = true, files = false, preview = false;
};
struct Sessions {  // clear, resume, fork, rename
  enum class What { fresh, resume, fork, rename } what = What::fresh;
  std::string argument;  // id, text, or the new name
};
// Anything that only reads the worker's world: answered by one Page, Report or Notice. Names are those of the
// slash commands: "context", "context log", "context tune", "summaries", "recall", "cost", "status", "tasks" …
struct Query {
  std::string name, argument;
};
struct StopJob {
  std::string id;  // empty = all
};
struct ReloadConfig {};
struct Quit {};

using Command = std::variant<Submit, TakeBack, Interrupt, Answer, ShellLine, MemoryNote, SetMode, SetModel, Compact,
                             AcceptPreview, UndoCompact, PinThis, Rewind, Sessions, Query, StopJob, ReloadConfig, Quit>;

// ------------------------------------------------------------------ events
enum class DeltaKind { text, thinking };
struct TurnStarted {
  std::uint64_t turn = 0;
};
struct ItemAdded {  // also replayed, in order, when a session is resumed (replayed = true)
  ItemPtr item;
  bool replayed = false;
};
struct Delta {  // adjacent ones of a kind are merged in the mailbox
  DeltaKind kind = DeltaKind::text;
  std::string text;
};
struct ToolStarted {
  std::string call_id, tool, label, subject, arguments;
  bool replayed = false;
};
struct ToolProgress {
  std::string call_id, tail;  // what came since the last one
};
struct ToolFinished {
  std::string call_id, tool, label, subject, note, diff, text;  // text: whole, as the person may unfold it (head kept ≤ 256 KB)
  bool is_error = false;
  std::optional<int> exit_status;
  std::int64_t milliseconds = 0;
  RecallId recall;
  ResultForm form = ResultForm::full;
  bool replayed = false;
};
struct PermissionAsked {
  std::uint64_t id = 0;
  std::string tool, title, body, diff;  // body: the command or the parameters in full
  std::string reason;                   // why it asks
  std::string remember;                 // exactly what "yes, and remember" would grant; empty = not offered
};
struct PermissionSettled {
  std::uint64_t id = 0;
  Verdict verdict = Verdict::no;
};
struct TrustAsked {
  std::uint64_t id = 0;
  std::string folder, what;  // what the folder would like to set or run
};
enum class Level { info, warning, error };
struct Notice {
  Level level = Level::info;
  std::string text;
};
struct Waiting {  // retry or silence banner; empty text clears it
  std::string text;
  std::int64_t until_ms = 0;  // countdown, 0 = none
};
enum class CompactionPhase { needed, drafting, draft_ready, started, progress, completed, failed, undone, redone };
struct Compaction {
  CompactionPhase phase = CompactionPhase::needed;
  Tier tier = Tier::none;
  std::uint64_t batch = 0;
  Tokens before = 0, after = 0;
  std::size_t items = 0, originals = 0;    // touched, and kept for recall
  std::string strategy, why, audit, cost;  // audit: "kept 41 of 47 specifics, 6 by recall, 0 lost"
  std::int64_t pause_ms = 0;
  std::vector<ItemId> touched;  // marked on the originals on screen
};
struct PreviewReady {
  std::uint64_t id = 0;
  std::string range, kept, draft, strategy;
  Tokens before = 0, after = 0;
  double dollars_now = 0, dollars_saved_per_turn = 0;
  std::string cost;  // the decision in words: cache, dollars now and per turn, dollars of a request before and after
};
struct Part {  // of the context bar: system tools memory user assistant results summaries
  std::string name;
  Tokens tokens = 0;
};
struct Meters {
  std::string model, provider, branch, cwd, session;
  PermissionMode mode = PermissionMode::ask;
  Tokens used = 0, effective = 0, window = 0;
  std::vector<Part> parts;  // sum to `used`
  bool estimated = true;    // "~" until the provider has reported
  double micro_at = 0.60, compact_at = 0.80, truncate_at = 0.95;
  int turns_to_next = -1;  // forecast; −1 unknown
  Tokens saved = 0;
  double cache_hit = -1;  // share of the last request's input; −1 unknown
  double dollars = 0;
  bool dollars_known = false;
  bool draft_pending = false, draft_ready = false;
  int background_jobs = 0;
};
struct Queue {  // prompts waiting
  std::vector<std::string> texts;
};
struct TakenBack {
  std::vector<std::string> texts;
};
struct Page {  // a text to read in the pager view (recall, summaries, model list …)
  std::string title, text;
};
struct ContextReport {  // /context
  Meters meters;
  std::vector<std::string> top;    // biggest items, ready to read
  std::vector<std::string> tiers;  // what each tier did
  std::vector<std::string> lines;  // cost decision, forecast, pins, last edits
};
struct RewindPoint {
  ItemId item;
  std::string text, when;
  int files_changed = 0;
};
struct RewindPoints {
  std::vector<RewindPoint> points;
};
struct SessionInfo {
  std::string id, name, when, first_prompt;
  int turns = 0;
};
struct SessionList {
  std::vector<SessionInfo> sessions;
};
struct SessionOpened {  // the view starts anew; replayed items follow
  std::string id, name;
  bool resumed = false;
};
struct Todos {
  std::vector<std::string> lines;  // "☒ done", "◐ doing", "☐ to do"
};
struct TurnEnded {
  enum class How { done, interrupted, failed, limit } how = How::done;
  std::string error;
  int exit_code = 0;  // as headless would end: 0 1 3 4 5 6 130
  std::int64_t milliseconds = 0;
};
struct Goodbye {  // the account printed on exit
  std::string text;
};

using Event = std::variant<TurnStarted, ItemAdded, Delta, ToolStarted, ToolProgress, ToolFinished, PermissionAsked,
                           PermissionSettled, TrustAsked, Notice, Waiting, Compaction, PreviewReady, Meters, Queue, TakenBack,
                           Page, ContextReport, RewindPoints, SessionList, SessionOpened, Todos, TurnEnded, Goodbye>;

// For Mailbox<Event>: adjacent Deltas of one kind and progress of one call become one.
bool merge_events(Event& newest, Event& incoming);

}  // namespace tern
