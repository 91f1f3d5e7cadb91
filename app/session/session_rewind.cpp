// Back to an earlier prompt and back from there: the conversation by the log, the files by the journal.
#include <algorithm>

#include "app/session/session_commands.h"
#include "compression/values/check.h"
#include "tools/files/journal.h"

namespace tern {
namespace {

using Paths = std::vector<std::filesystem::path>;

// "restored  src/a.cpp  +1 −2", one file a line.
std::string told(const UndoReport& report, const Workspace& workspace) {
  std::string text;
  const auto list = [&](const char* what, const Paths& paths) {
    for (const auto& path : paths) {
      const auto diff = report.diffs.find(path);
      const auto note =
          diff == report.diffs.end() || diff->second.text.empty() ? "" : "  " + change_note(diff->second);
      text += what + workspace.display(path) + note + '\n';
    }
  };
  list("restored       ", report.restored);
  list("removed        ", report.removed);
  list("already back   ", report.already);
  for (const auto& [path, why] : report.refused)
    text += "left alone     " + workspace.display(path) + ": " + why + '\n';
  return text;
}

// A page of diffs: what each file would become.
std::string foretold(const UndoReport& report, const Workspace& workspace) {
  std::string text;
  const auto list = [&](const char* what, const Paths& paths) {
    for (const auto& path : paths) {
      const auto diff = report.diffs.find(path);
      const bool lines = diff != report.diffs.end() && !diff->second.text.empty();
      text += "--- " + workspace.display(path) + "  " + what +
              (lines ? "  " + change_note(diff->second) : "") + '\n';
      if (lines) text += diff->second.text + '\n';
    }
  };
  for (const auto& [path, why] : report.refused)
    text += "--- " + workspace.display(path) + "  would be left alone: " + why + '\n';
  list("would be restored", report.restored);
  list("would be removed", report.removed);
  list("is already back", report.already);
  return text;
}

}  // namespace

void SessionCommands::rewind(const Rewind& command) {
  const auto points = s.store_->rewind_points();
  const auto point = std::find_if(points.begin(), points.end(),
                                  [&](const RewindPoint& p) { return p.item == command.item; });
  if (point == points.end())
    return s.emit(Notice{Level::warning, "That message is gone; choose another one."});
  Rewound what{command.item, command.conversation, {}};
  std::string text;
  if (command.files || command.preview) {
    if (!command.preview) what.files = "undo " + std::to_string(s.store_->next_batch());
    s.journal_->settle(*s.workspace_, *s.jobs_);
    const auto report =
        s.journal_->undo(*s.workspace_, command.item.value, UINT64_MAX, command.preview, what.files);
    if (command.preview && !report.empty())
      return s.emit(Page{"Rewind to: " + point->text, foretold(report, *s.workspace_), Page::Form::diffs});
    text = told(report, *s.workspace_);
    if (text.empty()) text = "No files have changed since then.\n";
    if (command.preview) return s.emit(Page{"Rewind to: " + point->text, std::move(text)});
    s.files_.forget_shown();
    if (report.restored.empty() && report.removed.empty()) what.files.clear();
  }
  const bool redoable = what.conversation || !what.files.empty();
  if (redoable) text += "/redo undoes this until the next prompt.";
  auto conversation = redoable ? s.store_->rewind(what) : Conversation{};
  if (command.conversation) begin_anew(conversation);
  s.emit(Notice{Level::info, std::move(text)});  // below what the screen begins anew with
  if (command.conversation) s.emit(TakenBack{{point->text}});
}

// Nothing is done by halves unless it was asked for: files that somebody has changed since stop it.
void SessionCommands::redo(const Redo& command) {
  const auto last = s.store_->rewound();
  if (!last)
    return s.emit(
        Notice{Level::info, "Nothing to redo: there was no rewind, or you have sent a message since."});
  std::string text;
  if (!last->files.empty() && command.files) {
    s.journal_->settle(*s.workspace_, *s.jobs_);
    const auto would = s.journal_->redo(*s.workspace_, last->files, true);
    if (!would.refused.empty()) {
      std::string why = "Nothing was undone, because of these files:\n";
      for (const auto& [path, reason] : would.refused)
        why += s.workspace_->display(path) + ": " + reason + '\n';
      if (last->conversation)
        why += "/redo conversation brings the conversation back and leaves all files as they are.";
      return s.emit(Notice{Level::warning, std::move(why)});
    }
    text = told(s.journal_->redo(*s.workspace_, last->files), *s.workspace_);
    s.files_.forget_shown();
  }
  auto conversation = s.store_->unrewind();
  if (last->conversation) begin_anew(conversation);
  s.emit(Notice{Level::info, text + (last->conversation ? "The conversation is back."
                                                        : "The files are as they were before the rewind.")});
}

// The screen and the context, once the log says something else.
void SessionCommands::begin_anew(const Conversation& conversation) {
  s.compactor_->stop_drafting();
  s.context_.conversation = repair(conversation);
  s.context_.gauges.cut();
  s.files_.forget_shown();
  s.brought_.folders.clear();
  s.open_view(true);
}

}  // namespace tern
