// A tool is one constinit value in its own file and one row in tools.inc. It sees the world only through ToolContext.
// run() is called on the worker (read-only tools on helper threads, in parallel); it must honour ctx.stop within 50 ms
// and never throws for what a model can cause: failure is text that teaches.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

class Workspace;   // workspace.h: inside or outside, the one place that decides
class FileMemory;  // file_memory.h: what was read when, content hashes; forgets what left the context
class Journal;     // journal.h: before-images of every change, for undo
class Jobs;        // jobs.h: background commands
struct Sandbox;    // sandbox.h: what a child may do
struct TodoItem {
  std::string content, status, active_form;  // status: pending, in_progress, completed
};

enum class Effect { read, write, execute, context };  // read runs in parallel and is allowed without asking inside the workspace

struct ImageData {
  std::string media_type, bytes;
};

struct ToolOutput {
  std::string text;  // whole text for the model (the agent snips it); valid UTF-8
  bool is_error = false;
  std::string subject;  // path or command, for labels: "src/a.cpp"
  std::string note;     // short tail of the cell: "245 lines", "exit 1 · 12.3 s", "+2 −1"
  std::string diff;     // unified diff for the screen, when something was written
  std::optional<int> exit_status;
  std::vector<ImageData> images;
  std::filesystem::path spill;    // the whole output when it is larger than `text`; the agent moves it to the store
  bool unchanged_reread = false;  // text only points at an earlier result
};

struct RecallQuery {
  std::string id;                                            // "r17"
  std::optional<std::pair<std::size_t, std::size_t>> lines;  // 1-based, both included
  std::string search;                                        // full-text inside the originals; with an empty id over all of them
};
struct ContextQuery {     // context_status, context_compress, context_config, context_summary
  std::string action;     // "status" "compress" "config" "summary"
  std::string arguments;  // JSON text as the model sent it, already checked
  std::stop_token stop;
};

struct ToolContext {
  Workspace& workspace;
  FileMemory& files;
  Journal& journal;
  Jobs& jobs;
  const Sandbox& sandbox;
  std::vector<TodoItem>& todos;
  std::stop_token stop;
  std::string call_id;
  // A person, a rule or the bypass mode said yes to exactly this call: only then may it touch what lies outside the
  // workspace or is protected. Left false for what is allowed just for being an ordinary path inside.
  bool granted = false;
  std::filesystem::path spill_dir;                                           // private, ours, for capped output files
  std::vector<std::string> allowed_env;                                      // extra names the person lets children see
  std::function<void(std::string_view)> progress = [](std::string_view) {};  // live tail, sanitised by the UI
  std::function<std::string(const RecallQuery&)> recall;
  std::function<std::string(const ContextQuery&)> context;
};

struct Tool {
  std::string_view name;         // "Read"
  std::string_view description;  // what the model reads; short, the seven basic tools ≤ 6 KB with the system prompt
  std::string_view schema;       // JSON schema of the parameters, compact
  Effect effect = Effect::read;
  bool basic = true;  // offered by default; the rest on demand of configuration
  // Aliases a model may use for a parameter: "path=file_path filePath=file_path".
  std::string_view aliases;
  ToolOutput (*run)(const nlohmann::json& args, ToolContext& ctx);
  // One line for people and permission rules: the path or the command of these arguments.
  std::string (*subject)(const nlohmann::json& args);
  // "Bash", "Read" … the label's verb; empty = name.
  std::string_view label;
};

const std::vector<const Tool*>& all_tools();
const Tool* find_tool(std::string_view name);  // case-insensitive, known aliases ("shell" → Bash)

// Arguments checked against the tool's schema: parsed, aliases resolved, numbers in strings accepted.
// On failure `error` is the text that teaches the model.
struct ParsedArgs;
bool parse_args(const Tool& tool, std::string_view json_text, nlohmann::json& args, std::string& error);

}  // namespace tern
