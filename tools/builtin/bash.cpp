#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

#include "compression/text/command_result.h"
#include "tools/exec/command_limits.h"
#include "tools/exec/follow.h"
#include "tools/exec/jobs.h"
#include "tools/exec/supervisor.h"
#include "tools/files/command_scan.h"
#include "tools/files/tool_changes.h"
#include "tools/sandbox/child_env.h"
#include "tools/sandbox/protected_watch.h"
#include "tools/sandbox/sandbox.h"
#include "tools/workspace/workspace.h"

namespace tern {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
namespace fs = std::filesystem;

std::string seconds(milliseconds time) {
  const long long tenths = time.count() / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

milliseconds from_environment(const char* name, long fallback) {
  const char* text = std::getenv(name);
  const long value = text == nullptr ? 0 : std::atol(text);
  return milliseconds(value > 0 ? value : fallback);
}

milliseconds time_limit(const nlohmann::json& args) {
  const milliseconds most = from_environment("BASH_MAX_TIMEOUT_MS", 600000);
  const milliseconds usual = std::min(most, from_environment("BASH_DEFAULT_TIMEOUT_MS", 120000));
  const double asked =
      args.contains("timeout") && args["timeout"].is_number() ? args["timeout"].get<double>() : 0;
  if (asked < 1) return usual;
  return asked >= static_cast<double>(most.count()) ? most : milliseconds(static_cast<long long>(asked));
}

fs::path spill_file(const ToolContext& ctx) {
  static std::atomic<unsigned> count{0};
  if (ctx.spill_dir.empty()) return {};
  std::string name = ctx.call_id.substr(0, 80);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; },
      '_');
  return ctx.spill_dir /
         ("bash-" + std::to_string(::getpid()) + "-" + std::to_string(++count) + "-" + name + ".out");
}

bool mentions_directory_change(const std::string& command) {
  constexpr std::array parts = {"cd", "pushd", "popd", "source", ". "};
  return std::any_of(parts.begin(), parts.end(),
                     [&](const char* part) { return command.find(part) != std::string::npos; });
}

std::string shell() { return ::access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "bash"; }

ProcessSpec spec_of(const std::string& command, const fs::path& cwd, const ToolContext& ctx) {
  ProcessSpec spec;
  spec.report_cwd = mentions_directory_change(command);
  static const std::string tell =
      "trap '{ pwd -P >&" + std::to_string(cwd_descriptor) + "; } 2>/dev/null' EXIT; ";
  spec.argv = {shell(), "-c", "--", (spec.report_cwd ? tell : std::string()) + command};
  spec.cwd = cwd;
  spec.sandbox = ctx.sandbox;
  if (spec.sandbox.on) refresh(spec.sandbox);
  spec.env = child_env(current_env(), ctx.allowed_env, ctx.sandbox.temp);
  for (const auto& entry : ctx.set_env) set_variable(spec.env, entry);
  fit_environment(spec.env, ctx.sandbox);
  if (ctx.sandbox.on && ::geteuid() == 0)
    spec.env.emplace_back("TAR_OPTIONS=--no-same-owner");  // owners cannot be set in there
  return spec;
}

// What is there before the command; not kept where the sandbox lets nothing change.
Scan scan_before(const std::string& command, ToolContext& ctx) {
  if (!ctx.sandbox.on || !ctx.sandbox.writable.empty())
    return ctx.scanner->before(ctx.workspace, ctx.files, command);
  Scan none;
  none.only_looks = true;
  return none;
}

bool smells_of_sandbox(const std::string& output) {
  const std::string end = output.substr(output.size() - std::min<std::size_t>(output.size(), 8192));
  for (const char* sign :
       {"Read-only file system", "Permission denied", "Operation not permitted", "Network is unreachable",
        "ould not resolve host", "Temporary failure in name resolution", "EROFS", "EACCES", "ENETUNREACH",
        "ENOTFOUND", "EAI_AGAIN"})
    if (end.find(sign) != std::string::npos) return true;
  return false;
}

// Places that programs write in passing, and do without where they cannot.
bool in_passing(const fs::path& path) {
  return std::any_of(path.begin(), path.end(), [](const fs::path& part) {
    const std::string& name = part.native();
    return name.find("cache") != std::string::npos || name == "_logs" || name.ends_with(".log") ||
           name.ends_with("_history");
  });
}

