// The values that go into the store and come out of it. Nothing here knows SQLite or JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/protocol/event.h"
#include "agent/store/usage_row.h"
#include "compression/values/context_edit.h"

namespace tern {

struct StoreOptions {
  std::filesystem::path folder;         // ".compression" or its stand-in; empty = nothing is kept on disk
  bool read_only = false;               // `tern context`, `tern summaries`: beside a running tern
  std::size_t summary_max_chars = 500;  // of a key point in summaries.json
  std::function<TimePoint()> now;       // empty = the system clock
};

struct StoreEnd {
  std::string text;   // for people; empty = everything is on disk
  bool lost = false;  // not even a copy could be written
};
struct NewSession {
  std::string name, cwd, model;  // an empty name is taken from the first prompt
  std::string helper_of = {};    // the session it works for: such a one is in no list and shares nothing
};

// A session as it is after open: the context can be sent, everything else is still in the database.
struct OpenedSession {
  std::string id, name, model;
  Conversation conversation;  // passes check(): what a crash left open has been closed in the log
  ItemId last_item;           // the newest id ever given, also to items that left
  std::uint64_t turns = 0;
  bool resumed = false;
  std::vector<std::string> notices;  // for people: "a Bash call was interrupted, its effect is unknown"
};

// One original: the bytes behind "r17", as they were before anything was shortened.
struct Original {
  RecallId id;
  std::string session, tool, subject;  // subject: path or command; tool empty = a message
  std::int64_t bytes = 0;
  ItemId item;
  TimePoint when{};
};
struct OriginalHit {  // one line of one original that holds the searched text
  RecallId id;
  std::string tool, subject, line;
  std::size_t line_number = 0;  // 1-based
};

struct CallStart {  // written before the tool runs
  std::string call_id, tool, label, subject, arguments;
};

struct Rewound {  // back to just before a user item
  ItemId item;
  bool conversation = true;
  std::string files;  // the name under which the journal put files back; empty = it did not
};

// What one compression did, beside its edits: the rows of the views `compactions` and `summaries`.
struct CompactionRecord {
  std::uint64_t batch = 0;
  Tier tier = Tier::none;
  Cause cause = Cause::automatic;
  std::string strategy, model, why, audit, cost;
  std::string summary,
      index;  // summary: an account for people whatever made it; empty when nothing was summarised
  std::vector<std::string> key_points;
  std::string audit_full;  // the whole list of specifics: kept, by recall, lost
  std::uint64_t first_turn = 0, last_turn = 0;
  Tokens before = 0, after = 0;
  std::size_t items = 0, originals = 0;
  std::size_t messages_before = 0, messages_after = 0;  // in the context; 0 in a file of the first version
  std::size_t boundary = 0;  // messages before the cut behind what was summarised; 0 without one
  int boundary_score = 0;
  std::size_t specifics = 0, specifics_kept = 0, sentences = 0, sentences_kept = 0;  // of the audit
  double dollars = 0;
  std::int64_t pause_ms = 0;  // what somebody waited, also for a draft
  TimePoint when{};           // set by the store when zero
  bool undone = false;        // set by the store on the way out
  bool inherited = false;     // the same: made by the session this one was forked from
};

struct NumberedSummary {  // as `tern summaries` and summaries/NNNN.md count them, over all sessions
  std::uint64_t number = 0;
  std::string session;
  CompactionRecord record;
};

struct PinRecord {  // pinned sentences and files; pinned items are Pin edits in the log
  std::uint64_t id = 0;
  std::string kind, what, text;  // kind: "sentence", "file", "result", "message"
  ItemId item;
};

struct DraftRecord {  // a summary made ahead of need, good while its prefix is untouched
  ItemRange covers;
  std::string answer, model, strategy, prefix_hash;
  double dollars = 0;
  bool complete = true;
};

struct SearchHit {
  std::string session, session_name, snippet;
  ItemId item;
  Role role = Role::user;
  TimePoint when{};
};

struct SessionRow {
  std::string id, name, first_prompt, cwd, model, parent;  // parent: the session it was forked from
  std::uint64_t turns = 0;
  TimePoint created{}, updated{};
  bool busy = false;  // another tern has it open
};

// What was on screen, oldest first: items, tool cells and the notices between them. Events come with replayed
// = true.
struct ScreenOptions {
  std::size_t begin = 0,
              end = SIZE_MAX;  // only these log entries; Store::screen_begin() says where a part may begin
  std::size_t tool_text =
      4'096;                     // bytes of a tool's text: its two ends with a line that says what is missing
  std::size_t full_cells = 500;  // the newest so many cells; older ones bring 400 bytes
};

}  // namespace tern
