#include "ui/parts/view.h"

#include <algorithm>
#include <utility>

#include "compression/values/tokens.h"
#include "compression/values/tool_kinds.h"
#include "ui/parts/left_context.h"
#include "ui/parts/view_retry.h"
#include "ui/parts/view_runs.h"
#include "ui/text/todo_rows.h"

namespace tern {
namespace {

constexpr std::string_view compaction_work = "compaction";
constexpr std::size_t longest_tail = 32 << 10;  // of a running command; the whole is in the store

class Fold {
 public:
  Fold(ViewState& view, std::int64_t now_ms) : view_(view), now_ms_(now_ms) {}

  void operator()(TurnStarted&) { begin_work(""); }

  void operator()(ItemAdded& added) {
    const Item& item = *added.item;
    if (item.role == Role::assistant) return assistant_item(item);
    std::string text;
    int attachments = 0;
    for (const Block& block : item.blocks) {
      if (const auto* said = std::get_if<Text>(&block)) text += (text.empty() ? "" : "\n") + said->text;
      if (const auto* result = std::get_if<ToolResult>(&block)) claim_result(*result, item.id);
      if (const auto* summary = std::get_if<Summary>(&block))
        add(SummaryCell{summary->text}, item.id).recall = item.recall;
      attachments += std::holds_alternative<Image>(block) || std::holds_alternative<Document>(block);
    }
    if (item.synthetic || (text.empty() && attachments == 0) || has_results(item)) return;
    std::vector<PastedPart> pasted = claim_pastes(text);
    add(UserCell{std::move(text), attachments, std::move(pasted)}, item.id).recall = item.recall;
  }

  void operator()(Delta& delta) {
    view_.waiting = {};
    view_.turn_tokens += estimate(delta.text);
    if (delta.kind == DeltaKind::text) {
      stop_streaming<ThinkingCell>();
      auto* body = streaming<AssistantCell>();
      if (!body) body = &std::get<AssistantCell>(add(AssistantCell{{}, true, false}).body);
      body->markdown += delta.text;
    } else {
      auto* body = streaming<ThinkingCell>();
      if (!body) body = &std::get<ThinkingCell>(add(ThinkingCell{{}, true}).body);
      body->text += delta.text;
    }
  }

  void operator()(ToolStarted& started) {
    stop_streaming<AssistantCell>();
    stop_streaming<ThinkingCell>();
    if (!view_.working && !started.replayed) begin_work(started.call_id);
    ToolCell cell;
    cell.call_id = std::move(started.call_id);
    cell.tool = std::move(started.tool);
    cell.label = std::move(started.label);
    cell.file = file_of(cell.tool, started.subject);
    cell.subject = relative(std::move(started.subject));
    cell.arguments = std::move(started.arguments);
    add(std::move(cell));
    ++view_.turn_tools;
    regroup(view_.cells, view_.cells.size() - 1);
  }

  void operator()(ToolProgress& progress) {
    Cell* cell = tool(progress.call_id);
    if (!cell) return;
    std::string& tail = std::get<ToolCell>(cell->body).tail;
    tail += progress.tail;
    if (tail.size() > longest_tail) tail.erase(0, tail.size() - longest_tail / 2);
    ++cell->version;
  }

  void operator()(ToolFinished& done) {
    end_side_work(done.call_id);
    Cell* cell = tool(done.call_id);
    if (!cell) {
      ToolCell made;
      made.call_id = done.call_id;
      cell = &add(std::move(made));
    }
    auto& body = std::get<ToolCell>(cell->body);
    body.running = false;
    if (!done.tool.empty()) body.tool = std::move(done.tool);
    if (!done.label.empty()) body.label = std::move(done.label);
    if (!done.subject.empty()) {
      body.file = file_of(body.tool, done.subject);
      body.subject = relative(std::move(done.subject));
    }
    body.note = std::move(done.note);
    body.diff = std::move(done.diff);
    body.output = std::move(done.text);
    body.tail.clear();
    body.is_error = done.is_error;
    body.exit_status = done.exit_status;
    body.milliseconds = done.milliseconds;
    body.recall = done.recall;
    body.form = done.form;
    body.end = done.end;
    ++cell->version;
    regroup(view_.cells, static_cast<std::size_t>(cell - view_.cells.data()));
    bound_outputs(view_.cells);
  }