// The walls that kept the command from its work. One that ended well has done without a network, or a file
// outside.
std::vector<WallHit> walls_met(const Following& following, const std::string& said, const ToolContext& ctx) {
  std::vector<WallHit> met;
  if (following.how != Following::How::ended || following.end.stopped) return met;
  // Where the kernel does not report, the words of the command must do.
  const bool looking = ctx.sandbox.on && ctx.sandbox.notices == Notices::all;
  if (looking && !following.end.watched && following.end.status != 0 && smells_of_sandbox(said))
    met.emplace_back();
  for (const WallHit& hit : following.end.walls) {
    const bool inside = hit.kind == WallHit::Kind::write && ctx.workspace.inside(hit.target);
    if ((inside || following.end.status != 0) && !in_passing(hit.target)) met.push_back(hit);
  }
  return met;
}

// The last command decides; for these, 1 is an answer.
bool one_is_an_answer(const std::string& command) {
  std::size_t begin = command.find_last_of("|;&\n");
  begin = command.find_first_not_of(" \t", begin == std::string::npos ? 0 : begin + 1);
  if (begin == std::string::npos) return false;
  const std::string word = command.substr(begin, command.find_first_of(" \t", begin) - begin);
  constexpr std::array answering = {"grep", "egrep", "fgrep", "rg",    "diff", "cmp",
                                    "test", "[",     "[[",    "pgrep", "which"};
  return std::find(answering.begin(), answering.end(), word) != answering.end();
}

void add_line(std::string& text, const std::string& line) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += line;
}

bool wanted_terminal(const std::string& output) {
  const std::string end = output.substr(output.size() - std::min<std::size_t>(output.size(), 2048));
  for (const char* sign :
       {"a terminal is required", "terminal prompts disabled", "not a terminal", "not a tty",
        "no tty present", "EOFError: EOF when reading a line", "cannot open /dev/tty", "can't open /dev/tty",
        "No such device or address: '/dev/tty'", "/dev/tty: No such device or address"})
    if (end.find(sign) != std::string::npos) return true;
  return false;
}

// A shell that became another program, or has its own EXIT trap, takes the place it went to with it.
bool may_hide_cwd(const std::string& command) {
  return mentions_directory_change(command) &&
         (command.find("exec ") != std::string::npos || command.find("trap ") != std::string::npos);
}

// Where the shell stands from now on, inside the workspace.
void keep_cwd(const std::string& command, const ProcessEnd& end, ToolContext& ctx, std::string& text) {
  const fs::path cwd = ctx.changes.cwd.value_or(ctx.workspace.cwd());
  if (end.cwd.empty() && end.signal == 0 && end.error.empty() && !end.stopped && may_hide_cwd(command))
    add_line(
        text,
        "[With exec or a trap on EXIT it is not known where the shell went: the working directory is still " +
            cwd.string() + ".]");
  if (end.cwd.empty() || end.cwd == cwd) return;
  if (ctx.workspace.takes_cwd(end.cwd))
    ctx.changes.cwd = end.cwd;
  else
    add_line(text, "Shell cwd was reset to " + cwd.string());
}

std::string first_line(const Following& following, milliseconds took) {
  const ProcessEnd& end = following.end;
  const bool left = following.how == Following::How::leaving;
  if (left || following.how == Following::How::stopped)
    return "Interrupted by the user after " + seconds(took) + "; the command and everything it started " +
           (left ? "are being" : "were") + " ended.";
  if (following.how == Following::How::asking)
    return "Ended after " + seconds(took) +
           ": it was waiting for an answer, and a command here gets no input.";
  if (end.signal != 0)
    return exit_line(end.status) + " (killed by signal " + std::to_string(end.signal) + ")";
  return end.status == 0 ? std::string() : exit_line(end.status);
}

