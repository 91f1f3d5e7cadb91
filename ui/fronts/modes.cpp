#include "ui/fronts/modes.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

#include "ui/fronts/lists.h"
#include "ui/parts/context_panel.h"
#include "ui/parts/rows.h"
#include "ui/shell/login.h"
#include "ui/shell/shell.h"
#include "ui/text/format.h"
#include "ui/text/text_safe.h"
#include "ui/text/width.h"

namespace tern {
namespace {

using namespace std::chrono_literals;

// ------------------------------------------------------------ pages that events open
void lead_to_items(Overlay& overlay) {
  overlay.keys = {{"i", "items"}, {"esc", "close"}, {"space b", "page"}, {"/", "search"}, {"n N", "next"}};
  overlay.key = [](Shell& in, const KeyPress& press) {
    if (press.key != Key::character || press.ctrl || press.text != "i") return false;
    in.send(AskContextItems{});
    return true;
  };
}

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
    if (shell.deps.screen != ScreenKind::plain) lead_to_items(*shell.overlay);
  }
  shell.overlay->asked = false;
  const bool textured = shell.depth < ColourDepth::palette256;
  const ChartLook look = shell.deps.screen == ScreenKind::plain ? ChartLook::words
                         : textured                             ? ChartLook::textures
                                                                : ChartLook::colours;
  shell.overlay->content = [report = std::move(report), look](int width) {
    return context_rows(report, width, look);
  };
}

// The panel is as live as the bar below it: whatever moved the meters is asked for again, one answer at a
// time.
void follow_meters(Shell& shell) {
  if (!shell.overlay || !shell.overlay->report || shell.overlay->asked ||
      shell.overlay->gauged == shell.view.gauged)
    return;
  shell.overlay->gauged = shell.view.gauged;
  shell.overlay->asked = true;
  shell.send(AskContext{.again = true});
}

// What most people want comes first: with files changed since then, those go back, too.
void choose_rewind(Shell& shell, const RewindPoint& point) {
  std::vector<std::pair<std::string, Command>> ways = {
      {"conversation only", Rewind{point.item, true, false}}};
  if (point.files_since > 0) {
    const std::string changed = " (" + plural(point.files_since, "file") + " changed since)";
    ways.insert(ways.begin(), {"conversation and files" + changed, Rewind{point.item, true, true}});
    ways.emplace_back("files only", Rewind{point.item, false, true});
    ways.emplace_back("preview file changes", Rewind{point.item, false, false, true});
  }
  ways.emplace_back("compact everything before it",
                    Compact{.range = ItemRange{ItemId{1}, ItemId{point.item.value - 1}}});
  ways.emplace_back("compact everything from here", Compact{.range = ItemRange{point.item, ItemId{~0ull}}});
  Overlay overlay;
  overlay.title = "Rewind to before \"" + point.text + "\"";
  for (const auto& [text, command] : ways) overlay.items.push_back(text);
  overlay.chosen = [ways](Shell& in, std::size_t index) { in.send(ways[index].second); };
  shell.overlay = std::move(overlay);
}

// Texts of one width, and two blanks behind them.
std::vector<std::string> column_of(std::vector<std::string> texts) {
  int widest = 0;
  for (const std::string& text : texts) widest = std::max(widest, width(text));
  for (std::string& text : texts)
    text += std::string(static_cast<std::size_t>(widest - width(text)) + 2, ' ');
  return texts;
}

void open_rewind(Shell& shell) {
  Overlay overlay;
  overlay.title = "Rewind to";
  const auto points = std::exchange(shell.view.rewind, {});
  std::vector<std::string> times;
  for (const RewindPoint& point : points) times.push_back(point.when);
  times = column_of(std::move(times));
  for (std::size_t i = 0; i < points.size(); ++i)
    overlay.items.push_back(
        times[i] + points[i].text +
        (points[i].files_changed > 0 ? note_mark + plural(points[i].files_changed, "file") : std::string()));
  overlay.opens = "choose";
  overlay.chosen = [points](Shell& in, std::size_t index) { choose_rewind(in, points[index]); };
  overlay.actions.push_back({"r", "rewind, files included", [points](Shell& in, std::size_t index) {
                               close_overlay(in);
                               in.send(Rewind{points[index].item, true, points[index].files_since > 0});
                             }});
  shell.overlay = std::move(overlay);
}