  void operator()(PermissionAsked& asked) {
    view_.permission = std::move(asked);
    std::string& title = view_.permission->title;  // "Write /home/ann/src/parser/a.txt"
    if (const std::size_t path = title.find(' ') + 1; path > 0)
      title = title.substr(0, path) + relative(title.substr(path));
    if (view_.asked_ms < 0) view_.asked_ms = now_ms_;
  }
  void operator()(PermissionSettled& settled) {
    if (view_.permission && view_.permission->id == settled.id) view_.permission.reset();
    if (view_.trust && view_.trust->id == settled.id) view_.trust.reset();
    if (view_.question && view_.question->id == settled.id) view_.question.reset();
    if (!view_.permission && !view_.question) resume_clock(view_, now_ms_);
  }
  void operator()(TrustAsked& asked) { view_.trust = std::move(asked); }
  void operator()(QuestionAsked& asked) {
    view_.question = std::move(asked);
    if (view_.asked_ms < 0) view_.asked_ms = now_ms_;
  }
  void operator()(Notice& notice) { add(NoticeCell{notice.level, std::move(notice.text)}); }
  void operator()(Waiting& waiting) {
    view_.waiting = std::move(waiting);
    if (view_.waiting.until_ms > 0) view_.waiting.until_ms += now_ms_;
    if (view_.waiting.attempt > 0) forget_streamed(view_);
  }

  void operator()(Compaction& compaction) {
    ++view_.gauged;
    view_.compaction = compaction;
    switch (compaction.phase) {
      case CompactionPhase::completed:
      case CompactionPhase::undone:
      case CompactionPhase::redone: mark_left(view_.cells, compaction); break;
      case CompactionPhase::failed: break;
      case CompactionPhase::started:
        if (!view_.working) begin_work(compaction_work);
        return;
      default: return;  // under way: shown in the status line, not in the transcript
    }
    end_side_work(compaction_work);
    add(CompactionCell{std::move(compaction)});
  }

  void operator()(PreviewReady& preview) {
    end_side_work(compaction_work);
    view_.preview = std::move(preview);
  }
  void operator()(Meters& meters) {
    ++view_.gauged;
    end_side_work(compaction_work);  // a compaction that found nothing to do ends with these alone
    view_.meters = std::move(meters);
    view_.cold_at_ms = view_.meters.cold_in_ms < 0 ? -1 : now_ms_ + view_.meters.cold_in_ms;
    view_.replaying = false;  // they follow the replayed log
    std::move(view_.early.begin(), view_.early.end(), std::back_inserter(view_.cells));
    view_.early.clear();
  }
  void operator()(Queue& queue) { view_.queue = std::move(queue.texts); }
  void operator()(TakenBack& taken) {
    std::move(taken.texts.begin(), taken.texts.end(), std::back_inserter(view_.taken_back));
    view_.queue.clear();
  }
  void operator()(Page& page) { view_.page = std::move(page); }
  void operator()(ContextReport& report) { view_.report = std::move(report); }
  void operator()(RewindPoints& points) { view_.rewind = std::move(points.points); }
  void operator()(SessionList& list) { view_.sessions = std::move(list.sessions); }
  void operator()(ListShown& list) { view_.list = std::move(list); }
  void operator()(ModelList& list) { view_.models = std::move(list.models); }
  void operator()(CommandList& list) { view_.brought = std::move(list); }
  void operator()(LoginAsked& asked) { view_.login = std::move(asked); }
  void operator()(SessionOpened& opened) {
    if (view_.openings++ == 0) view_.early = std::move(view_.cells);
    view_.more_above = opened.more;
    view_.replaying = opened.resumed;
    view_.replay_ms = now_ms_;
    view_.cells.clear();
    view_.todos.clear();
    view_.queue.clear();
    view_.session_id = std::move(opened.id);
    view_.session_name = std::move(opened.name);
    view_.earlier_talks = opened.earlier;
    view_.last_talk = std::move(opened.last);
    view_.last_talk_when = std::move(opened.last_when);
    view_.working = false;
  }

