// Cells as they were shown, and what a resumed session shows again.
#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "agent/protocol/shell_note.h"
#include "agent/store/store.h"
#include "agent/store/store_db.h"
#include "compression/text/utf8.h"
#include "compression/values/text_ends.h"
#include "compression/values/tokens.h"
#include "compression/values/tool_kinds.h"

namespace tern {
namespace {

constexpr std::size_t kOldCell = 400;  // bytes of text an old cell brings along
constexpr std::size_t kWholeCells =
    60;  // the newest so many show what the live cell showed, not what the model was given
constexpr std::int64_t kWholeBytes = 256 << 10;
constexpr std::size_t kResultInItem = 256;  // the cell shows the text, the item does not need it

// Output of a command the person ran names its original where it is itself shortened: "[… r12 holds all of it
// …]".
RecallId recall_of(std::string_view output) {
  constexpr std::string_view before = "\n[… r", after = " holds all of it …]\n";
  const auto end = output.rfind(after);
  const auto begin = end == output.npos ? end : output.rfind(before, end);
  if (begin == output.npos) return {};
  const auto id = begin + before.size() - 1;
  return parse_recall_id(output.substr(id, end - id));
}

struct Cell {
  std::string label, subject, note, diff;
  std::optional<int> exit_status;
  std::int64_t milliseconds = 0;
};

Cell cell_of(const Cursor& row) {
  Cell cell{.label = row.text(0),
            .subject = row.text(1),
            .note = row.text(2),
            .diff = {},
            .exit_status = {},
            .milliseconds = row.integer(6)};
  cell.diff = unpack(static_cast<Packing>(row.integer(4)), row.bytes(3)).value_or("");
  if (!row.null(5)) cell.exit_status = static_cast<int>(row.integer(5));
  return cell;
}

std::string call_key(std::int64_t session, std::uint64_t item, std::string_view call_id) {
  return std::to_string(session) + ' ' + std::to_string(item) + ' ' + std::string(call_id);
}

class Screen {
 public:
  Screen(const LogStore& store, Sqlite& db, std::span<const LogRow> rows, const ScreenOptions& options)
      : store_(store), options_(options) {
    std::map<std::int64_t, std::pair<std::uint64_t, std::uint64_t>>
        items;  // of each session, those in the part
    for (const LogRow& row : rows) {
      if (row.kind != LogRow::item) continue;
      const auto [range, fresh] = items.try_emplace(row.session, row.ref, row.ref);
      if (!fresh)
        range->second = {std::min(range->second.first, row.ref), std::max(range->second.second, row.ref)};
    }
    for (const auto& [session, range] : items) {
      Cursor row = db.query(
          "SELECT label, subject, note, diff, diff_codec, exit_status, milliseconds, item, call_id FROM "
          "calls WHERE session=?1 "
          "AND item BETWEEN ?2 AND ?3",
          {session, sql(range.first), sql(range.second)});
      while (row.step()) cells_[call_key(session, row.natural(7), row.bytes(8))] = cell_of(row);
    }
  }

  void add(const LogRow& row, const ItemPtr& shown, std::size_t cells_left) {
    const Item& item = *shown;
    if (auto ran = read_shell_note(item)) return add_shell_line(item, std::move(*ran), cells_left);
    const bool results = std::any_of(item.blocks.begin(), item.blocks.end(),
                                     [](const Block& b) { return std::holds_alternative<ToolResult>(b); });
    events.push_back(ItemAdded{results ? without_texts(item) : shown, true});
    for (const Block& block : item.blocks) {
      if (const auto* call = std::get_if<ToolCall>(&block)) calls_[call->id] = *call;
      if (const auto* result = std::get_if<ToolResult>(&block)) add_cell(row, *result, cells_left);
    }
  }
  void add(Event event) {
    if (auto* cell = std::get_if<ToolFinished>(&event)) {
      events.push_back(
          ToolStarted{cell->call_id, cell->tool, cell->label, cell->subject, cell->subject, true});
      cell->text = text_ends(cell->text, options_.tool_text, cell->recall);
      cell->replayed = true;
      cell->end = end_of_note(cell->note);
      shown_ = cell->subject.substr(0, cell->subject.find('\n'));
    }
    events.push_back(std::move(event));
  }
  std::vector<Event> events;

 private:
  void add_shell_line(const Item& item, ShellNote ran, std::size_t cells_left) {
    if (std::exchange(shown_, {}) == ran.command) return;  // its cell stands there as it was
    const auto id = "shell_" + std::to_string(item.id.value);
    events.push_back(
        ToolStarted{id, std::string(shell_tool), std::string(shell_tool), ran.command, ran.command, true});
    ToolFinished done;
    done.call_id = id, done.tool = done.label = shell_tool, done.subject = std::move(ran.command),
    done.replayed = true;
    done.text = text_ends(ran.output, cells_left > options_.full_cells ? kOldCell : options_.tool_text,
                          recall_of(ran.output));
    events.push_back(std::move(done));
  }

  static ItemPtr without_texts(Item item) {
    for (Block& block : item.blocks) {
      if (auto* result = std::get_if<ToolResult>(&block))
        result->text = result->text.substr(0, utf8_floor(result->text, kResultInItem));
    }
    return std::make_shared<const Item>(std::move(item));
  }

