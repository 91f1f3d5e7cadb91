// What the front sends to the core: commands, drained by the worker between steps. The way back is event.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/protocol/query.h"
#include "compression/values/context_edit.h"
#include "compression/values/conversation.h"

namespace tern {

enum class When { steer, after };  // typed while a turn runs: at the next request, or when the turn has ended
struct Attachment {
  std::string path, media_type, bytes;  // an image or document
};
struct Submit {
  std::string text;
  std::vector<Attachment> attachments;
  When when = When::steer;
  std::string typed = {};  // what the person wrote, where the text is what a command of theirs stands for
};
struct TakeBack {};   // give every queued prompt back (answered by Queue with none and TakenBack)
struct Interrupt {};  // also requested through the stop source; kept for headless input
enum class Verdict { yes, yes_remember, no };
struct Answer {  // to what question_event.h asks
  std::uint64_t id = 0;
  Verdict verdict = Verdict::no;
  std::string note;        // "no, and say why"; own words
  std::size_t choice = 0;  // which of the grants (yes_remember) or the options of a question
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
inline constexpr const char* kFresh = "fresh";  // the strategy that begins a window anew with notes
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
  ItemId item = {};  // "last", as it was meant when it was said during a turn
};
struct EditContext {  // by hand, item by item
  enum class What { drop, fold, back } what = What::drop;
  std::vector<std::string> ids;  // as the list of items names them: "r17", "m12"
};
struct Aside {  // a question beside the conversation: answered from it, and no part of it
  std::string question;
  bool keep = false;  // the last one and its answer become part of it after all
};
struct Rewind {  // conversation back to just before this user item; files too when asked
  ItemId item;
  bool conversation = true, files = false, preview = false;
};
struct Redo {  // the last rewind taken back
  bool files = true;
};
struct Sessions {  // clear, resume, fork, rename
  enum class What { fresh, resume, fork, rename } what = What::fresh;
  std::string argument;  // id, text, or the new name
};
struct StopJob {
  std::string id;  // empty = all
};
struct Login {  // a key to be tried and kept; an empty provider is told by the form of the key
  std::string provider, key;
};
struct Logout {          // forgets the key that was kept
  std::string provider;  // empty = that of the model in use
};
struct Remember {  // a choice the user made on the screen, to be kept in their configuration
  std::string key, value;
};
struct ReloadConfig {};
struct RunCommand {  // a command of the CommandList: the owner makes its prompt and sends that
  std::string name, arguments;
};
struct Quit {};

using Command =
    std::variant<Submit, TakeBack, Interrupt, Answer, ShellLine, MemoryNote, SetMode, SetModel, Compact,
                 AcceptPreview, UndoCompact, PinThis, EditContext, Aside, Rewind, Redo, Sessions, Query,
                 Change, StopJob, Login, Logout, Remember, ReloadConfig, RunCommand, Quit>;

// Done at once, in the middle of a turn as well.
inline bool is_asked(const Command& command) {
  return std::holds_alternative<Query>(command) || std::holds_alternative<Change>(command);
}

}  // namespace tern