  // The page is folded as a log of its own; what later compressions did to its items is marked.
  void operator()(Earlier& earlier) {
    ++view_.openings;
    view_.more_above = earlier.more;
    ViewState above;
    above.next_cell = view_.next_cell;
    for (Event& event : earlier.page->events) fold(above, std::move(event), now_ms_);
    view_.next_cell = above.next_cell;
    for (const Cell& cell : view_.cells)
      if (const auto* compaction = std::get_if<CompactionCell>(&cell.body))
        mark_left(above.cells, compaction->last);
    view_.cells.insert(view_.cells.begin(), std::move_iterator(above.cells.begin()),
                       std::move_iterator(above.cells.end()));
  }

  void operator()(Todos& todos) {
    view_.new_todos |= all_done(view_.todos) && !all_done(todos.lines);
    view_.todos = std::move(todos.lines);
  }

  void operator()(TurnEnded& ended) {
    stop_streaming<AssistantCell>();
    stop_streaming<ThinkingCell>();
    const bool live = std::exchange(view_.working, false) && view_.side_work.empty();
    view_.side_work.clear();
    view_.waiting = {};
    resume_clock(view_, now_ms_);
    const bool interrupted = ended.how == TurnEnded::How::interrupted;
    view_.rejected = interrupted && ended.exit_code == 0;  // its cell says so
    if (interrupted && !view_.rejected) add(NoticeCell{Level::warning, "interrupted"});
    if (!ended.error.empty()) add(NoticeCell{Level::error, std::move(ended.error)});
    if (live && ended.how == TurnEnded::How::done) add(took());
  }

  void operator()(StatusText& status) { view_.status_text = std::move(status.text); }
  void operator()(CommandDone&) {}
  void operator()(Goodbye& goodbye) { view_.goodbye = std::move(goodbye.text); }

 private:
  // A path inside the working folder is told from there.
  std::string relative(std::string path) const {
    const std::string& cwd = view_.meters.cwd;
    return !cwd.empty() && path.starts_with(cwd + "/") ? path.substr(cwd.size() + 1) : path;
  }

  // What the user pasted and sent stays a chip on the screen.
  std::vector<PastedPart> claim_pastes(std::string_view text) {
    std::vector<PastedPart> parts;
    std::size_t from = 0;
    std::erase_if(view_.sent_pastes, [&](const std::string& paste) {
      const std::size_t at = paste.empty() ? text.npos : text.find(paste, from);
      if (at == text.npos) return false;
      parts.push_back({at, paste.size()});
      from = at + paste.size();
      return true;
    });
    return parts;
  }

  std::string file_of(std::string_view tool, const std::string& subject) const {
    if (subject.empty() || !(reads_files(tool) || changes_files(tool))) return {};
    const std::string& cwd = view_.meters.cwd;
    return subject.starts_with('/') ? subject : cwd.empty() ? "" : cwd + "/" + subject;
  }

  void begin_work(std::string_view side) {
    view_.working = true;
    view_.side_work = side;
    view_.turn_started_ms = now_ms_;
    view_.turn_tools = 0;
    view_.turn_tokens = 0;
    view_.turn_dollars = view_.meters.dollars;
    view_.rejected = false;
  }
  TurnCell took() const {
    const double dollars = view_.meters.dollars_known ? view_.meters.dollars - view_.turn_dollars : -1;
    return {now_ms_ - view_.turn_started_ms, view_.turn_tools, dollars};
  }
  void end_side_work(std::string_view side) {
    if (side.empty() || view_.side_work != side) return;
    view_.working = false;
    view_.side_work.clear();
  }

  Cell& add(CellBody body, ItemId item = {}) {
    Cell cell;
    cell.id = view_.next_cell++;
    cell.item = item;
    cell.body = std::move(body);
    return view_.cells.emplace_back(std::move(cell));
  }