  void add_cell(const LogRow& row, const ToolResult& result, std::size_t cells_left) {
    const auto found = cells_.find(call_key(row.session, row.ref, result.call_id));
    Cell cell = found != cells_.end() ? std::move(found->second) : Cell{};
    if (cell.label.empty()) cell.label = result.tool;
    if (cell.subject.empty()) cell.subject = result.subject;
    const auto call = calls_.find(result.call_id);
    std::string arguments = call != calls_.end() ? std::move(call->second.arguments) : std::string();
    events.push_back(
        ToolStarted{result.call_id, result.tool, cell.label, cell.subject, std::move(arguments), true});
    ToolFinished done;
    done.call_id = result.call_id, done.tool = result.tool, done.label = cell.label,
    done.subject = cell.subject;
    done.end = end_of_note(cell.note);
    done.note = cell.note, done.diff = cell.diff, done.is_error = result.is_error,
    done.exit_status = cell.exit_status;
    done.milliseconds = cell.milliseconds, done.recall = result.recall, done.form = result.form,
    done.replayed = true;
    done.text = text_ends(whole(result, cells_left),
                          cells_left > options_.full_cells ? kOldCell : options_.tool_text, result.recall);
    events.push_back(std::move(done));
  }

  // What the tool wrote, where the model got it shortened.
  std::string whole(const ToolResult& result, std::size_t cells_left) const {
    if (result.form == ResultForm::full || !result.recall || cells_left >= kWholeCells) return result.text;
    const auto original = store_.original(result.recall);
    if (!original || original->bytes > kWholeBytes) return result.text;
    return store_.text(result.recall).value_or(result.text);
  }

  const LogStore& store_;
  const ScreenOptions& options_;
  std::string shown_;  // the command of the cell that was shown last
  std::unordered_map<std::string, Cell> cells_;
  std::unordered_map<std::string, ToolCall> calls_;
};

}  // namespace

bool LogStore::started(const CallStart& call) {
  std::lock_guard lock(impl_->mutex);
  return impl_->write([call, session = impl_->current, at = impl_->now_ms()](Sqlite& db) {
    db.run("INSERT INTO calls(session, call_id, tool, label, subject, at) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
           {session, std::string_view(call.call_id), std::string_view(call.tool),
            std::string_view(call.label), std::string_view(call.subject), at});
  });
}

bool LogStore::finished(const ToolFinished& cell, const ToolResult& result) {
  std::lock_guard lock(impl_->mutex);
  return impl_->write([cell, kept = encode(result), session = impl_->current,
                       at = impl_->now_ms()](Sqlite& db) {
    const std::string_view call_id(cell.call_id), tool(cell.tool), label(cell.label), subject(cell.subject),
        note(cell.note);
    std::int64_t id = db.integer("SELECT max(id) FROM calls WHERE session=?1 AND call_id=?2 AND done=0",
                                 {session, call_id});
    if (id == 0) {  // refused or repaired: it never started
      db.run("INSERT INTO calls(session, call_id, tool, label, subject, at) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
             {session, call_id, tool, label, subject, at});
      id = db.last_row();
    }
    const Packed diff = pack(cell.diff);
    const SqlValue status = cell.exit_status ? SqlValue(std::int64_t{*cell.exit_status}) : SqlValue(nullptr);
    db.run(
        "UPDATE calls SET done=1, label=?2, subject=?3, note=?4, diff=?5, diff_codec=?6, exit_status=?7, "
        "milliseconds=?8,"
        " result=CASE item WHEN 0 THEN ?9 END WHERE id=?1",
        {id, label, subject, note, Blob{diff.view(cell.diff)}, static_cast<std::int64_t>(diff.codec), status,
         cell.milliseconds, Blob{kept}});
  });
}

void LogStore::partial(std::string_view text, std::string_view thinking, bool synced) {
  std::lock_guard lock(impl_->mutex);
  Item item;
  item.role = Role::assistant;
  if (!thinking.empty()) item.blocks.push_back(Thinking{std::string(thinking), {}});
  item.blocks.push_back(Text{std::string(text)});
  const auto keep = [&] {
    impl_->write([body = encode(item), session = impl_->current](Sqlite& db) {
      db.run("INSERT OR REPLACE INTO partials VALUES(?1, ?2)", {session, Blob{body}});
    });
  };
  if (synced || !impl_->queue.empty()) return keep();
  try {
    impl_->database->relaxed(keep);
  } catch (const SqliteError&) {
    // Without it a crash loses what was said since the last second.
  }
}

std::vector<Event> LogStore::screen(const ScreenOptions& options) const {
  return impl_->read([&](Sqlite& db) {
    const std::span<const LogRow> all = impl_->rows;
    const auto rows = all.subspan(std::min(options.begin, all.size()));
    const auto shown =
        rows.first(std::min(options.end, all.size()) - std::min({options.begin, options.end, all.size()}));
    Screen screen(*this, db, shown, options);
    const auto is_cell = [](const LogRow& row) {
      return row.kind == LogRow::item && !(row.flags & (LogRow::turn | LogRow::calls)) &&
             (row.flags & LogRow::role_mask) == 1;
    };
    auto cells = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), is_cell));
    for (const LogRow& row : shown) {
      if (is_cell(row)) --cells;
      if (row.kind == LogRow::item) {
        if (const ItemPtr item = impl_->load_item(row)) screen.add(row, item, cells);
      } else if (row.kind == LogRow::event) {
        if (auto event = decode_event(impl_->body(row))) screen.add(std::move(*event));
      }
    }
    return std::move(screen.events);
  });
}

std::size_t LogStore::screen_begin(std::size_t end, std::size_t entries) const {
  std::lock_guard lock(impl_->mutex);
  const std::vector<LogRow>& rows = impl_->rows;
  end = std::min(end, rows.size());
  if (end <= entries) return 0;
  const std::size_t latest = end - entries;
  for (std::size_t begin = latest; begin > 0 && latest - begin < entries; --begin) {
    if (rows[begin].kind == LogRow::item && (rows[begin].flags & LogRow::turn)) return begin;
  }
  return latest <= entries ? 0 : latest;  // a turn without end
}

}  // namespace tern