// A repository or a file that is run unasked, with whatever the command wrote into it: people should know
// before they go there.
std::string protected_names_made(const ToolContext& ctx) {
  if (!ctx.sandbox.on || ctx.sandbox.writable.empty()) return {};
  Sandbox sandbox = ctx.sandbox;
  const auto made = refresh(sandbox);
  std::string list;
  for (std::size_t i = 0; i < made.size() && i < 5; ++i)
    list += (i == 0 ? "" : ", ") + ctx.workspace.display(made[i]);
  if (made.size() > 5) list += " and " + std::to_string(made.size() - 5) + " more";
  return list.empty() ? ""
                      : "[Inside the sandbox it made " + list +
                            ", which programs outside believe: look at it before you use it there. For later "
                            "commands in the "
                            "sandbox it is read-only.]";
}

// A command that failed may have missed what it was not shown.
std::string secrets_hidden(const ToolContext& ctx) {
  if (!ctx.sandbox.on || !ctx.sandbox.hide_secrets || !ctx.sandbox.watch) return {};
  constexpr std::size_t most_named = 3;
  const auto& secrets = ctx.sandbox.watch->secrets();
  std::string list;
  std::size_t count = 0;
  for (const fs::path& path : secrets)
    if (++count <= most_named) list += (list.empty() ? "" : ", ") + ctx.workspace.display(path);
  if (list.empty()) return {};
  return "[It ran in a sandbox that hides files of secrets: " + list +
         (count > most_named ? " and more" : "") + ".]";
}

void add_remarks(const Following& following, const std::string& said, const ToolContext& ctx,
                 std::string& text) {
  const ProcessEnd& end = following.end;
  if (!end.error.empty()) add_line(text, "[" + end.error + "]");
  if (following.how == Following::How::asking || (end.status != 0 && wanted_terminal(said)))
    add_line(text,
             "[There is no terminal and no input here: pass the answer as an option (-y, --yes), in a file, "
             "or with a "
             "here-document.]");
  if (end.strays > 0 && following.how == Following::How::ended && !end.stopped)
    add_line(text, "[" + std::to_string(end.strays) + (end.strays == 1 ? " process was" : " processes were") +
                       " still running in the background when the command ended, and ended with it. To keep "
                       "one, use run_in_background.]");
  if (ctx.sandbox.on && end.status != 0 && smells_of_sandbox(said))
    add_line(text, "[It ran in the " + describe(ctx.sandbox) + ". If it needs more, say so.]");
  if (const std::string hidden = end.status != 0 ? secrets_hidden(ctx) : std::string(); !hidden.empty())
    add_line(text, hidden);
  if (const std::string made = protected_names_made(ctx); !made.empty()) add_line(text, made);
}

// "exit 3 · 0.2 s", "12.0 s"; a command that went well at once has no note.
std::string note_of(const Following& following, milliseconds took) {
  const bool left = following.how == Following::How::leaving || following.how == Following::How::stopped;
  const bool ended = following.how == Following::How::ended;
  if (ended && following.end.status == 0)
    return took < std::chrono::seconds(1) ? std::string() : seconds(took);
  const std::string what = ended  ? "exit " + std::to_string(following.end.status)
                           : left ? "interrupted"
                                  : "waited for input";
  return took < milliseconds(100) ? what : what + " · " + seconds(took);
}

ToolOutput finished(const std::string& command, const Following& following, OutputRing& output,
                    milliseconds took, ToolContext& ctx) {
  const std::string said = output.text();
  const ProcessEnd& end = following.end;
  ToolOutput result;
  result.subject = command;
  const bool left = following.how == Following::How::leaving;
  if (!left) result.exit_status = end.status;
  result.text = first_line(following, took);
  if (!said.empty()) add_line(result.text, said);
  add_remarks(following, said, ctx, result.text);
  if (!output.note().empty()) add_line(result.text, "[" + output.note() + "]");
  keep_cwd(command, end, ctx, result.text);
  if (result.text.empty()) result.text = no_output;
  const bool ended = following.how == Following::How::ended;
  result.is_error =
      !ended || !end.error.empty() || (end.status != 0 && !(end.status == 1 && one_is_an_answer(command)));
  result.note = note_of(following, took);
  result.spill = output.spill();
  result.walls = walls_met(following, said, ctx);
  return result;
}