  // The cell that still grows; only the last few can.
  template <class T>
  Cell* streaming_cell() {
    const std::size_t reach = std::min<std::size_t>(view_.cells.size(), 8);
    for (std::size_t back = 1; back <= reach; ++back) {
      Cell& cell = view_.cells[view_.cells.size() - back];
      if (auto* body = std::get_if<T>(&cell.body); body && body->streaming) return &cell;
    }
    return nullptr;
  }
  template <class T>
  T* streaming() {
    Cell* cell = streaming_cell<T>();
    if (!cell) return nullptr;
    ++cell->version;
    return &std::get<T>(cell->body);
  }
  template <class T>
  void stop_streaming() {
    if (T* body = streaming<T>()) body->streaming = false;
  }

  Cell* tool(const std::string& call_id) {
    for (auto cell = view_.cells.rbegin(); cell != view_.cells.rend(); ++cell) {
      const auto* body = std::get_if<ToolCell>(&cell->body);
      if (body && body->call_id == call_id) return &*cell;
      if (std::holds_alternative<UserCell>(cell->body)) break;
    }
    return nullptr;
  }

  static bool has_results(const Item& item) {
    return std::any_of(item.blocks.begin(), item.blocks.end(),
                       [](const Block& block) { return std::holds_alternative<ToolResult>(block); });
  }

  // The result's item names the cell, so that a compression of it can be marked there.
  void claim_result(const ToolResult& result, ItemId item) {
    Cell* cell = tool(result.call_id);
    if (!cell) return;
    cell->item = item;
    auto& body = std::get<ToolCell>(cell->body);
    body.recall = result.recall;
    body.form = result.form;
    ++cell->version;
  }

  // What was streamed becomes what the log holds.
  void assistant_item(const Item& item) {
    std::string text, thought;
    for (const Block& block : item.blocks) {
      if (const auto* said = std::get_if<Text>(&block)) text += (text.empty() ? "" : "\n\n") + said->text;
      if (const auto* thinking = std::get_if<Thinking>(&block)) thought += thinking->text;
    }
    settle<ThinkingCell>(item, thought, &ThinkingCell::text);
    settle<AssistantCell>(item, text, &AssistantCell::markdown);
    if (item.interrupted && !view_.cells.empty())
      if (auto* body = std::get_if<AssistantCell>(&view_.cells.back().body)) body->interrupted = true;
  }

  template <class T>
  void settle(const Item& item, const std::string& text, std::string T::*field) {
    Cell* cell = streaming_cell<T>();
    if (text.empty() && !cell) return;
    if (!cell) cell = find_unclaimed<T>();
    if (!cell && text.empty()) return;
    if (!cell) cell = &add(T{});
    auto& body = std::get<T>(cell->body);
    if (!text.empty()) body.*field = text;
    body.streaming = false;
    cell->item = item.id;
    cell->recall = item.recall;
    ++cell->version;
  }

  // Tools may have started before the item was complete: then the text's cell stopped streaming but has no
  // item yet.
  template <class T>
  Cell* find_unclaimed() {
    for (auto cell = view_.cells.rbegin(); cell != view_.cells.rend(); ++cell) {
      if (std::holds_alternative<T>(cell->body)) return cell->item == ItemId{} ? &*cell : nullptr;
      if (std::holds_alternative<UserCell>(cell->body)) break;
    }
    return nullptr;
  }

  ViewState& view_;
  std::int64_t now_ms_;
};

}  // namespace

void resume_clock(ViewState& view, std::int64_t now_ms) {
  if (view.asked_ms >= 0) view.turn_started_ms += now_ms - view.asked_ms;
  view.asked_ms = -1;
}

void drop_question(ViewState& view, std::int64_t now_ms) {
  view.permission.reset();
  view.trust.reset();
  view.question.reset();
  resume_clock(view, now_ms);
}

void fold(ViewState& view, Event event, std::int64_t now_ms) {
  if (auto* compaction = std::get_if<Compaction>(&event))
    std::sort(compaction->touched.begin(), compaction->touched.end());
  std::visit(Fold(view, now_ms), event);
  view.dirty = true;
}

}  // namespace tern
