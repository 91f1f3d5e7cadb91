// Cells as they were shown, and what a resumed session shows again; full-text search over all sessions.
#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "agent/protocol/shell_note.h"
#include "agent/store/export_summaries.h"
#include "agent/store/store_db.h"
#include "compression/values/tokens.h"

namespace tern {
namespace {

constexpr std::size_t kOldCell = 400;  // bytes of text an old cell brings along
constexpr std::size_t kWholeCells =
    60;  // the newest so many show what the live cell showed, not what the model was given
constexpr std::int64_t kWholeBytes = 256 << 10;
constexpr std::size_t kResultInItem = 256;  // the cell shows the text, the item does not need it
constexpr int kIndexAtOnce = 64;

std::string head(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return std::string(text.substr(0, bytes));
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// "12345678" -> "12,345,678"
std::string grouped(std::size_t n) {
  auto text = std::to_string(n);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

// The beginning and the end of a long text, cut between lines or at least between characters, and how much is
// missing. What went wrong stands at the end more often than not.
std::string ends_of(std::string_view text, std::size_t bytes, RecallId recall) {
  if (text.size() <= bytes || bytes == 0) return std::string(text.substr(0, bytes));
  const std::size_t half = bytes / 2;
  std::size_t from = half, to = text.size() - half;
  if (const auto line = text.rfind('\n', from - 1); line != text.npos && line >= half / 2)
    from = line + 1;
  else
    while (from > 0 && !begins_character(text[from])) --from;
  if (const auto line = text.find('\n', to); line != text.npos && line < text.size() - half / 2)
    to = line + 1;
  else
    while (to < text.size() && !begins_character(text[to])) ++to;
  const auto hidden = text.substr(from, to - from);
  const auto characters =
      static_cast<std::size_t>(std::count_if(hidden.begin(), hidden.end(), begins_character));
  std::string out(text.substr(0, from));
  if (!out.empty() && out.back() != '\n') out += '\n';
  out += "[… " + grouped(characters) + " characters not shown here" +
         (recall ? ": /recall " + to_string(recall) : "") + "]\n";
  return out.append(text.substr(to));
}

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
  Screen(const Store& store, Sqlite& db, std::span<const LogRow> rows, const ScreenOptions& options)
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
      cell->text = ends_of(cell->text, options_.tool_text, cell->recall);
      cell->replayed = true;
      shown_ = cell->subject.substr(0, cell->subject.find('\n'));
    }
    events.push_back(std::move(event));
  }
  std::vector<Event> events;

 private:
  void add_shell_line(const Item& item, ShellNote ran, std::size_t cells_left) {
    if (std::exchange(shown_, {}) == ran.command) return;  // its cell stands there as it was
    const auto id = "shell_" + std::to_string(item.id.value);
    events.push_back(ToolStarted{id, "Bash", "Bash", ran.command, ran.command, true});
    ToolFinished done;
    done.call_id = id, done.tool = done.label = "Bash", done.subject = std::move(ran.command),
    done.replayed = true;
    done.text = ends_of(ran.output, cells_left > options_.full_cells ? kOldCell : options_.tool_text,
                        recall_of(ran.output));
    events.push_back(std::move(done));
  }

