#include "app/session/session_commands.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/models/redact.h"
#include "agent/protocol/shell_note.h"
#include "app/session/session_answers.h"
#include "app/session/session_hooks.h"
#include "compression/text/utf8.h"

namespace tern {
namespace {

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
    SessionQueries{s}.answer(*query);
  } else if (const auto* change = std::get_if<Change>(&command)) {
    SessionQueries{s}.answer(*change);
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
      s.jobs_->stop_all(StoppedBy::user);
    else if (!s.jobs_->stop(job->id, StoppedBy::user))
      s.emit(Notice{Level::warning, "There is no background command " + job->id + "."});
    s.show_meters();
  } else if (const auto* choice = std::get_if<Remember>(&command)) {
    remember(*choice);
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
                 [&](const UndoCompact& c) { compactor.undo(context, c); },
                 [&](const PinThis& c) { compactor.pin(context, c); },
                 [&](const EditContext& c) { compactor.edit(context, c); },
                 [&](const Aside& c) { aside(c, stop); }, [&](const ShellLine& c) { shell_line(c, stop); },
                 [&](const MemoryNote& c) { memory_note(c.text); }, [&](const Rewind& c) { rewind(c); },
                 [&](const Redo& c) { redo(c); }, [&](const Sessions& c) { sessions(c); },
                 [&](const SetMode& c) { set_mode(c.mode); }, [&](const Login& c) { login(c, stop); },
                 [&](const Logout& c) { logout(c); }, [&](const ReloadConfig&) { reload(); },
                 [](const auto&) {}},
      command);
  s.show_meters();
}

void SessionCommands::set_mode(PermissionMode mode) {
  auto& policy = s.hands_->policy;
  if (mode == PermissionMode::automatic) ready_sandbox(*s.hands_, *s.workspace_, s.setup_.sandbox_network);
  policy.mode = mode;
  std::string why;
  if (const auto real = effective_mode(policy, why); real != mode) {
    policy.mode = real;
    s.emit(Notice{Level::warning, why});
  }
  s.show_meters();
}

// Runs with the person's own authority; what it said is shown to the model unless hidden. Its cell is kept
// either way.
void SessionCommands::shell_line(const ShellLine& line, std::stop_token stop) {
  const auto bash = s.tools_.with(ToolDuty::shell);
  if (!bash || line.command.empty()) return;
  const auto command = redact(line.command);
  const auto call_id = "shell_" + std::to_string(s.store_->next_batch());
  s.emit(ToolStarted{call_id, bash->name, std::string(own_command_label), command, command});
  const auto begin = std::chrono::steady_clock::now();
  s.working_ = true;
  auto output = s.calls_->run_for_person(bash, {{"command", line.command}}, call_id, stop);
  s.working_ = false;
  output.text = redact(std::move(output.text));
  ToolFinished cell{.call_id = call_id,
                    .tool = bash->name,
                    .label = std::string(own_command_label),
                    .subject = command,
                    .note = output.note,
                    .text = output.text,
                    .is_error = output.is_error,
                    .exit_status = output.exit_status,
                    .end = output.in_background ? CallEnd::background : CallEnd::ran};
  cell.milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
  s.store_->transact([&] {
    if (output.spill.empty()) {
      cell.recall = s.store_->put_original(output.text, bash->name, command);
    } else {
      redact_file(output.spill);
      cell.recall = s.store_->put_original_file(output.spill, bash->name, command);
    }
    s.store_->afterwards([&] { s.emit(cell); });
    if (output.text.size() > 8'000)
      output.text = output.text.substr(0, utf8_floor(output.text, 4'000)) + "\n[… " + to_string(cell.recall) +
                    " holds all of it …]\n" +
                    output.text.substr(utf8_floor(output.text, output.text.size() - 4'000));
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
  if (!std::filesystem::exists(path, error) && std::filesystem::exists(folder / "CLAUDE.md", error))
    path = folder / "CLAUDE.md";
  if (std::filesystem::is_symlink(path, error))
    return s.emit(Notice{Level::warning, path.string() + " is a link: add the note yourself."});
  std::ofstream file(path, std::ios::app);
  file << "- " << text << '\n';
  if (!file.flush())
    return s.emit(Notice{Level::error, "Not written: " + path.string() + " cannot be opened for writing."});
  append(*s.agent_, note_to_model("[The user added to " + path.filename().string() + ": " + text + "]"));
  s.emit(Notice{Level::info, "Remembered in " + s.workspace_->display(path)});
}

void SessionCommands::sessions(const Sessions& command) {
  std::string why;
  std::optional<OpenedSession> opened;
  s.add_account();
  switch (command.what) {
    case Sessions::What::fresh:
      opened =
          s.store_->create({{}, s.setup_.cwd.string(), s.model_name_.provider + "/" + s.model_name_.model});
      break;
    case Sessions::What::resume:
      opened = command.argument.empty() ? s.store_->newest(why) : s.store_->resume(command.argument, why);
      break;
    case Sessions::What::fork:
      opened = s.store_->fork(command.argument);
      s.account_.forget_turns();  // they go on in the copy
      break;
    case Sessions::What::rename:
      s.store_->rename(command.argument);
      s.opened_.name = command.argument;
      return s.emit(Notice{Level::info, "This session is now called " + command.argument + "."});
  }
  if (!opened)
    return s.emit(Notice{Level::warning, why.empty() ? "No such session: /resume lists them." : why});
  s.compactor_->stop_drafting();
  const auto from = s.opened_.id;
  const bool fresh = command.what == Sessions::What::fresh;
  const bool fork = command.what == Sessions::What::fork;
  if (!fork) s.hooks_->ended(fresh ? "clear" : "resume");
  s.adopt(std::move(*opened));
  s.hooks_->started(fresh ? "clear" : fork ? "fork" : "resume");
  if (command.what == Sessions::What::fork)
    s.emit(Notice{Level::info, "Forked. /resume " + from + " returns to the original."});
}

void SessionCommands::reload() {
  s.config_seen_ = std::filesystem::file_time_type::min();
  s.reload_config();
  s.memory_ = memory_files(s.trusted_ ? s.workspace_->root() : std::filesystem::path(), s.setup_.user_memory);
  s.compactor_->set_focus(compact_instructions(s.memory_));
  load_brought();
  s.emit(Notice{Level::info, "Configuration read again."});
}

}  // namespace tern