void open_sessions(Shell& shell) {
  Overlay overlay;
  overlay.title = "Conversations in this folder";
  overlay.opens = "resume";
  overlay.search = [](Shell& in, std::string words) { in.send(AskSessions{std::move(words)}); };
  const auto sessions = std::exchange(shell.view.sessions, {});
  std::vector<std::string> times;
  for (const SessionInfo& session : sessions) times.push_back(session.when);
  times = column_of(std::move(times));
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const SessionInfo& session = sessions[i];
    overlay.items.push_back(times[i] + (session.name.empty() ? session.first_prompt : session.name) +
                            note_mark + plural(session.turns, "turn") + " · " + session.id);
  }
  overlay.chosen = [sessions](Shell& in, std::size_t index) {
    in.overlay.reset();
    in.send(Sessions{Sessions::What::resume, sessions[index].id});
  };
  overlay.actions.push_back({"p", "preview", [sessions](Shell& in, std::size_t index) {
                               in.send(AskSessionPreview{sessions[index].id});
                             }});
  const auto remove = [sessions](Shell& in, std::size_t index) {
    if (sessions[index].id == in.view.session_id) return in.say("this conversation is open");
    in.send(DeleteSession{sessions[index].id});
    in.view.sessions = sessions;
    in.view.sessions.erase(in.view.sessions.begin() + static_cast<std::ptrdiff_t>(index));
    if (in.view.sessions.empty()) return close_overlay(in);
    open_sessions(in);
    in.overlay->selected = std::min(index, in.overlay->items.size() - 1);
  };
  overlay.actions.push_back({"d", "delete", remove, true});
  overlay.actions.push_back(
      {"o", "other folders", [](Shell& in, std::size_t) { in.send(AskSessionsElsewhere{}); }});
  shell.overlay = std::move(overlay);
}

std::string price(double per_million) {  // "$3", "$0.80"
  const std::string text = dollars(per_million);
  return text.ends_with(".00") ? text.substr(0, text.size() - 3) : text;
}

std::string model_note(const ModelChoice& model) {
  if (!model.ready) return model.missing;
  std::string note = model.served ? "on this machine" : "";
  const auto add = [&](const std::string& more) { note += (note.empty() ? "" : " · ") + more; };
  if (model.window > 0) add(short_count(model.window));
  if (model.priced && model.output > 0) add(price(model.input) + " in, " + price(model.output) + " out");
  return note;
}

// One that only lacks its key is chosen by pasting that.
void choose_model(Shell& shell, const ModelChoice& model) {
  if (model.ready || shell.deps.screen == ScreenKind::plain) return shell.send(SetModel{model.name});
  open_key_entry(shell, model.name);
}

void open_models(Shell& shell) {
  Overlay overlay;
  overlay.title = "Models · prices per million tokens";
  overlay.keys = {{"enter", "choose"}, {"←→", "effort"}, {"esc", "close"}, {"type", "filter"}};
  overlay.key = [](Shell& in, const KeyPress& press) {
    if (press.key != Key::left && press.key != Key::right) return false;
    in.send(StepEffort{press.key == Key::right});
    return true;
  };
  const auto models = std::exchange(shell.view.models, {});
  for (const ModelChoice& model : models) {
    RowBuilder row;
    row.add(model.current ? "● " : "  ").add(model.name);
    if (!model.alias.empty()) row.add("  (" + model.alias + ")");
    overlay.items.push_back(row.take().text + note_mark + model_note(model));
  }
  overlay.chosen = [models](Shell& in, std::size_t index) { choose_model(in, models[index]); };
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
  line("price", preview.cost);
  rows.emplace_back();
  Rows draft = markdown_rows(safe_text(preview.draft), width);
  std::move(draft.begin(), draft.end(), std::back_inserter(rows));
  return rows;
}

void open_preview(Shell& shell) {
  Overlay overlay;
  overlay.title = "Compaction preview";
  overlay.keys = {{"a", "accept"}, {"e", "edit in $EDITOR"}, {"d", "discard"}};
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
  const auto fresh = [&](const auto& asked) {
    return asked && !(shell.approval.is_open() && shell.approval.id() == asked->id);
  };
  const bool opens = fresh(view.permission) || fresh(view.trust) || fresh(view.question);
  if (fresh(view.permission)) shell.approval.open(*view.permission, shell.now_ms);
  if (fresh(view.trust)) shell.approval.open(*view.trust, shell.now_ms);
  if (fresh(view.question)) shell.approval.open(*view.question, shell.now_ms);
  if (!view.permission && !view.trust && !view.question && shell.approval.is_open()) shell.approval.close();
  if (opens && shell.reverse) {  // its line is not seen below a dialog
    shell.composer.set(shell.reverse_draft);
    shell.reverse.reset();
  }
}

}  // namespace

void open_pages(Shell& shell) {
  ViewState& view = shell.view;
  open_dialogs(shell);
  // A new list is shown; one that was hidden by hand stays so until it is done.
  if (std::exchange(view.new_todos, false) && shell.deps.screen != ScreenKind::plain) shell.show_todos = true;
  if (view.page) {
    shell.page(std::move(*view.page));
    view.page.reset();
  }
  shell.earlier_came();
  if (view.report) open_report(shell);
  follow_meters(shell);
  if (!view.rewind.empty()) open_rewind(shell);
  if (!view.sessions.empty()) open_sessions(shell);
  if (view.list) open_list(shell, *std::exchange(view.list, std::nullopt));
  if (!view.models.empty()) open_models(shell);
  if (view.brought) take_brought(shell, *std::exchange(view.brought, std::nullopt));
  if (view.login) open_login(shell, *std::exchange(view.login, std::nullopt));
  if (view.preview) open_preview(shell);
  if (!view.taken_back.empty()) {
    std::string text;
    for (const std::string& queued : std::exchange(view.taken_back, {}))
      text += (text.empty() ? "" : "\n") + queued;
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
