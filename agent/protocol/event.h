// The two variants where front and core meet: Command in (command.h), Event out. ui/ and app/headless speak
// only these. Everything is a value; events are folded by the front end. Text in events is as the world gave
// it: the front end passes it through text_safe before it reaches a cell.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/protocol/command.h"
#include "agent/protocol/context_event.h"
#include "agent/protocol/extend_event.h"
#include "agent/protocol/list_event.h"
#include "agent/protocol/model_event.h"
#include "agent/protocol/question_event.h"
#include "compression/values/context_edit.h"
#include "compression/values/conversation.h"

namespace tern {

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
inline constexpr std::string_view own_command_label = "You ran";  // of "! make": a call without a model
struct ToolStarted {
  std::string call_id, tool, label, subject, arguments;
  bool replayed = false;
};
struct ToolProgress {
  std::string call_id, tail;  // what came since the last one
};
// How a call ended: it did not run because the user said no, or because a rule or a hook did; or it goes on
// in the background.
enum class CallEnd { ran, rejected, blocked, background };
std::string rejected_note(const std::string& said);  // by the user, if they said anything
std::string blocked_note(const std::string& reason);
CallEnd end_of_note(std::string_view note);  // of a call that the store kept
struct ToolFinished {
  std::string call_id, tool, label, subject, note, diff,
      text;  // text: whole, as the person may unfold it (head kept ≤ 256 KB)
  bool is_error = false;
  std::optional<int> exit_status;
  std::int64_t milliseconds = 0;
  RecallId recall;
  ResultForm form = ResultForm::full;
  bool replayed = false;
  CallEnd end = CallEnd::ran;
};
enum class Level { info, warning, error };
struct Notice {
  Level level = Level::info;
  std::string text;
};
struct Waiting {  // retry or silence banner; empty text clears it
  std::string text;
  std::int64_t until_ms = 0;  // countdown from the event on, 0 = none; the view adds its clock to it
  // A retry: the next try is number `attempt` of `attempts`, and what was streamed of this message is void. 0
  // = none.
  int attempt = 0, attempts = 0;
};
std::string retry_text(const Waiting& waiting,
                       std::int64_t left_ms);  // "retrying in 5s (2 of 10)"; empty = no retry
struct Queue {                                 // prompts waiting
  std::vector<std::string> texts;
};
struct TakenBack {
  std::vector<std::string> texts;
};
struct Page {  // a text to read in the pager view (recall, summaries, model list …)
  enum class Form {
    plain,
    markdown,
    diffs
  };  // diffs: each begins with "--- path" and something to say of it
  std::string title, text;
  Form form = Form::plain;
};
struct RewindPoint {
  ItemId item;
  std::string text, when;
  int files_changed = 0;  // by this prompt
  int files_since = 0;    // by it and all that came after
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
  bool more = false;  // the replay begins later than the log: the query "earlier" has what stands above
  int earlier = 0;    // other conversations of this folder, when this one is new
  std::string last, last_when;  // the newest of them
};
struct EventPage;
struct Earlier {  // goes above everything replayed so far; nothing below it changes
  std::shared_ptr<EventPage> page;
  bool more = false;
};
struct Todos {
  std::vector<std::string> lines;  // "☒ done", "◐ doing", "☐ to do"
};
struct TurnEnded {
  enum class How { done, interrupted, failed, limit } how = How::done;
  std::string error;
  int exit_code = 0;  // as headless would end: 0 1 3 4 5 6 130
  std::int64_t milliseconds = 0;
  bool by_cost = false;  // How::limit: a limit in dollars
};
struct StatusText {  // of the user's own status line; with colours, at most three lines
  std::string text;
};
struct CommandDone {};  // for front ends that send one at a time: everything it has to say came before
struct Goodbye {        // the account printed on exit
  std::string text;
};

using Event = std::variant<TurnStarted, ItemAdded, Delta, ToolStarted, ToolProgress, ToolFinished,
                           PermissionAsked, PermissionSettled, TrustAsked, QuestionAsked, Notice, Waiting,
                           Compaction, PreviewReady, Meters, Queue, TakenBack, Page, ContextReport,
                           RewindPoints, SessionList, ListShown, ModelList, CommandList, LoginAsked,
                           SessionOpened, Earlier, Todos, TurnEnded, StatusText, CommandDone, Goodbye>;

struct EventPage {
  std::vector<Event> events;
};

// For Mailbox<Event>: adjacent Deltas of one kind and progress of one call become one.
bool merge_events(Event& newest, Event& incoming);

}  // namespace tern
