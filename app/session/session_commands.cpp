#include "app/session_commands.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/redact.h"
#include "agent/shell_note.h"
#include "compression/utf8.h"

namespace tern {
namespace {

constexpr std::string_view plan_on =
    "[Plan mode is on: read and search only, change nothing. End with a concrete plan for the user to agree to.]";
constexpr std::string_view plan_off = "[Plan mode is off: the plan may be carried out.]";

Item note_to_model(std::string text) {
  Item item;
  item.role = Role::user;
  item.synthetic = true;
  item.blocks.push_back(Text{std::move(text)});
  return item;
}

}  // namespace

bool SessionCommands::live(Command& command) {
  if (const auto* query = std::get_if<Query>(&command)) {
    if (query->name == "background")
      s.jobs_->request_move();
    else if (!SessionQueries{s}.answer(*query))
      s.emit(Notice{Level::warning, "Nothing answers to \"" + query->name + "\"."});
  } else if (std::holds_alternative<Interrupt>(command)) {
    s.interrupt();
  } else if (const auto* mode = std::get_if<SetMode>(&command)) {
    if (s.working_ && (mode->mode == PermissionMode::plan || s.mode() == PermissionMode::plan)) return false;
    set_mode(mode->mode);
  } else if (const auto* model = std::get_if<SetModel>(&command)) {
    set_model(model->name);
  } else if (const auto* job = std::get_if<StopJob>(&command)) {
    if (job->id.empty() && s.jobs_->running() == 0)
      s.emit(Notice{Level::info, "No command runs in the background."});
    else if (job->id.empty())
      s.jobs_->stop_all();
    else if (!s.jobs_->stop(job->id))
      s.emit(Notice{Level::warning, "There is no background command " + job->id + "."});
    s.show_meters();
  } else {
    return false;
  }
  return true;
}

void SessionCommands::run(Command& command, std::stop_token stop) {
  auto& context = s.context_;
  auto& compactor = *s.compactor_;
  std::visit(
      overloaded{[&](const Compact& c) { compactor.compact(context, c, stop); },
                 [&](const AcceptPreview& c) { compactor.settle_preview(context, c); },
                 [&](const UndoCompact& c) { compactor.undo(context, c); }, [&](const PinThis& c) { compactor.pin(context, c); },
                 [&](const ShellLine& c) { shell_line(c, stop); }, [&](const MemoryNote& c) { memory_note(c.text); },
                 [&](const Rewind& c) { rewind(c); }, [&](const Redo& c) { redo(c); }, [&](const Sessions& c) { sessions(c); },
                 [&](const SetMode& c) { set_mode(c.mode); }, [&](const ReloadConfig&) { reload(); }, [](const auto&) {}},
      command);
  s.show_meters();
}

void SessionCommands::set_mode(PermissionMode mode) {
  auto& policy = s.hands_->policy;
  const auto old = policy.mode;
  if (mode == PermissionMode::automatic) ready_sandbox(*s.hands_, *s.workspace_, s.setup_.sandbox_network);
  policy.mode = mode;
  std::string why;
  if (const auto real = effective_mode(policy, why); real != mode) {
    policy.mode = real;
    s.emit(Notice{Level::warning, why});
  }
  const bool plan = policy.mode == PermissionMode::plan;
  if (plan != (old == PermissionMode::plan)) append(*s.agent_, note_to_model(std::string(plan ? plan_on : plan_off)));
  s.show_meters();
}

void SessionCommands::set_model(const std::string& name) {
  if (name.empty()) {
    SessionQueries{s}.answer({"models", {}});
    return;
  }
  const auto found = s.setup_.models.resolve(name);
  if (!found || !find_provider(found->provider)) {
    s.emit(Notice{Level::warning, "Unknown model \"" + name + "\": /model lists them."});
  } else if (!s.connect(s.setup_.models.find(found->provider, found->model))) {
    const auto* kind = find_provider(found->provider);
    s.emit(Notice{Level::warning, "No key for " + std::string(kind->title) + ": set " + std::string(kind->key_variables) + "."});
  } else if (s.working_) {
    s.next_model_ = *found;
    s.emit(Notice{Level::info, "From the next request on: " + found->provider + "/" + found->model});
  } else {
    switch_model(*found, s.begin_work());
  }
}

// To a smaller window the old model compacts first: it can still read everything.
void SessionCommands::switch_model(const ModelName& name, std::stop_token stop) {
  const auto next = s.setup_.models.find(name.provider, name.model);
  const auto set_window = s.context_.window_override;
  if (next.window < s.context_.window()) {
    s.context_.window_override = next.window;
    s.compactor_->make_room(s.context_, stop);
    s.context_.window_override = set_window;
  }
  s.use_model(name);
  s.store_->set_model(name.provider + "/" + name.model);
  s.emit(Notice{Level::info, "Model: " + name.provider + "/" + name.model});
  s.show_meters();
}

// Runs with the person's own authority; what it said is shown to the model unless hidden. Its cell is kept either way.
void SessionCommands::shell_line(const ShellLine& line, std::stop_token stop) {
  const auto* bash = find_tool("Bash");
  if (!bash || line.command.empty()) return;
  const auto command = redact(line.command);
  const auto call_id = "shell_" + std::to_string(s.store_->next_batch());
  auto& hands = *s.hands_;
  s.emit(ToolStarted{call_id, std::string(bash->name), std::string(bash->label), command, command});
  auto sandbox = hands.sandbox;
  sandbox.on = false;
  ToolContext context{.workspace = hands.workspace,
                      .files = hands.files,
                      .journal = hands.journal,
                      .jobs = hands.jobs,
                      .sandbox = sandbox,
                      .todos = hands.todos,
                      .stop = stop,
                      .call_id = call_id,
                      .granted = true,
                      .spill_dir = hands.spill_dir,
                      .allowed_env = hands.allowed_env,
                      .progress = [&](std::string_view tail) {
                        s.emit(ToolProgress{call_id, redact(std::string(tail))});
                      }};
  ToolOutput output;
  const auto begin = std::chrono::steady_clock::now();
  s.working_ = true;
  s.inbox_.attend([&] { output = bash->run(nlohmann::json{{"command", line.command}}, context); });
  s.working_ = false;
  output.text = redact(std::move(output.text));
  ToolFinished cell{.call_id = call_id,
                    .tool = std::string(bash->name),
                    .label = std::string(bash->label),
                    .subject = command,
                    .note = output.note,
                    .text = output.text,
                    .is_error = output.is_error,
                    .exit_status = output.exit_status};
  cell.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
  s.store_->transact([&] {
    if (output.spill.empty()) {
      cell.recall = s.store_->put_original(output.text, "Bash", command);
    } else {
      redact_file(output.spill);
      cell.recall = s.store_->put_original_file(output.spill, "Bash", command);
    }
    s.store_->afterwards([&] { s.emit(cell); });
    if (output.text.size() > 8'000)
      output.text = output.text.substr(0, utf8_floor(output.text, 4'000)) + "\n[… " + to_string(cell.recall) +
                    " holds all of it …]\n" + output.text.substr(utf8_floor(output.text, output.text.size() - 4'000));
    auto kept = cell;
    kept.text = output.text;
    s.store_->remember(kept);
    if (!line.hidden) append(*s.agent_, note_to_model(shell_note(command, output.text)));
  });
}

void SessionCommands::memory_note(const std::string& text) {
  auto folder = repository_root(s.workspace_->root());
  if (folder.empty()) folder = s.workspace_->root();
  auto path = folder / "AGENTS.md";
  std::error_code error;
  if (!std::filesystem::exists(path, error) && std::filesystem::exists(folder / "CLAUDE.md", error)) path = folder / "CLAUDE.md";
  if (std::filesystem::is_symlink(path, error))
    return s.emit(Notice{Level::warning, path.string() + " is a link: add the note yourself."});
  std::ofstream file(path, std::ios::app);
  file << "- " << text << '\n';
  if (!file.flush()) return s.emit(Notice{Level::error, "Not written: " + path.string() + " cannot be opened for writing."});
  append(*s.agent_, note_to_model("[The user added to " + path.filename().string() + ": " + text + "]"));
  s.emit(Notice{Level::info, "Remembered in " + s.workspace_->display(path)});
}

void SessionCommands::sessions(const Sessions& command) {
  std::string why;
  std::optional<OpenedSession> opened;
  s.add_account();
  switch (command.what) {
    case Sessions::What::fresh:
      opened = s.store_->create({{}, s.setup_.cwd.string(), s.model_name_.provider + "/" + s.model_name_.model});
      break;
    case Sessions::What::resume:
      opened = command.argument.empty() ? s.store_->newest(why) : s.store_->resume(command.argument, why);
      break;
    case Sessions::What::fork:
      opened = s.store_->fork(command.argument);
      s.accounts_.back().turns = 0;  // they go on in the copy
      break;
    case Sessions::What::rename:
      s.store_->rename(command.argument);
      s.opened_.name = command.argument;
      return s.emit(Notice{Level::info, "This session is now called " + command.argument + "."});
  }
  if (!opened) return s.emit(Notice{Level::warning, why.empty() ? "No such session: /resume lists them." : why});
  s.compactor_->stop_drafting();
  const auto from = s.opened_.id;
  s.adopt(std::move(*opened));
  if (command.what == Sessions::What::fork)
    s.emit(Notice{Level::info, "This is a copy from here on; /resume " + from + " goes back to the one it was made from."});
}

void SessionCommands::reload() {
  s.config_seen_ = std::filesystem::file_time_type::min();
  s.reload_config();
  s.memory_ = memory_files(s.trusted_ ? s.workspace_->root() : std::filesystem::path(), s.setup_.user_memory);
  s.compactor_->set_focus(compact_instructions(s.memory_));
  s.emit(Notice{Level::info, "Configuration read again."});
}

}  // namespace tern
