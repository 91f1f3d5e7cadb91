// The state of the screen as a value, and the pure fold of events into it. Owned by the UI thread. Drawing reads it only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/event.h"

namespace tern {

// What the transcript is made of. Text is kept as it came (raw); rows.h makes it safe, wraps and styles it.
struct UserCell {
  std::string text;
  int attachments = 0;
};
struct AssistantCell {
  std::string markdown;
  bool streaming = false, interrupted = false;
};
struct ThinkingCell {
  std::string text;
  bool streaming = false;
};
struct ToolCell {
  std::string call_id, tool, label, subject, arguments, note, diff, output, tail;
  bool running = true, is_error = false;
  std::optional<int> exit_status;
  std::int64_t milliseconds = 0;
  RecallId recall;
  ResultForm form = ResultForm::full;
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
using CellBody = std::variant<UserCell, AssistantCell, ThinkingCell, ToolCell, NoticeCell, CompactionCell, SummaryCell>;

struct Cell {
  std::uint64_t id = 0;
  ItemId item;                     // of the log, when it stands for one
  std::uint32_t version = 0;       // grows with every change: the row cache compares it
  bool unfolded = false;           // by the person; thinking and long output are folded by default
  Tier left_context = Tier::none;  // snipped, compacted or summarised away: marked, still readable
  CellBody body;
};

struct PermissionDialog {
  PermissionAsked asked;
};
struct TrustDialog {
  TrustAsked asked;
};

struct ViewState {
  std::vector<Cell> cells;
  Meters meters;
  bool working = false;
  std::string side_work;             // what runs outside a turn: the call id of a shell line, or "compaction"
  std::int64_t turn_started_ms = 0;  // from the clock the caller passes to fold
  Waiting waiting;
  std::vector<std::string> queue;
  std::vector<std::string> todos;
  std::optional<PermissionAsked> permission;
  std::optional<TrustAsked> trust;
  std::optional<PreviewReady> preview;
  std::optional<ContextReport> report;
  std::optional<Page> page;  // opened in the pager view
  std::vector<RewindPoint> rewind;
  std::vector<SessionInfo> sessions;
  std::vector<std::string> taken_back;  // to be put into the composer by the screen
  std::uint64_t gauged = 0;             // meters and compactions so far: an open context panel follows them
  Compaction compaction;                // the one under way, for the progress line
  std::string session_id, session_name;
  std::optional<std::string> goodbye;  // the worker has left, and why
  bool dirty = true;
  std::uint64_t openings = 0;  // of sessions, and of more of the same one
  bool more_above = false;     // the log begins before the first cell
  std::vector<Cell> early;     // notices from before the first session: they follow its log
  bool replaying = false;      // its log is still coming: the last frame stays
  std::int64_t replay_ms = 0;  // … since
  std::uint64_t next_cell = 1;
};

// `now_ms` is any steady clock's milliseconds. Marks the view dirty when something visible changed.
void fold(ViewState& view, Event event, std::int64_t now_ms);

}  // namespace tern
