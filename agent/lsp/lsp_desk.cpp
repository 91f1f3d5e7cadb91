#include "agent/lsp/lsp_desk.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/lsp/header_framing.h"
#include "compression/text/figures.h"
#include "compression/text/lines.h"
#include "tools/exec/output_ring.h"
#include "tools/files/change.h"
#include "tools/sandbox/child_env.h"
#include "tools/sandbox/sandbox.h"
#include "tools/set/args.h"
#include "tools/workspace/file.h"
#include "tools/workspace/lookalike.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kLargestFile = 1u << 20;
constexpr std::size_t kMostErrors = 20, kMostRows = 50;
constexpr int kMostStarts = 3;  // of a server that fails

ProcessSpec spec_of(const LanguageServer& row, const LspWorld& world) {
  ProcessSpec spec;
  spec.argv = launch_of(row, world.root, world.search_path);
  spec.cwd = world.root;
  spec.sandbox = world.sandbox();
  spec.env = child_env(current_env(), world.allowed_env, spec.sandbox.temp);
  for (std::string entry : row.env) {
    constexpr std::string_view mark = "@temp";
    if (const std::size_t at = entry.find(mark); at != entry.npos)
      entry.replace(at, mark.size(), spec.sandbox.temp.string());
    spec.env.push_back(std::move(entry));
  }
  if (spec.sandbox.on) fit_environment(spec.env, spec.sandbox);
  return spec;
}

const char* mark_of(LspPhase phase) {
  return phase == LspPhase::ready ? "●" : phase == LspPhase::starting ? "◌" : "✗";
}

std::string words_for(const LspState& state) {
  if (state.phase == LspPhase::starting) return "starting";
  if (state.phase == LspPhase::failed) return "failed: " + state.why + "; /lsp restart";
  return counted(static_cast<std::int64_t>(state.open_files), "open file") +
         (state.version.empty() ? "" : " · " + state.version);
}

}  // namespace

LspDesk::LspDesk(LspWorld world) : world_(std::move(world)) {
  if (!world_.make_link)
    world_.make_link = [](ProcessSpec spec) {
      return std::make_unique<StdioLink>(std::move(spec), header_framing());
    };
}

LspDesk::~LspDesk() = default;

bool LspDesk::useful() const { return !servers_at(world_.servers, world_.root, world_.search_path).empty(); }

std::shared_ptr<LspServer> LspDesk::start(const LanguageServer& row) const {
  return std::make_shared<LspServer>(
      world_.make_link(spec_of(row, world_)),
      LspServer::Settings{
          .row = row, .root = world_.root, .version = world_.version, .settle = world_.settle});
}

