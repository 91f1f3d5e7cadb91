#include "ui/modes.h"

#include <chrono>
#include <cstdio>
#include <sstream>
#include <utility>

#include "ui/context_panel.h"
#include "ui/format.h"
#include "ui/rows.h"
#include "ui/shell.h"
#include "ui/text_safe.h"

namespace tern {
namespace {

using namespace std::chrono_literals;
constexpr std::string_view models_page = "Models";

// ------------------------------------------------------------ pages that events open
void open_report(Shell& shell) {
  auto report = std::move(*shell.view.report);
  shell.view.report.reset();
  const bool open = shell.overlay && shell.overlay->report;
  if (report.again && !open) return;  // closed since it asked
  if (!open) {
    shell.overlay.emplace();
    shell.overlay->title = "Context";
    shell.overlay->report = true;
    shell.overlay->gauged = shell.view.gauged;
  }
  shell.overlay->asked = false;
  shell.overlay->content = [report = std::move(report)](int width) { return context_rows(report, width); };
}

// The panel is as live as the bar below it: whatever moved the meters is asked for again, one answer at a time.
void follow_meters(Shell& shell) {
  if (!shell.overlay || !shell.overlay->report || shell.overlay->asked || shell.overlay->gauged == shell.view.gauged) return;
  shell.overlay->gauged = shell.view.gauged;
  shell.overlay->asked = true;
  shell.send(Query{"context", "again"});
}

void choose_rewind(Shell& shell, const RewindPoint& point) {
  Overlay overlay;
  overlay.title = "go back to before: " + point.text;
  overlay.items = {"conversation only",
                   "conversation and files (" + plural(point.files_changed, "file") + " changed since)",
                   "files only",
                   "show what the files would become",
                   "compact everything before it",
                   "compact everything from here on"};
  overlay.chosen = [point](Shell& in, std::size_t index) {
    if (index == 4) return in.send(Compact{.range = ItemRange{ItemId{1}, ItemId{point.item.value - 1}}});
    if (index == 5) return in.send(Compact{.range = ItemRange{point.item, ItemId{~0ull}}});
    in.send(Rewind{point.item, index < 2, index == 1 || index == 2, index == 3});
  };
  shell.overlay = std::move(overlay);
}

void open_rewind(Shell& shell) {
  Overlay overlay;
  overlay.title = "rewind: choose a prompt";
  const auto points = std::exchange(shell.view.rewind, {});
  for (const RewindPoint& point : points)
    overlay.items.push_back(point.when + "  " + point.text +
                            (point.files_changed > 0 ? "  (" + plural(point.files_changed, "file") + ")" : ""));
  overlay.chosen = [points](Shell& in, std::size_t index) { choose_rewind(in, points[index]); };
  shell.overlay = std::move(overlay);
}

void open_sessions(Shell& shell) {
  Overlay overlay;
  overlay.title = "conversations of this folder";
  const auto sessions = std::exchange(shell.view.sessions, {});
  for (const SessionInfo& session : sessions)
    overlay.items.push_back(session.when + "  " + (session.name.empty() ? session.first_prompt : session.name) + "  · " +
                            plural(session.turns, "turn") + " · " + session.id);
  overlay.chosen = [sessions](Shell& in, std::size_t index) { in.send(Sessions{Sessions::What::resume, sessions[index].id}); };
  shell.overlay = std::move(overlay);
}

// The page of models is a list to choose from: "now: …" first, then one name a line, an alias before " = ".
void open_models(Shell& shell, const std::string& text) {
  Overlay overlay;
  std::istringstream in(text);
  std::getline(in, overlay.title);
  overlay.title = "models · " + overlay.title + " · any other: /model provider/name";
  for (std::string name; std::getline(in, name);)
    if (!name.empty() && !name.starts_with("Any ")) overlay.items.push_back(name);
  overlay.chosen = [names = overlay.items](Shell& chosen_in, std::size_t index) {
    const std::size_t alias = names[index].find(" = ");
    chosen_in.send(SetModel{alias == std::string::npos ? names[index] : names[index].substr(alias + 3)});
  };
  shell.overlay = std::move(overlay);
}

Rows preview_rows(const PreviewReady& preview, int width) {
  Rows rows;
  const auto line = [&](std::string_view name, std::string text) {
    RowBuilder row;
    row.add(name, Style{.fg = Colour::muted}).fill_to(12).add(safe_text(text, Lines::one));
    wrap_into(rows, row.take(), width, "", "            ");
  };
  line("strategy", preview.strategy);
  line("replaces", preview.range);
  line("keeps", preview.kept);
  line("tokens", short_count(preview.before) + " → " + short_count(preview.after));
  line("costs", preview.cost);
  rows.emplace_back();
  Rows draft = markdown_rows(safe_text(preview.draft), width, false);
  std::move(draft.begin(), draft.end(), std::back_inserter(rows));
  return rows;
}

void open_preview(Shell& shell) {
  Overlay overlay;
  overlay.title = "preview of the compaction";
  overlay.footer = "a accept · e edit in $EDITOR · d or esc discard";
  overlay.content = [preview = *shell.view.preview](int width) { return preview_rows(preview, width); };
  overlay.key = [](Shell& in, const KeyPress& press) {
    if (!in.view.preview) return false;
    const bool discard = press.key == Key::escape || press.text == "d" || press.text == "q";
    if (press.text == "e") {
      in.edit_preview = true;
      return true;
    }
    if (press.text != "a" && !discard) return false;
    in.send(AcceptPreview{in.view.preview->id, !discard, in.view.preview->draft});
    in.view.preview.reset();
    in.overlay.reset();
    return true;
  };
  shell.overlay = std::move(overlay);
}

void open_dialogs(Shell& shell) {
  const ViewState& view = shell.view;
  const auto fresh = [&](const auto& asked) { return asked && !(shell.approval.is_open() && shell.approval.id() == asked->id); };
  const bool opens = fresh(view.permission) || fresh(view.trust);
  if (fresh(view.permission)) shell.approval.open(*view.permission, shell.now_ms);
  if (fresh(view.trust)) shell.approval.open(*view.trust, shell.now_ms);
  if (!view.permission && !view.trust && shell.approval.is_open()) shell.approval.close();
  if (opens && shell.reverse) {  // its line is not seen below a dialog
    shell.composer.set(shell.reverse_draft);
    shell.reverse.reset();
  }
}

}  // namespace

void open_pages(Shell& shell) {
  ViewState& view = shell.view;
  open_dialogs(shell);
  if (view.page) {
    if (view.page->title == models_page)
      open_models(shell, view.page->text);
    else
      shell.page(std::move(*view.page));
    view.page.reset();
  }
  shell.earlier_came();
  if (view.report) open_report(shell);
  follow_meters(shell);
  if (!view.rewind.empty()) open_rewind(shell);
  if (!view.sessions.empty()) open_sessions(shell);
  if (view.preview) open_preview(shell);
  if (!view.taken_back.empty()) {
    std::string text;
    for (const std::string& queued : std::exchange(view.taken_back, {})) text += (text.empty() ? "" : "\n") + queued;
    if (!shell.composer.empty()) text += "\n" + shell.composer.text();
    shell.composer.set(text, true);  // prompts all: no sign begins them
  }
}

int say_goodbye(UiDeps& deps) {
  deps.commands.push(Quit{});
  const auto deadline = std::chrono::steady_clock::now() + 3s;
  while (auto event = deps.events.wait_until(deadline)) {
    const auto* goodbye = std::get_if<Goodbye>(&*event);
    if (!goodbye) continue;
    const std::string text = safe_text(goodbye->text) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    break;
  }
  return 0;
}

}  // namespace tern