  static ItemPtr without_texts(Item item) {
    for (Block& block : item.blocks) {
      if (auto* result = std::get_if<ToolResult>(&block)) result->text = head(result->text, kResultInItem);
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
    done.note = cell.note, done.diff = cell.diff, done.is_error = result.is_error,
    done.exit_status = cell.exit_status;
    done.milliseconds = cell.milliseconds, done.recall = result.recall, done.form = result.form,
    done.replayed = true;
    done.text = ends_of(whole(result, cells_left),
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

  const Store& store_;
  const ScreenOptions& options_;
  std::string shown_;  // the command of the cell that was shown last
  std::unordered_map<std::string, Cell> cells_;
  std::unordered_map<std::string, ToolCall> calls_;
};

// Three code points make a trigram; shorter texts are looked for one by one.
std::vector<std::string> trigrams(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80) starts.push_back(at);
  }
  starts.push_back(text.size());
  std::vector<std::string> list;
  for (std::size_t n = 0; n + 3 < starts.size(); ++n)
    list.emplace_back(text.substr(starts[n], starts[n + 3] - starts[n]));
  return list;
}

// All trigrams must be there; whether they stand together is checked on the text.
std::string match_of(const std::vector<std::string>& grams) {
  std::string match;
  for (const std::string& gram : grams) {
    std::string quoted;
    for (char c : gram) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    match += (match.empty() ? "\"" : " AND \"") + quoted + "\"";
  }
  return match;
}

std::string snippet(std::string_view text, std::string_view part) {
  const auto fold = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto found = std::search(text.begin(), text.end(), part.begin(), part.end(),
                                 [&](char a, char b) { return fold(a) == fold(b); });
  auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(found - text.begin() - 60, 0));
  while (from > 0 && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80) --from;
  std::string out = (from ? "…" : "") + head(text.substr(from), 160 + part.size());
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

}  // namespace

bool Store::started(const CallStart& call) {
  std::lock_guard lock(impl_->mutex);
  return impl_->write([call, session = impl_->current, at = impl_->now_ms()](Sqlite& db) {
    db.run("INSERT INTO calls(session, call_id, tool, label, subject, at) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
           {session, std::string_view(call.call_id), std::string_view(call.tool),
            std::string_view(call.label), std::string_view(call.subject), at});
  });
}

bool Store::finished(const ToolFinished& cell, const ToolResult& result) {
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

void Store::partial(std::string_view text, std::string_view thinking, bool synced) {
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

std::vector<Event> Store::screen(const ScreenOptions& options) const {
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

std::size_t Store::screen_begin(std::size_t end, std::size_t entries) const {
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

void Store::idle() {
  std::lock_guard lock(impl_->mutex);
  Impl& impl = *impl_;
  if (impl.read_only || !impl.flush()) return;
  if (std::exchange(impl.summaries_changed, false))
    export_summaries(*this, impl.options.folder, impl.options.summary_max_chars);
  struct Unread {
    std::int64_t seq;
    std::string text;
  };
  std::vector<Unread> waiting;
  try {
    impl.database->exec("BEGIN IMMEDIATE");
    {
      Cursor row = impl.database->query(
          "SELECT seq, kind, codec, body FROM log WHERE seq>(SELECT next FROM counters WHERE name='indexed') "
          "ORDER BY seq LIMIT "
          "?1",
          {std::int64_t{kIndexAtOnce}});
      while (row.step()) {
        const auto bytes = row.integer(1) == LogRow::item
                               ? unpack(static_cast<Packing>(row.integer(2)), row.bytes(3))
                               : std::nullopt;
        const auto item = bytes ? decode_item(*bytes) : std::nullopt;
        waiting.push_back({row.integer(0), item ? plain_text(*item) : std::string()});
      }
    }
    for (const Unread& one : waiting) {
      if (!one.text.empty())
        impl.database->run("INSERT INTO words(rowid, text) VALUES(?1, ?2)",
                           {one.seq, std::string_view(one.text)});
    }
    if (!waiting.empty())
      impl.database->run("UPDATE counters SET next=?1 WHERE name='indexed'", {waiting.back().seq});
    impl.database->exec("COMMIT");
  } catch (const SqliteError&) {
    try {
      if (impl.database->in_transaction()) impl.database->exec("ROLLBACK");
    } catch (const SqliteError&) {
      // The index is made again at the next idle moment.
    }
  }
  impl.database->checkpoint();
}

std::vector<SearchHit> Store::search(std::string_view text, std::size_t limit) {
  std::lock_guard lock(impl_->mutex);
  if (text.empty()) return {};
  if (!impl_->read_only) impl_->flush();
  return impl_->read([&](Sqlite& db) {
    const std::vector<std::string> grams = trigrams(text);
    std::vector<std::int64_t> found;
    const auto collect = [&](Cursor row) {
      while (row.step()) found.push_back(row.integer(0));
    };
    const std::int64_t indexed = db.integer("SELECT next FROM counters WHERE name='indexed'");
    const std::string match = match_of(grams);
    collect(db.query("SELECT seq FROM log WHERE kind=0 AND seq>?1 ORDER BY seq DESC",
                     {grams.empty() ? std::int64_t{0} : indexed}));
    if (!grams.empty()) {
      collect(db.query("SELECT rowid FROM words WHERE words MATCH ?1 AND rowid<=?2 ORDER BY rowid DESC",
                       {std::string_view(match), indexed}));
    }
    std::vector<SearchHit> hits;
    for (std::int64_t seq : found) {
      if (hits.size() >= limit) break;
      Cursor row = db.query(
          "SELECT s.uid, s.name, l.codec, l.body FROM log l JOIN sessions s ON s.id=l.session"
          " WHERE l.seq=?1 AND coalesce(s.parent_seq, 0)>=0",
          {seq});
      if (!row.step()) continue;
      const auto bytes = unpack(static_cast<Packing>(row.integer(2)), row.bytes(3));
      const auto item = bytes ? decode_item(*bytes) : std::nullopt;
      if (!item) continue;
      const std::string all = plain_text(*item);
      if (contains_folded(all, text))
        hits.push_back({row.text(0), row.text(1), snippet(all, text), item->id, item->role, item->when});
    }
    return hits;
  });
}

}  // namespace tern