// The running server of the file's language; started when the project is in it. Else `why`.
std::shared_ptr<LspServer> LspDesk::server_of(const fs::path& file, std::string& why) {
  const LanguageServer* row = server_for(world_.servers, file);
  if (row == nullptr) {
    why = "No language server is known for files like " + file.filename().string() + ".";
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  if (!on_) {
    why = "Language servers are off here.";
    return nullptr;
  }
  auto& server = running_[row->name];
  if (server && server->state().phase != LspPhase::failed) return server;
  if (server && starts_[row->name] >= kMostStarts) {
    why = row->name + " is not running: " + server->state().why + ".";
    return nullptr;
  }
  if (servers_at({*row}, world_.root, world_.search_path).empty()) {
    const std::string program = row->command.front();
    why = launch_of(*row, world_.root, world_.search_path).empty()
              ? program + " is not installed."
              : program + " is not started: the project has none of the files it needs (" +
                    row->marks.front() + " …).";
    return nullptr;
  }
  if (!world_.may_start()) {
    why =
        row->name + " is not started: there is no sandbox here. \"languageServers\": true starts it without.";
    return nullptr;
  }
  ++starts_[row->name];
  return server = start(*row);
}

void LspDesk::expect(const Workspace& workspace, const std::string& path) {
  const Place place = workspace.locate(path);
  if (!place.error.empty() || !place.inside || server_for(world_.servers, place.real) == nullptr) return;
  std::string why;
  const auto server = server_of(place.real, why);
  if (!server || server->shows(place.real)) return;
  Loaded file = load_file(workspace, place, kLargestFile);
  if (file.missing) {  // a new file has had no errors
    const std::lock_guard lock(mutex_);
    known_[place.real] = {};
  } else if (file.error.empty()) {
    server->show(place.real, valid_utf8(std::move(file.bytes)));
  }
}

// Commands may have changed files that the server was shown.
void LspDesk::refresh_others(LspServer& server, const Workspace& workspace, const fs::path& except) {
  for (const fs::path& open : server.open_files()) {
    if (open == except) continue;
    const Loaded file = load_file(workspace, workspace.locate(open.string()), kLargestFile);
    if (file.error.empty() && !file.missing)
      server.show(open, valid_utf8(file.bytes));
    else
      server.close(open);
  }
}

LspNews LspDesk::changed(const Workspace& workspace, const std::string& path, std::stop_token stop) {
  const Place place = workspace.locate(path);
  if (!place.error.empty() || !place.inside) return {};
  std::string why;
  const auto server = server_of(place.real, why);
  if (!server) return {};
  const auto begun = Clock::now();
  bool looks_before = false;
  {
    const std::lock_guard lock(mutex_);
    looks_before = !known_.contains(place.real) && !unsure_.contains(place.real);
  }
  if (looks_before && server->shows(place.real)) {
    if (const auto before = server->wait(place.real, begun + world_.patience / 2, stop)) {
      const std::lock_guard lock(mutex_);
      known_[place.real] = *before;
    }
  }
  const Loaded file = load_file(workspace, place, kLargestFile);
  if (!file.error.empty() || file.missing) return {};
  refresh_others(*server, workspace, place.real);
  server->show(place.real, valid_utf8(file.bytes));
  const auto now = server->wait(place.real, begun + world_.patience, stop);
  if (now) return news(place.real, *now, workspace.display(place.path));
  const std::lock_guard lock(mutex_);
  if (!known_.contains(place.real)) unsure_.insert(place.real);
  return {};
}

LspNews LspDesk::news(const fs::path& file, const std::vector<Diagnostic>& now, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto before = known_.find(file);
  const bool is_known = before != known_.end();
  const auto fresh = new_errors(is_known ? before->second : std::vector<Diagnostic>(), now);
  known_[file] = now;
  if (fresh.empty()) return {};
  const char* intro = is_known ? "New errors in this file after the change:"
                               : "Errors in this file (some may have been there before the change):";
  return {std::string(intro) + "\n<diagnostics file=\"" + name + "\">\n" +
              diagnostic_rows(fresh, kMostErrors) + "</diagnostics>",
          fresh.size()};
}

ToolOutput LspDesk::ask(const Workspace& workspace, const Place& place, std::stop_token stop) {
  const std::string name = workspace.display(place.path);
  std::string why;
  const auto server = server_of(place.real, why);
  if (!server) return failure(why, name);
  const Loaded file = load_file(workspace, place, kLargestFile);
  if (file.missing || !file.error.empty())
    return failure(file.missing ? missing_file(workspace, place) : file.error, name);
  refresh_others(*server, workspace, place.real);
  server->show(place.real, valid_utf8(file.bytes));
  const auto now = server->wait(place.real, Clock::now() + world_.long_patience, stop);
  if (!now && server->state().phase == LspPhase::failed)
    return failure("The language server is gone: " + server->state().why + ".", name);
  if (!now) return failure("The language server has not answered yet; ask again later.", name);
  {
    const std::lock_guard lock(mutex_);
    known_[place.real] = *now;
  }
  const auto errors = std::count_if(now->begin(), now->end(),
                                    [](const auto& one) { return one.level == DiagnosticLevel::error; });
  return {.text = now->empty() ? "No errors and no warnings." : diagnostic_rows(*now, kMostRows),
          .subject = name,
          .note = counted(errors, "error") + ", " +
                  counted(static_cast<std::int64_t>(now->size()) - errors, "warning")};
}

std::string LspDesk::page() const {
  std::string text;
  const std::lock_guard lock(mutex_);
  for (const LanguageServer& row : world_.servers) {
    const auto server = running_.find(row.name);
    const bool runs = server != running_.end() && server->second;
    const LspState state = runs ? server->second->state() : LspState{};
    std::string name = row.name;
    name.resize(std::max<std::size_t>(name.size(), 14), ' ');
    std::string words;
    if (runs)
      words = words_for(state);
    else if (launch_of(row, world_.root, world_.search_path).empty())
      words = "not installed (" + row.command.front() + ")";
    else if (servers_at({row}, world_.root, world_.search_path).empty())
      words = "installed; this project has no " + row.marks.front();
    else
      words = "starts when a file is read or changed";
    text += std::string(runs ? mark_of(state.phase) : "○") + " " + name + "  " + words + "\n";
    if (runs && state.phase == LspPhase::failed && !state.last_words.empty())
      text += "  " + state.last_words + "\n";
  }
  return text + (on_ ? "\n/lsp off · /lsp restart\n" : "\nOff in this session. /lsp on\n");
}

std::string LspDesk::command(const std::string& words) {
  std::istringstream in(words);
  std::string verb;
  in >> verb;
  if (!verb.empty() && verb != "on" && verb != "off" && verb != "restart")
    return "/lsp takes on, off or restart.\n\n" + page();
  std::map<std::string, std::shared_ptr<LspServer>> ended;  // outside the lock: it takes a moment
  if (!verb.empty()) {
    const std::lock_guard lock(mutex_);
    on_ = verb != "off";
    if (verb != "on") ended.swap(running_);
    starts_.clear();
    if (verb != "on") known_.clear(), unsure_.clear();
  }
  ended.clear();
  return page();
}

}  // namespace tern
