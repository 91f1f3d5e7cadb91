// The state of the screen as a value. Owned by the UI thread. Drawing reads it only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/protocol/event.h"

namespace tern {

// What the transcript is made of. Text is kept as it came (raw); rows.h makes it safe, wraps and styles it.
struct PastedPart {  // bytes of a prompt that were pasted
  std::size_t begin = 0, size = 0;
};
struct UserCell {
  std::string text;
  int attachments = 0;
  std::vector<PastedPart> pasted = {};  // in their order; folded, each is told in a few words
};
struct AssistantCell {
  std::string markdown;
  bool streaming = false, interrupted = false;
};
struct ThinkingCell {
  std::string text;
  bool streaming = false;
};
struct Explored {  // a run of reads and searches
  int files = 0, searches = 0;
  bool running = false;
  bool operator==(const Explored&) const = default;
};
struct ToolCell {
  std::string call_id, tool, label, subject, arguments, note, diff, output, tail;
  std::string file;  // the whole path, when the subject is one
  bool running = true, is_error = false;
  std::optional<int> exit_status;
  std::int64_t milliseconds = 0;
  RecallId recall;
  ResultForm form = ResultForm::full;
  CallEnd end = CallEnd::ran;
  Explored run;         // folded, this cell stands for as many; nothing: for itself
  bool in_run = false;  // folded, the first cell of its run stands for it
};
struct TurnCell {  // what a turn took, below its last row
  std::int64_t milliseconds = 0;
  int tools = 0;
  double dollars = -1;  // negative: unknown
};
struct NoticeCell {
  Level level = Level::info;
  std::string text;
};
struct CompactionCell {
  Compaction last;
};
struct SummaryCell {
  std::string text;
};
using CellBody = std::variant<UserCell, AssistantCell, ThinkingCell, ToolCell, NoticeCell, CompactionCell,
                              SummaryCell, TurnCell>;

struct Cell {
  std::uint64_t id = 0;
  ItemId item;                     // of the log, when it stands for one
  RecallId recall;                 // of that item
  std::uint32_t version = 0;       // grows with every change: the row cache compares it
  bool unfolded = false;           // by the person; thinking and long output are folded by default
  Tier left_context = Tier::none;  // snipped, compacted or summarised away: marked, still readable
  CellBody body;
};

struct ViewState {
  std::vector<Cell> cells;
  Meters meters;
  std::int64_t cold_at_ms = -1;  // by the clock of fold: when the provider's cache is gone; negative: never
  bool working = false;
  std::string side_work;  // what runs outside a turn: the call id of a shell line, or "compaction"
  std::int64_t turn_started_ms =
      0;  // from the clock the caller passes to fold; later by as long as a question waited
  std::int64_t asked_ms = -1;  // since when one waits; negative: none does
  int turn_tools = 0;
  Tokens turn_tokens = 0;   // written by the model in this turn, estimated
  double turn_dollars = 0;  // of the session when it began
  bool rejected = false;    // the last turn ended because the user rejected a call
  Waiting waiting;
  std::vector<std::string> queue;
  std::vector<std::string> sent_pastes;  // of prompts that are not yet in the log
  std::vector<std::string> todos;
  bool new_todos = false;  // a list with something to do came where there was none
  std::optional<PermissionAsked> permission;
  std::optional<TrustAsked> trust;
  std::optional<QuestionAsked> question;
  std::optional<PreviewReady> preview;
  std::optional<ContextReport> report;
  std::optional<Page> page;  // opened in the pager view
  std::vector<RewindPoint> rewind;
  std::vector<SessionInfo> sessions;
  std::optional<ListShown> list;
  std::vector<ModelChoice> models;
  std::optional<LoginAsked> login;
  std::optional<CommandList> brought;   // to be put among the commands by the screen
  std::vector<std::string> taken_back;  // to be put into the composer by the screen
  std::uint64_t gauged = 0;             // meters and compactions so far: an open context panel follows them
  Compaction compaction;                // the one under way, for the progress line
  std::string session_id, session_name;
  std::string status_text;  // of the user's own status line
  int earlier_talks = 0;    // other conversations of this folder, for the first screen
  std::string last_talk, last_talk_when;
  std::optional<std::string> goodbye;  // the worker has left, and why
  bool dirty = true;
  std::uint64_t openings = 0;  // of sessions, and of more of the same one
  bool more_above = false;     // the log begins before the first cell
  std::vector<Cell> early;     // notices from before the first session: they follow its log
  bool replaying = false;      // its log is still coming: the last frame stays
  std::int64_t replay_ms = 0;  // … since
  std::uint64_t next_cell = 1;
};

}  // namespace tern
