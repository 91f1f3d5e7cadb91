// The log itself: rows in, the context and the screen folded out of it.
#include <algorithm>
#include <unordered_set>

#include "agent/store/store.h"
#include "agent/store/store_db.h"
#include "compression/values/context_edit.h"

namespace tern {
namespace {

std::uint8_t flags_of(const Item& item) {
  auto flags = static_cast<std::uint8_t>(item.role);
  const auto has = [&](auto is) { return std::any_of(item.blocks.begin(), item.blocks.end(), is); };
  const bool written = has([](const Block& block) {
    return std::holds_alternative<Text>(block) || std::holds_alternative<Image>(block);
  });
  if (item.role == Role::user && !item.synthetic && written) flags |= LogRow::turn;
  if (has([](const Block& block) { return std::holds_alternative<ToolCall>(block); })) flags |= LogRow::calls;
  if (item.pinned) flags |= LogRow::pinned;
  return flags;
}

std::string encode_packed(std::string body, std::int64_t& codec) {
  Packed packed = pack(body);
  codec = static_cast<std::int64_t>(packed.codec);
  return packed.codec == Packing::raw ? std::move(body) : std::move(packed.bytes);
}

ItemPtr hollow(std::uint64_t id, Role role, bool pinned) {
  Item shell;
  shell.id = {id}, shell.role = role, shell.pinned = pinned;
  return std::make_shared<const Item>(std::move(shell));
}

// What decides who is in the context and in which order, without any text.
Edits hollow(const Edits& edits) {
  Edits shells;
  for (const Edit& edit : edits) {
    Edit shell{edit.target, Drop{}, {edit.why.tier, {}, {}}, 0};
    if (const auto* insert = std::get_if<Insert>(&edit.how)) {
      shell.how = Insert{hollow(insert->item->id.value, insert->item->role, insert->item->pinned)};
    } else if (const auto* pin = std::get_if<Pin>(&edit.how)) {
      shell.how = *pin;
    } else if (std::holds_alternative<Replace>(edit.how)) {
      continue;
    }
    shells.push_back(std::move(shell));
  }
  return shells;
}

}  // namespace

std::string plain_text(const Item& item) {
  std::string out;
  for (const Block& block : item.blocks) {
    const auto* text = std::get_if<Text>(&block);
    const auto* summary = std::get_if<Summary>(&block);
    if (!text && !summary) continue;
    if (!out.empty()) out += '\n';
    out += text ? text->text : summary->text;
  }
  return out;
}

BlobStore StoreState::blobs() const {
  return {
      .put = [this](std::string_view bytes) { return std::to_string(put_blob(*database, bytes)); },
      .get =
          [this](std::string_view key) {
            return std::optional(get_blob(*database, std::strtoll(std::string(key).c_str(), nullptr, 10)));
          }};
}

bool StoreState::add_row(LogRow::Kind kind, std::uint64_t ref, std::uint8_t flags, std::string body) {
  show({.seq = 0, .ref = ref, .session = static_cast<std::int32_t>(current), .kind = kind, .flags = flags});
  return write([=, session = current, at = now_ms(), body = std::move(body)](Sqlite& db) {
    std::int64_t codec = 0;
    const std::string stored = encode_packed(body, codec);
    db.run("INSERT INTO log(session, kind, ref, flags, at, codec, body) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
           {session, std::int64_t{kind}, sql(ref), std::int64_t{flags}, at, codec, Blob{stored}});
  });
}

LogRow* StoreState::find(LogRow::Kind kind, std::uint64_t ref) {
  const auto found = std::find_if(rows.rbegin(), rows.rend(),
                                  [&](const LogRow& row) { return row.kind == kind && row.ref == ref; });
  return found == rows.rend() ? nullptr : &*found;
}

std::string StoreState::body(const LogRow& row) const {
  Cursor cursor = row.seq ? database->query("SELECT codec, body FROM log WHERE seq=?1", {row.seq})
                          : database->query(
                                "SELECT codec, body FROM log WHERE session=?1 AND kind=?2 AND ref=?3 ORDER "
                                "BY seq DESC LIMIT 1",
                                {std::int64_t{row.session}, std::int64_t{row.kind}, sql(row.ref)});
  return cursor.step() ? unpack(static_cast<Packing>(cursor.integer(0)), cursor.bytes(1)).value_or("")
                       : std::string();
}

ItemPtr StoreState::load_item(const LogRow& wanted) const {
  if (wanted.session == current) {
    if (const auto fresh = fresh_items.find(wanted.ref); fresh != fresh_items.end()) return fresh->second;
  }
  auto item = decode_item(body(wanted), blobs());
  return item ? std::make_shared<const Item>(std::move(*item)) : nullptr;
}

std::optional<Batch> StoreState::load_batch(const LogRow& wanted) const {
  if (const auto fresh = fresh_batches.find(wanted.ref); fresh != fresh_batches.end()) return fresh->second;
  return decode_batch(body(wanted));
}

std::vector<std::uint64_t> StoreState::undone(std::size_t end) const {
  std::vector<std::uint64_t> list;
  for (std::size_t r = 0; r < std::min(end, rows.size()); ++r) {
    const LogRow& row = rows[r];
    if (row.kind == LogRow::undone) list.push_back(row.ref);
    if (row.kind == LogRow::redone) std::erase(list, row.ref);
  }
  return list;
}

// replay() in two passes, so that a session of any length costs what its context holds: first who is there,
// by hollow items, then the bodies of those only.
Conversation StoreState::fold(std::size_t end) const {
  const std::vector<std::uint64_t> skipped = undone(end);
  Conversation shells;
  std::vector<Batch> batches;
  UndoneInserts taken_back;
  std::unordered_map<std::uint64_t, const LogRow*> where;
  for (std::size_t r = 0; r < std::min(end, rows.size()); ++r) {
    const LogRow& row = rows[r];
    if (row.kind == LogRow::item) {
      shells.items.push_back(
          hollow(row.ref, static_cast<Role>(row.flags & LogRow::role_mask), row.flags & LogRow::pinned));
      where[row.ref] = &row;
    } else if (row.kind == LogRow::batch) {
      auto batch = load_batch(row);
      if (!batch) continue;
      if (std::find(skipped.begin(), skipped.end(), row.ref) != skipped.end()) {
        taken_back.add(batch->edits);
        continue;
      }
      taken_back.redirect(batch->edits);
      shells = tern::apply(shells, hollow(batch->edits));
      batches.push_back(std::move(*batch));
    }
  }
  std::unordered_map<std::uint64_t, ItemPtr> inserted;
  for (const Batch& batch : batches) {
    for (const Edit& edit : batch.edits) {
      if (const auto* insert = std::get_if<Insert>(&edit.how))
        inserted[insert->item->id.value] = insert->item;
    }
  }
  Conversation whole;
  std::unordered_set<std::uint64_t> alive;
  for (const ItemPtr& shell : shells.items) {
    const auto place = where.find(shell->id.value);
    ItemPtr item = place != where.end() ? load_item(*place->second) : inserted[shell->id.value];
    if (!item) continue;
    alive.insert(item->id.value);
    whole.items.push_back(std::move(item));
  }
  Edits edits;
  for (Batch& batch : batches) {
    for (Edit& edit : batch.edits) {
      const bool changes = std::holds_alternative<Replace>(edit.how) || std::holds_alternative<Pin>(edit.how);
      if (changes && alive.count(edit.target.value)) edits.push_back(std::move(edit));
    }
  }
  return tern::apply(whole, edits);
}

bool LogStore::append(const ItemPtr& item) {
  std::lock_guard lock(impl_->mutex);
  StoreState& impl = *impl_;
  impl.last_item = std::max(impl.last_item, item->id.value);
  const std::uint8_t flags = flags_of(*item);
  if (flags & LogRow::turn) ++impl.turns;
  impl.show({.seq = 0,
             .ref = item->id.value,
             .session = static_cast<std::int32_t>(impl.current),
             .kind = LogRow::item,
             .flags = flags});
  impl.fresh_items[item->id.value] = item;
  const std::string prompt = flags & LogRow::turn ? plain_text(*item).substr(0, 2'000) : std::string();
  return impl.write([&impl, item, flags, prompt, session = impl.current, turns = impl.turns,
                     at = impl.now_ms()](Sqlite& db) {
    std::int64_t codec = 0;
    const std::string stored = encode_packed(encode(*item, impl.blobs()), codec);
    db.run("INSERT INTO log(session, kind, ref, flags, at, codec, body) VALUES(?1, 0, ?2, ?3, ?4, ?5, ?6)",
           {session, sql(item->id.value), std::int64_t{flags}, at, codec, Blob{stored}});
    db.run(
        "UPDATE sessions SET updated=?2, turns=?3, last_item=max(last_item, ?4),"
        " first_prompt=CASE first_prompt WHEN '' THEN ?5 ELSE first_prompt END WHERE id=?1",
        {session, at, sql(turns), sql(item->id.value), std::string_view(prompt)});
    db.run("DELETE FROM partials WHERE session=?1",
           {session});  // what had been said belongs to what stood before
    for (const Block& block : item->blocks) {
      if (const auto* result = std::get_if<ToolResult>(&block)) {
        db.run(
            "UPDATE calls SET item=?3, result=NULL WHERE id=(SELECT max(id) FROM calls WHERE session=?1 AND "
            "call_id=?2) AND "
            "item=0",
            {session, std::string_view(result->call_id), sql(item->id.value)});
      }
    }
    impl.bind_originals(db, *item, session);
  });
}

bool LogStore::log(const Batch& batch, const CompactionRecord& record) {
  std::lock_guard lock(impl_->mutex);
  StoreState& impl = *impl_;
  impl.last_batch = std::max(impl.last_batch, batch.id);
  for (const Edit& edit : batch.edits) {
    if (const auto* insert = std::get_if<Insert>(&edit.how))
      impl.last_item = std::max(impl.last_item, insert->item->id.value);
  }
  impl.fresh_batches[batch.id] = batch;
  impl.summaries_changed |= !record.summary.empty();
  return transact([&] {
    impl.add_row(LogRow::batch, batch.id, record.tier == Tier::none ? LogRow::quiet : 0, encode(batch));
    const std::int64_t at =
        record.when.time_since_epoch().count() ? record.when.time_since_epoch().count() : impl.now_ms();
    impl.write([record, id = batch.id, session = impl.current, last_item = impl.last_item, at](Sqlite& db) {
      const std::string points = json_list(record.key_points);
      const Packed audit = pack(record.audit_full);
      db.run("UPDATE sessions SET last_item=max(last_item, ?2) WHERE id=?1", {session, sql(last_item)});
      db.run(
          "INSERT OR REPLACE INTO batches "
          "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,0,"
          "?22,?23,?24,?25,?26,?27,?28,?29,?30)",
          {session,
           sql(id),
           to_string(record.tier),
           std::string_view(record.strategy),
           std::string_view(record.model),
           std::string_view(record.why),
           std::string_view(record.audit),
           std::string_view(record.cost),
           std::string_view(record.summary),
           std::string_view(record.index),
           std::string_view(points),
           audit.codec == Packing::raw ? SqlValue(std::string_view(record.audit_full))
                                       : SqlValue(Blob{audit.bytes}),
           sql(record.first_turn),
           sql(record.last_turn),
           record.before,
           record.after,
           sql(record.items),
           sql(record.originals),
           record.dollars,
           record.pause_ms,
           at,
           sql(record.messages_before),
           sql(record.messages_after),
           sql(record.boundary),
           std::int64_t{record.boundary_score},
           to_string(record.cause),
           sql(record.specifics),
           sql(record.specifics_kept),
           sql(record.sentences),
           sql(record.sentences_kept)});
    });
  });
}

std::vector<std::uint64_t> LogStore::undoable() const {
  std::lock_guard lock(impl_->mutex);
  const std::vector<std::uint64_t> gone = impl_->undone();
  std::vector<std::uint64_t> list;
  for (auto row = impl_->rows.rbegin(); row != impl_->rows.rend(); ++row) {
    const bool open = row->kind == LogRow::batch && !(row->flags & LogRow::quiet);
    if (open && std::find(gone.begin(), gone.end(), row->ref) == gone.end()) list.push_back(row->ref);
  }
  return list;
}

std::vector<std::uint64_t> LogStore::redoable() const {
  std::lock_guard lock(impl_->mutex);
  std::vector<std::uint64_t> gone = impl_->undone();
  return {gone.rbegin(), gone.rend()};
}

std::optional<Batch> LogStore::batch(std::uint64_t id) const {
  return impl_->read([&](Sqlite&) -> std::optional<Batch> {
    const LogRow* row = impl_->find(LogRow::batch, id);
    return row ? impl_->load_batch(*row) : std::nullopt;
  });
}

bool StoreState::mark_undone(std::uint64_t batch, bool is) {
  add_row(is ? LogRow::undone : LogRow::redone, batch, 0, {});
  summaries_changed = true;
  return write([batch, is, session = current](Sqlite& db) {
    db.run("UPDATE batches SET undone=?3 WHERE session=?1 AND batch=?2",
           {session, sql(batch), std::int64_t{is}});
  });
}

std::optional<Conversation> LogStore::undo(std::uint64_t batch) {
  std::lock_guard lock(impl_->mutex);
  const auto list = undoable();
  if (std::find(list.begin(), list.end(), batch) == list.end()) return std::nullopt;
  transact([&] { impl_->mark_undone(batch, true); });
  return conversation();
}

std::optional<Conversation> LogStore::redo(std::uint64_t batch) {
  std::lock_guard lock(impl_->mutex);
  const auto list = redoable();
  if (std::find(list.begin(), list.end(), batch) == list.end()) return std::nullopt;
  transact([&] { impl_->mark_undone(batch, false); });
  return conversation();
}

Conversation LogStore::conversation() const {
  return impl_->read([&](Sqlite&) { return impl_->fold(); });
}

Conversation LogStore::asked() const {
  std::lock_guard lock(impl_->mutex);
  const auto& rows = impl_->rows;
  std::size_t end = rows.size();
  while (end > 0 && rows[end - 1].kind != LogRow::item) --end;
  const bool answered =
      end > 0 && static_cast<Role>(rows[end - 1].flags & LogRow::role_mask) == Role::assistant;
  return impl_->read([&](Sqlite&) { return impl_->fold(answered ? end - 1 : rows.size()); });
}

ItemPtr LogStore::item(ItemId id) const {
  return impl_->read([&](Sqlite&) -> ItemPtr {
    const LogRow* row = impl_->find(LogRow::item, id.value);
    return row ? impl_->load_item(*row) : nullptr;
  });
}

std::vector<ItemPtr> LogStore::items(ItemRange range) const {
  return impl_->read([&](Sqlite&) {
    std::vector<ItemPtr> list;
    for (const LogRow& row : impl_->rows) {
      if (row.kind != LogRow::item || row.ref < range.first.value || row.ref > range.last.value) continue;
      if (ItemPtr item = impl_->load_item(row)) list.push_back(std::move(item));
    }
    return list;
  });
}

void LogStore::remember(const Event& event) {
  std::lock_guard lock(impl_->mutex);
  std::string body = encode(event);
  if (!body.empty()) impl_->add_row(LogRow::event, ++impl_->last_event, 0, std::move(body));
}

}  // namespace tern
