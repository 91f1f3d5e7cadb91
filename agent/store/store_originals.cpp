// Originals: bytes behind recall ids. Deduplicated by content, zstd from 4 KB, in chunks, so that a range of
// a huge output costs its chunks only. A result that entered whole is its own original: the log holds it
// once.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "agent/store/store.h"
#include "agent/store/store_db.h"
#include "tools/exec/output_ring.h"

namespace tern {
namespace {

constexpr std::size_t kChunk = 256 * 1024;

std::int64_t line_ends(std::string_view bytes) { return static_cast<std::int64_t>(newlines_in(bytes)); }

void put_chunk(Sqlite& db, std::int64_t blob, std::int64_t n, std::int64_t lines, std::string_view bytes) {
  const Packed packed = pack(bytes);
  db.run("INSERT INTO chunks(blob, n, lines, codec, data) VALUES(?1, ?2, ?3, ?4, ?5)",
         {blob, n, lines, static_cast<std::int64_t>(packed.codec), Blob{packed.view(bytes)}});
}

std::string chunk(Cursor& cursor, int codec, int data) {
  return unpack(static_cast<Packing>(cursor.integer(codec)), cursor.bytes(data)).value_or("");
}

bool same_bytes(Sqlite& db, std::int64_t blob, std::string_view bytes) {
  Cursor cursor = db.query("SELECT codec, data FROM chunks WHERE blob=?1 ORDER BY n", {blob});
  while (cursor.step()) {
    const std::string part = chunk(cursor, 0, 1);
    if (bytes.substr(0, part.size()) != part || part.empty()) return false;
    bytes.remove_prefix(part.size());
  }
  return bytes.empty();
}

std::int64_t find_blob(Sqlite& db, std::int64_t hash, std::string_view bytes) {
  std::vector<std::int64_t> known;
  {
    Cursor cursor = db.query("SELECT id FROM blobs WHERE hash=?1 AND size=?2",
                             {hash, static_cast<std::int64_t>(bytes.size())});
    while (cursor.step()) known.push_back(cursor.integer(0));
  }
  for (std::int64_t blob : known) {
    if (same_bytes(db, blob, bytes)) return blob;
  }
  return 0;
}

std::int64_t new_blob(Sqlite& db, std::int64_t hash, std::int64_t size) {
  db.run("INSERT INTO blobs(hash, size) VALUES(?1, ?2)", {hash, size});
  return db.last_row();
}

std::size_t fill(int fd, std::string& buffer) {
  std::size_t got = 0;
  while (got < buffer.size()) {
    const ssize_t n = ::read(fd, buffer.data() + got, buffer.size() - got);
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

std::string slice(Sqlite& db, std::int64_t blob, std::int64_t offset, std::int64_t count) {
  std::string out;
  const auto width = static_cast<std::int64_t>(kChunk);
  Cursor cursor =
      db.query("SELECT n, codec, data FROM chunks WHERE blob=?1 AND n BETWEEN ?2 AND ?3 ORDER BY n",
               {blob, offset / width, (offset + count - 1) / width});
  while (cursor.step()) {
    const std::string part = chunk(cursor, 1, 2);
    const std::int64_t start = cursor.integer(0) * width;
    const std::int64_t from = std::max(offset - start, std::int64_t{0});
    const std::int64_t to = std::min(offset + count - start, static_cast<std::int64_t>(part.size()));
    if (from < to) out.append(part, static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
  }
  return out;
}

// Appends lines first … last of a text whose first line has the number `number`; returns the number after its
// end.
void take_lines(std::string_view text, std::size_t number, std::size_t first, std::size_t last,
                std::string& out) {
  for (std::size_t at = 0; at < text.size() && number <= last;) {
    const std::size_t end = text.find('\n', at);
    const std::size_t next = end == std::string_view::npos ? text.size() : end + 1;
    if (number >= first) out.append(text.substr(at, next - at));
    if (end != std::string_view::npos) ++number;
    at = next;
  }
}

std::string blob_lines(Sqlite& db, std::int64_t blob, std::size_t first, std::size_t last) {
  std::string out;
  // Line `first` begins behind line end first − 1, which is in the last chunk that has fewer before it.
  const std::int64_t start =
      db.integer("SELECT max(n) FROM chunks WHERE blob=?1 AND lines<?2", {blob, sql(first - 1)});
  Cursor cursor =
      db.query("SELECT lines, codec, data FROM chunks WHERE blob=?1 AND n>=?2 AND lines<?3 ORDER BY n",
               {blob, start, sql(last)});
  while (cursor.step()) take_lines(chunk(cursor, 1, 2), cursor.natural(0) + 1, first, last, out);
  return out;
}

void find_lines(std::string_view text, std::string_view part, const Original& of, std::size_t limit,
                std::vector<OriginalHit>& hits) {
  std::size_t number = 1;
  for (std::size_t at = 0; at < text.size() && hits.size() < limit; ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (contains_folded(line, part))
      hits.push_back({of.id, of.tool, of.subject, std::string(line.substr(0, 400)), number});
    at = end + 1;
  }
}

Original original_of(const Cursor& cursor) {
  return {.id = {static_cast<std::uint32_t>(cursor.natural(0))},
          .session = cursor.text(1),
          .tool = cursor.text(2),
          .subject = cursor.text(3),
          .bytes = cursor.integer(4),
          .item = {cursor.natural(5)},
          .when = time_of(cursor.integer(6))};
}

void add_original(Sqlite& db, RecallId id, std::int64_t session, std::string_view tool,
                  std::string_view subject, std::int64_t blob, std::int64_t bytes, std::int64_t at) {
  db.run(
      "INSERT INTO originals(id, session, tool, subject, blob, bytes, at) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
      {sql(id.value), session, tool, subject, blob, bytes, at});
}

}  // namespace

std::uint64_t fast_hash(std::string_view bytes, std::uint64_t seed) {
  constexpr std::uint64_t kMix = 0x9fb21c651e98df25ULL;
  std::uint64_t hash = seed ^ (bytes.size() * 0x9e3779b97f4a7c15ULL);
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    hash = (hash ^ word) * kMix;
    hash ^= hash >> 35;
  }
  for (char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * kMix;
  return hash ^ (hash >> 28);
}

bool contains_folded(std::string_view text, std::string_view part) {
  const auto fold = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [&](char a, char b) { return fold(a) == fold(b); }) != text.end();
}

std::int64_t put_blob(Sqlite& db, std::string_view bytes) {
  const auto hash = static_cast<std::int64_t>(fast_hash(bytes, 0));
  if (const std::int64_t known = find_blob(db, hash, bytes)) return known;
  const std::int64_t blob = new_blob(db, hash, static_cast<std::int64_t>(bytes.size()));
  std::int64_t n = 0, lines = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
    const std::string_view part = bytes.substr(at, kChunk);
    put_chunk(db, blob, n++, lines, part);
    lines += line_ends(part);
  }
  return blob;
}

// Streams: a 200 MB output costs one chunk of memory. Not deduplicated, outputs of that size hardly repeat.
std::int64_t put_blob_file(Sqlite& db, int fd) {
  const std::int64_t blob = new_blob(db, 0, 0);
  std::string buffer(kChunk, '\0');
  std::int64_t n = 0, lines = 0, size = 0;
  for (std::size_t got = fill(fd, buffer); got > 0; got = fill(fd, buffer)) {
    const std::string_view part(buffer.data(), got);
    put_chunk(db, blob, n++, lines, part);
    lines += line_ends(part), size += static_cast<std::int64_t>(got);
  }
  db.run("UPDATE blobs SET size=?2 WHERE id=?1", {blob, size});
  return blob;
}

std::string get_blob(Sqlite& db, std::int64_t blob) {
  std::string out;
  Cursor cursor = db.query("SELECT codec, data FROM chunks WHERE blob=?1 ORDER BY n", {blob});
  while (cursor.step()) out += chunk(cursor, 0, 1);
  return out;
}

std::int64_t blob_size(Sqlite& db, std::int64_t blob) {
  return db.integer("SELECT size FROM blobs WHERE id=?1", {blob});
}

RecallId OriginalStore::put_original(std::string_view bytes, std::string_view tool,
                                     std::string_view subject) {
  const RecallId id = next_recall();
  put_original(id, bytes, tool, subject);
  return id;
}

void OriginalStore::put_original(RecallId id, std::string_view bytes, std::string_view tool,
                                 std::string_view subject) {
  std::lock_guard lock(impl_->mutex);
  StoreState& impl = *impl_;
  auto kept = std::make_shared<const std::string>(bytes);
  impl.fresh_originals[id.value] = kept;
  impl.write([kept, id, session = impl.current, tool = std::string(tool), subject = std::string(subject),
              at = impl.now_ms()](Sqlite& db) {
    add_original(db, id, session, tool, subject, put_blob(db, *kept), static_cast<std::int64_t>(kept->size()),
                 at);
  });
}

RecallId OriginalStore::put_original_file(const std::filesystem::path& spill, std::string_view tool,
                                          std::string_view subject) {
  std::lock_guard lock(impl_->mutex);
  StoreState& impl = *impl_;
  const RecallId id = next_recall();
  const int raw = ::open(spill.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (raw < 0) return put_original("", tool, subject);
  // The descriptor outlives the file's name, so a write that has to wait still finds its bytes.
  const std::shared_ptr<const int> fd(new int(raw), [](const int* open) { ::close(*open), delete open; });
  impl.write([fd, id, session = impl.current, tool = std::string(tool), subject = std::string(subject),
              at = impl.now_ms()](Sqlite& db) {
    ::lseek(*fd, 0, SEEK_SET);
    const std::int64_t blob = put_blob_file(db, *fd);
    add_original(db, id, session, tool, subject, blob, blob_size(db, blob), at);
  });
  return id;
}

// Results and messages with a recall id of their own and no bytes put before: the log's copy is the original.
void StoreState::bind_originals(Sqlite& db, const Item& item, std::int64_t session) const {
  constexpr const char* kInsert =
      "INSERT OR IGNORE INTO originals(id, session, tool, subject, blob, item, block, bytes, at) VALUES(?1, "
      "?2, ?3, ?4, NULL, "
      "?5, ?6, ?7, ?8)";
  const std::int64_t at = item.when.time_since_epoch().count();
  if (item.recall) {
    db.run(kInsert,
           {sql(item.recall.value), session, std::string_view(""), std::string_view(""), sql(item.id.value),
            std::int64_t{-1}, static_cast<std::int64_t>(plain_text(item).size()), at});
  }
  for (std::size_t n = 0; n < item.blocks.size(); ++n) {
    const auto* result = std::get_if<ToolResult>(&item.blocks[n]);
    if (!result || !result->recall) continue;
    db.run("UPDATE originals SET item=?2 WHERE id=?1 AND item=0",
           {sql(result->recall.value), sql(item.id.value)});
    db.run(kInsert, {sql(result->recall.value), session, std::string_view(result->tool),
                     std::string_view(result->subject), sql(item.id.value), static_cast<std::int64_t>(n),
                     static_cast<std::int64_t>(result->text.size()), at});
  }
}

std::optional<OriginalText> StoreState::find_original(RecallId id) const {
  Cursor cursor = database->query("SELECT coalesce(blob, 0), session, item, block FROM originals WHERE id=?1",
                                  {sql(id.value)});
  if (!cursor.step()) return std::nullopt;
  return OriginalText{cursor.integer(0), cursor.integer(1), cursor.natural(2), cursor.integer(3)};
}

std::string StoreState::item_text(const OriginalText& where) const {
  const LogRow row{
      .seq = 0, .ref = where.item, .session = static_cast<std::int32_t>(where.session), .kind = LogRow::item};
  const ItemPtr item = load_item(row);
  if (!item) return {};
  if (where.block < 0 || static_cast<std::size_t>(where.block) >= item->blocks.size())
    return plain_text(*item);
  const auto* result = std::get_if<ToolResult>(&item->blocks[static_cast<std::size_t>(where.block)]);
  return result ? result->text : std::string();
}

std::optional<Original> OriginalStore::original(RecallId id) const {
  return impl_->read([&](Sqlite& db) -> std::optional<Original> {
    Cursor cursor = db.query(
        "SELECT o.id, coalesce(s.uid, ''), o.tool, o.subject, o.bytes, o.item, o.at FROM originals o"
        " LEFT JOIN sessions s ON s.id=o.session WHERE o.id=?1",
        {sql(id.value)});
    if (!cursor.step()) return std::nullopt;
    return original_of(cursor);
  });
}

std::optional<std::string> OriginalStore::text(RecallId id) const {
  return impl_->read([&](Sqlite& db) -> std::optional<std::string> {
    if (const auto fresh = impl_->fresh_originals.find(id.value); fresh != impl_->fresh_originals.end())
      return *fresh->second;
    const auto where = impl_->find_original(id);
    if (!where) return std::nullopt;
    return where->blob ? get_blob(db, where->blob) : impl_->item_text(*where);
  });
}

std::optional<std::string> OriginalStore::bytes(RecallId id, std::int64_t offset, std::int64_t count) const {
  return impl_->read([&](Sqlite& db) -> std::optional<std::string> {
    offset = std::max<std::int64_t>(offset, 0), count = std::max<std::int64_t>(count, 0);
    const auto where = impl_->find_original(id);
    if (where && where->blob && count > 0) return slice(db, where->blob, offset, count);
    const auto all = text(id);
    if (!all) return std::nullopt;
    return all->substr(std::min(static_cast<std::size_t>(offset), all->size()),
                       static_cast<std::size_t>(count));
  });
}

std::optional<std::string> OriginalStore::lines(RecallId id, std::size_t first, std::size_t last) const {
  return impl_->read([&](Sqlite& db) -> std::optional<std::string> {
    const auto where = impl_->find_original(id);
    if (where && where->blob) return blob_lines(db, where->blob, std::max<std::size_t>(first, 1), last);
    const auto all = text(id);
    if (!all) return std::nullopt;
    std::string out;
    take_lines(*all, 1, first, last, out);
    return out;
  });
}

std::vector<OriginalHit> OriginalStore::search_originals(std::string_view part, RecallId only,
                                                         std::size_t limit) const {
  return impl_->read([&](Sqlite& db) {
    std::vector<Original> known;
    {
      Cursor cursor = db.query("SELECT id, '', tool, subject, bytes, item, at FROM originals WHERE id=?1",
                               {sql(only.value)});
      if (cursor.step()) known.push_back(original_of(cursor));
    }
    if (!only) known = this->originals(SIZE_MAX);
    std::vector<OriginalHit> hits;
    for (const Original& one : known) {
      if (part.empty() || hits.size() >= limit) break;
      if (const auto all = text(one.id)) find_lines(*all, part, one, limit, hits);
    }
    return hits;
  });
}

std::vector<Original> OriginalStore::originals(std::size_t newest) const {
  return impl_->read([&](Sqlite& db) {
    std::vector<Original> list;
    for (auto past = impl_->chain.rbegin(); past != impl_->chain.rend() && list.size() < newest; ++past) {
      Cursor cursor = db.query(
          "SELECT o.id, s.uid, o.tool, o.subject, o.bytes, o.item, o.at FROM originals o JOIN sessions s ON "
          "s.id=o.session"
          " WHERE o.session=?1 AND o.at<=?2 ORDER BY o.id DESC",
          {past->session, past->until_ms});
      while (list.size() < newest && cursor.step()) list.push_back(original_of(cursor));
    }
    return list;
  });
}

}  // namespace tern
