// The two variants where front and core meet: Command in (command.h), Event out. ui/ and app/headless speak only these.
// Everything is a value; events are folded by the front end.
// Text in events is as the world gave it: the front end passes it through text_safe before it reaches a cell.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/command.h"
#include "agent/context_event.h"
#include "compression/conversation.h"
#include "compression/edit.h"

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
  std::int64_t until_ms = 0;  // countdown from the event on, 0 = none; the view adds its clock to it
};
struct Queue {  // prompts waiting
  std::vector<std::string> texts;
};
struct TakenBack {
  std::vector<std::string> texts;
};
struct Page {                                  // a text to read in the pager view (recall, summaries, model list …)
  enum class Form { plain, markdown, diffs };  // diffs: each begins with "--- path" and something to say of it
  std::string title, text;
  Form form = Form::plain;
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
  bool more = false;  // the replay begins later than the log: the query "earlier" has what stands above
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
};
struct Goodbye {  // the account printed on exit
  std::string text;
};

using Event = std::variant<TurnStarted, ItemAdded, Delta, ToolStarted, ToolProgress, ToolFinished, PermissionAsked,
                           PermissionSettled, TrustAsked, Notice, Waiting, Compaction, PreviewReady, Meters, Queue, TakenBack,
                           Page, ContextReport, RewindPoints, SessionList, SessionOpened, Earlier, Todos, TurnEnded, Goodbye>;

struct EventPage {
  std::vector<Event> events;
};

// For Mailbox<Event>: adjacent Deltas of one kind and progress of one call become one.
bool merge_events(Event& newest, Event& incoming);

}  // namespace tern
