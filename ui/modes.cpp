#include "ui/modes.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <utility>

#include "ui/context_panel.h"
#include "ui/format.h"
#include "ui/rows.h"
#include "ui/shell.h"
#include "ui/text_safe.h"
#include "ui/words.h"

namespace tern {
namespace {

using namespace std::chrono_literals;

// ------------------------------------------------------------ pages that events open
void open_report(Shell& shell) {
  Overlay overlay;
  overlay.title = "context";
  overlay.content = [report = std::move(*shell.view.report)](int width) { return context_rows(report, width); };
  shell.view.report.reset();
  shell.overlay = std::move(overlay);
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
    if (index < 2) in.composer.set(point.text);
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
  line("costs", dollars(preview.dollars_now) + " now, saves " + dollars(preview.dollars_saved_per_turn) + " a turn");
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

// ------------------------------------------------------------ the linear log
class PlainLog {
 public:
  explicit PlainLog(UiDeps& deps) : deps_(deps) {}

  void operator()(const Delta& delta) {
    if (delta.kind == DeltaKind::text) put(safe_text(delta.text));
  }
  void operator()(const ItemAdded& added) {
    if (added.item->role == Role::assistant) put("\n");
  }
  void operator()(const ToolStarted& started) { line("* " + started.label + " " + safe_text(started.subject, Lines::one)); }
  void operator()(const ToolFinished& done) {
    if (!turn_ && !done.text.empty()) line(safe_text(done.text));  // the person's own command
    line("  " + safe_text(done.note.empty() ? std::string(done.is_error ? "failed" : "done") : done.note, Lines::one));
  }
  void operator()(const PermissionAsked& asked) {
    line("Permission: " + safe_text(asked.title, Lines::one) + "\n" + safe_command(asked.body) +
         "\nasks because: " + safe_text(asked.reason, Lines::one) + "\nanswer with 1 yes, 2 yes and remember (" +
         safe_command(asked.remember) + "), 3 no");
    asked_ = asked.id;
  }
  void operator()(const TrustAsked& asked) {
    line("Do you trust this folder? " + safe_text(asked.folder, Lines::one) + "\nanswer with 1 yes, 3 no");
    asked_ = asked.id;
  }
  void operator()(const Notice& notice) { line("- " + safe_text(notice.text)); }
  void operator()(const Waiting& waiting) {
    if (!waiting.text.empty()) line("- " + safe_text(waiting.text));
  }
  void operator()(const Compaction& compaction) {
    if (compaction.phase != CompactionPhase::completed && compaction.phase != CompactionPhase::failed) return;
    line("- compaction: " + short_count(compaction.before) + " to " + short_count(compaction.after) + " tokens. " +
         safe_text(compaction.audit));
  }
  void operator()(const Page& page) { line(safe_text(page.title, Lines::one) + "\n" + safe_text(page.text)); }
  void operator()(const ContextReport& report) {
    for (const Row& row : context_rows(report, 80)) line(row.text);
  }
  void operator()(const TurnEnded& ended) {
    if (!ended.error.empty()) line("error: " + safe_text(ended.error));
    line("ready");
  }
  void operator()(const Goodbye& goodbye) { line(safe_text(goodbye.text)); }
  template <class Other>
  void operator()(const Other&) {}

  // True when nothing more comes in answer to what was typed last.
  bool ends(const Event& event) const {
    if (std::holds_alternative<TurnEnded>(event) || std::holds_alternative<Page>(event) ||
        std::holds_alternative<ContextReport>(event) || std::holds_alternative<PermissionAsked>(event) ||
        std::holds_alternative<TrustAsked>(event))
      return true;
    if (turn_) return false;
    if (const auto* compaction = std::get_if<Compaction>(&event)) return compaction->phase >= CompactionPhase::completed;
    return std::holds_alternative<Notice>(event) || std::holds_alternative<ToolFinished>(event) ||
           std::holds_alternative<SessionOpened>(event) || std::holds_alternative<SessionList>(event);
  }

  void typed(const std::string& text) {
    turn_ = !text.starts_with("!") && !text.starts_with("/");
    if (asked_ != 0 && (text == "1" || text == "2" || text == "3")) {
      deps_.commands.push(Answer{std::exchange(asked_, 0),
                                 text == "1"   ? Verdict::yes
                                 : text == "2" ? Verdict::yes_remember
                                               : Verdict::no,
                                 ""});
    } else if (text.starts_with("!")) {
      deps_.commands.push(ShellLine{text.substr(1), false});
    } else if (text.starts_with("/")) {
      const auto words = split_words(std::string_view(text).substr(1));
      if (!words.empty()) slash(words[0], text.substr(std::min(text.size(), words[0].size() + 2)));
    } else if (!text.empty()) {
      deps_.commands.push(Submit{text, {}, When::steer});
    }
  }

 private:
  void slash(const std::string& name, const std::string& rest) {
    if (name == "compact") return deps_.commands.push(Compact{.focus = rest});
    if (name == "undo-compact") return deps_.commands.push(UndoCompact{});
    if (name == "model") return deps_.commands.push(SetModel{rest});
    if (name == "clear") return deps_.commands.push(Sessions{Sessions::What::fresh, ""});
    if (name == "resume") return deps_.commands.push(Sessions{Sessions::What::resume, rest});
    deps_.commands.push(Query{name, rest});
  }
  void put(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    at_line_start_ = text.empty() ? at_line_start_ : text.back() == '\n';
  }
  void line(const std::string& text) { put((at_line_start_ ? "" : "\n") + text + "\n"); }

  UiDeps& deps_;
  std::uint64_t asked_ = 0;
  bool at_line_start_ = true;
  bool turn_ = false;  // what was typed last starts a turn
};

}  // namespace

void open_pages(Shell& shell) {
  ViewState& view = shell.view;
  if (view.page) {
    shell.page(view.page->title, view.page->text);
    view.page.reset();
  }
  if (view.report) open_report(shell);
  if (!view.rewind.empty()) open_rewind(shell);
  if (!view.sessions.empty()) open_sessions(shell);
  if (view.preview) open_preview(shell);
  if (!view.taken_back.empty()) {
    std::string text;
    for (const std::string& queued : std::exchange(view.taken_back, {})) text += (text.empty() ? "" : "\n") + queued;
    if (!shell.composer.empty()) text += "\n" + shell.composer.text();
    shell.composer.set(text);
  }
}

int run_plain(UiDeps& deps) {
  PlainLog log(deps);
  for (const std::string& text : deps.welcome) log(Notice{Level::info, text});
  if (!deps.first_prompt.empty()) log.typed(deps.first_prompt);
  for (std::string text; std::getline(std::cin, text);) {
    if (text == "/exit" || text == "/quit") break;
    log.typed(text);
    // One prompt, one answer: the log is linear.
    for (bool ended = text.empty(); !ended;) {
      auto event = deps.events.wait();
      if (!event) return say_goodbye(deps);
      ended = log.ends(*event);
      std::visit(log, *event);
    }
  }
  return say_goodbye(deps);
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