ToolOutput went_to_background(const std::string& command, const std::string& id, const std::string& said,
                              const std::string& why, bool seems_asking = false) {
  ToolOutput result;
  result.subject = command;
  result.note = std::string(background_note) + id;
  result.in_background = true;
  result.text = why + " Its id is " + id +
                ": BashOutput reads what it says, KillBash ends it, and you are told when it ends.";
  if (!said.empty()) add_line(result.text, "Output so far:\n" + said);
  if (seems_asking)
    add_line(result.text,
             "[Its last line reads like a question, and it gets no input: it may wait for ever.]");
  return result;
}

ToolOutput failed(const std::string& command, const std::string& why) {
  ToolOutput result;
  result.subject = command;
  result.text = why;
  result.is_error = true;
  result.note = "not run";
  return result;
}

std::string check_cwd(ToolContext& ctx) {
  std::error_code error;
  if (fs::is_directory(ctx.workspace.cwd(), error)) return {};
  const std::string gone = ctx.workspace.cwd().string();
  ctx.changes.cwd = ctx.workspace.root();
  if (gone == ctx.workspace.root().string())
    return "The working directory " + gone + " is gone. Make it again, or start tern elsewhere.";
  return {};
}

ToolOutput run(const nlohmann::json& args, ToolContext& ctx) {
  const std::string command = args.value("command", std::string());
  if (command.find_first_not_of(" \t\r\n") == std::string::npos)
    return failed(command, "The command is empty.");
  if (const std::string why = check_cwd(ctx); !why.empty()) return failed(command, why);
  ctx.jobs.wait_for_leaving(ctx.stop);
  Process process;
  OutputRing output(spill_file(ctx));
  Scan before = scan_before(command, ctx);
  FollowLimits limits;
  limits.time = time_limit(args);
  limits.move = ctx.jobs.move_token();  // before the command can show itself: a wish to move it is never lost
  const Clock::time_point started = Clock::now();
  if (const std::string error =
          process.start(spec_of(command, ctx.changes.cwd.value_or(ctx.workspace.cwd()), ctx));
      !error.empty())
    return failed(command, "The command was not run: " + error);
  const std::string description = args.value("description", std::string());
  if (args.value("run_in_background", false)) {
    const std::string id =
        ctx.jobs.adopt(std::move(process), std::move(output), command, description, started);
    ctx.changes.background = {id, std::move(before)};
    return went_to_background(command, id, {}, "The command runs in the background.");
  }
  const Following following = follow(process, output, limits, ctx.stop, ctx.progress);
  const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - started);
  if (following.how == Following::How::leaving) {
    ctx.changes.background = {ctx.jobs.leave(std::move(process), command), std::move(before)};
    return finished(command, following, output, took, ctx);
  }
  ctx.changes.found = ctx.scanner->after(ctx.workspace, before, ctx.call_id);
  if (following.how != Following::How::time_up) return finished(command, following, output, took, ctx);
  const std::string said = output.text();
  Scan rest = scan_before(command, ctx);
  const std::string id = ctx.jobs.adopt(std::move(process), std::move(output), command, description, started);
  ctx.changes.background = {id, std::move(rest)};
  const std::string why = limits.move.stop_requested()
                              ? "The user moved the command to the background after " + seconds(took) + "."
                              : "The command is still running after " + seconds(limits.time) +
                                    " and was moved to the background.";
  return went_to_background(command, id, said, why, following.seemed_asking);
}

std::string subject(const nlohmann::json& args) { return args.value("command", std::string()); }

}  // namespace

Tool bash_tool() {
  return {
      .name = "Bash",
      .description =
          "Runs a bash command in the workspace; the working directory persists, variables and functions do "
          "not. No terminal, "
          "no input: pass -y. timeout in ms (default 120000, at most 600000), then it moves to the "
          "background.",
      .about = "Runs a command in the shell.",
      .schema = R"({"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"number"},)"
                R"("description":{"type":"string"},)"
                R"("run_in_background":{"type":"boolean"}},"required":["command"]})",
      .effects = Effect::execute,
      .duty = ToolDuty::shell,
      .basic = true,
      .aliases = "cmd=command background=run_in_background is_background=run_in_background",
      .run = run,
      .subject = subject,
      .label = {},
      .command = subject,
  };
}

}  // namespace tern
