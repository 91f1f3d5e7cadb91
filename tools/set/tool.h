// A tool is a value: the built-in ones are made by a file each (tools/builtin), others come at run time. It
// sees the world only through ToolContext. run() is called on a helper thread (read-only tools in parallel),
// tools of Effect::context on the owner's own. What it is shown of the session is a copy; what it changes of
// it goes into ctx.changes. It must honour ctx.stop within 50 ms and never throws for what a model can cause:
// failure is text that teaches.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tools/set/effect.h"
#include "tools/set/tool_duty.h"
#include "tools/set/user_question.h"
#include "tools/set/wall_hit.h"

namespace tern {

class Workspace;       // workspace.h: inside or outside, the one place that decides
class FileMemory;      // file_memory.h: what was read when, content hashes; forgets what left the context
class CommandScanner;  // command_scan.h: finds what a command changed
class Jobs;            // jobs.h: background commands; safe from any thread
struct FileChange;     // file_change.h: one change of one file, with its before-image
struct Sandbox;        // sandbox.h: what a child may do
struct ToolChanges;    // tool_changes.h: what a call changed of the session
struct TodoItem {
  std::string content, status, active_form;  // status: pending, in_progress, completed
};

struct ImageData {
  std::string media_type, bytes;
};

struct ToolOutput {
  std::string text;  // whole text for the model (the agent snips it); valid UTF-8
  std::optional<std::string> shown = std::nullopt;  // to people, where that is not `text`
  bool is_error = false;
  std::string subject;  // path or command, for labels: "src/a.cpp"
  std::string note;     // short tail of the cell: "245 lines", "exit 1 · 12.3 s", "+2 −1"
  std::string diff;     // for the screen: a unified diff when something was written; a plan's Markdown
  std::optional<int> exit_status;
  std::vector<ImageData> images;
  std::filesystem::path
      spill;  // the whole output when it is larger than `text`; the agent moves it to the store
  std::vector<WallHit> walls;     // what a sandboxed command wanted and needs, and the sandbox does not give
  bool unchanged_reread = false;  // text only points at an earlier result
  bool in_background = false;     // the command goes on there
  bool user_first = false;        // the user wants to say something before the model goes on
};

struct RecallQuery {
  std::string id;                                            // "r17"
  std::optional<std::pair<std::size_t, std::size_t>> lines;  // 1-based, both included
  std::string search;  // full-text inside the originals; with an empty id over all of them
  std::string list;    // "tool=Bash path=src since=2h role=user": ids instead of a text
};
struct ContextQuery {  // context_status, context_compress, context_config, context_summary, Notes, NewContext
  std::string action;  // "status" "compress" "config" "summary" "notes" "fresh"
  std::string arguments;  // JSON text as the model sent it, already checked
  std::stop_token stop;
};

struct ToolContext {
  const Workspace& workspace;
  const FileMemory& files;
  Jobs& jobs;
  const Sandbox& sandbox;
  ToolChanges& changes;
  std::stop_token stop;
  std::string call_id;
  // For a tool that writes: keeps the before-image, on disk when it returns. The change is made after that.
  std::function<void(FileChange)> record = {};
  CommandScanner* scanner = nullptr;  // lent to a tool of Effect::execute
  std::filesystem::path leftovers;    // for files that are being written; see atomic_write.h
  // A person, a rule or the bypass mode said yes to exactly this call: only then may it touch what lies
  // outside the workspace or is protected. Left false for what is allowed just for being an ordinary path
  // inside.
  bool granted = false;
  bool rehearsal = false;           // the tool answers as it would, and writes nothing; see Tool::rehearses
  std::filesystem::path spill_dir;  // private, ours, for capped output files
  std::vector<std::string> allowed_env;   // extra names the person lets children see
  std::vector<std::string> set_env = {};  // NAME=value that commands get beside them
  std::function<void(std::string_view)> progress = [](std::string_view) {};  // live tail, sanitised by the UI
  std::function<std::string(const RecallQuery&)> recall;
  std::function<std::string(const ContextQuery&)> context;
  std::function<UserAnswer(const UserQuestion&)> ask_user = {};  // waits for the answer
};

struct Tool {
  std::string name;  // "Read"
  std::string
      description;     // what the model reads; short, the seven basic tools ≤ 6 KB with the system prompt
  std::string about;   // what people read of it: one plain line
  std::string schema;  // JSON schema of the parameters, compact
  EffectSet effects = Effect::read;
  ToolDuty duty = ToolDuty::plain;
  bool basic = true;  // offered by default; the rest on demand of configuration
  // Aliases a model may use for a parameter: "path=file_path filePath=file_path".
  std::string aliases;
  std::function<ToolOutput(const nlohmann::json& args, ToolContext& ctx)> run;
  // One line for people and permission rules: the path or the command of these arguments.
  std::function<std::string(const nlohmann::json& args)> subject;
  std::string label;     // its verb; empty = name
  bool foreign = false;  // the schema is a server's, see check_args
  // The paths a call reads or writes, as they were given; "" stands for the working directory. Not set: it
  // touches no files by path.
  std::function<std::vector<std::string>(const nlohmann::json& args)> paths = {};
  // The command line a call runs, for a tool of Effect::execute that the gate can read.
  std::function<std::string(const nlohmann::json& args)> command = {};
  std::function<std::string(const nlohmann::json& args)> host = {};  // that a call reaches
  // A unified diff of what a call would change, as far as that can be said before; empty when it cannot.
  std::function<std::string(const nlohmann::json& args, const Workspace& workspace)> preview = {};
  bool rehearses = false;  // knows ToolContext::rehearsal: the user is not asked about a call that must fail
  // Set for a tool that calls others: gives the one that is meant and turns the arguments into its; null with
  // an `error` that teaches. Rules, questions and the screen see that one. Called on the owner's thread.
  std::function<std::shared_ptr<const Tool>(nlohmann::json& args, std::string& error)> stands_for = {};
  bool vouched = false;  // it only reads, says somebody the user trusts: nothing has to be asked
  bool asks = false;     // the user answers: declared only where somebody can
  int most_tokens = 0;   // of a result; what is longer is folded, and its original kept. 0 = as any other
};
using ToolPtr = std::shared_ptr<const Tool>;

// Arguments checked against the tool's schema: parsed, aliases resolved, numbers in strings accepted.
// On failure `error` is the text that teaches the model.
bool parse_args(const Tool& tool, std::string_view json_text, nlohmann::json& args, std::string& error);

}  // namespace tern
