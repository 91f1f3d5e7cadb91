#include "agent/store/item_codec.h"

#include <cstring>

#include "compression/values/tokens.h"

namespace tern {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kBesideTheLog = 4'096;  // media of this size go to the blob store

enum class Tag : std::uint8_t { text, thinking, call, result, image, document, summary };
enum class EditTag : std::uint8_t { replace, drop, insert, pin };
enum class EventTag : std::uint8_t { notice, compaction, turn_ended, ran };

class Writer {
 public:
  std::string bytes;
  void byte(std::uint8_t value) { bytes.push_back(static_cast<char>(value)); }
  template <class E>
  void tag(E value) {
    byte(static_cast<std::uint8_t>(value));
  }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  void integer(std::int64_t value) {
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void real(double value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof raw);
  }
  void text(std::string_view value) {
    number(value.size());
    bytes.append(value);
  }
};

// After the first damage everything reads as zero and `good` stays false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool good = true;
  bool done() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return bad();
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  template <class E>
  E tag(E last) {
    const std::uint8_t value = byte();
    if (value > static_cast<std::uint8_t>(last)) bad();
    return good ? static_cast<E>(value) : E{};
  }
  bool flag() { return byte() != 0; }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
      if (!(next & 0x80)) return value;
    }
    return bad();
  }
  std::int64_t integer() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  double real() {
    double value = 0;
    if (rest_.size() < sizeof value) return bad();
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (!good || size > rest_.size()) return bad(), std::string();
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }
  // How many elements may follow: each takes a byte at least.
  std::size_t count() {
    const std::uint64_t value = number();
    return value <= rest_.size() ? static_cast<std::size_t>(value) : bad();
  }

 private:
  std::uint8_t bad() {
    good = false;
    rest_ = {};
    return 0;
  }
  std::string_view rest_;
};

void put_media(Writer& out, const std::string& type, const std::string& bytes, const BlobStore& blobs) {
  out.text(type);
  const bool beside = blobs.put && bytes.size() >= kBesideTheLog;
  out.byte(beside);
  out.text(beside ? blobs.put(bytes) : bytes);
}

std::pair<std::string, std::string> get_media(Reader& in, const BlobStore& blobs) {
  std::string type = in.text();
  const bool beside = in.flag();
  std::string bytes = in.text();
  if (beside) bytes = blobs.get ? blobs.get(bytes).value_or("") : "";
  return {std::move(type), std::move(bytes)};
}

void put_block(Writer& out, const Block& block, const BlobStore& blobs) {
  std::visit(
      overloaded{
          [&](const Text& b) { out.tag(Tag::text), out.text(b.text); },
          [&](const Thinking& b) {
            out.tag(Tag::thinking), out.text(b.text), out.text(b.signature), out.byte(b.redacted);
          },
          [&](const ToolCall& b) {
            out.tag(Tag::call), out.text(b.id), out.text(b.name), out.text(b.arguments),
                out.text(b.signature);
          },
          [&](const ToolResult& b) {
            out.tag(Tag::result), out.text(b.call_id), out.text(b.tool), out.text(b.text);
            out.byte(b.is_error), out.text(b.subject), out.number(b.recall.value), out.tag(b.form);
          },
          [&](const Image& b) { out.tag(Tag::image), put_media(out, b.media_type, b.blob, blobs); },
          [&](const Document& b) { out.tag(Tag::document), put_media(out, b.media_type, b.blob, blobs); },
          [&](const Summary& b) {
            out.tag(Tag::summary), out.text(b.text), out.number(b.covers.first.value),
                out.number(b.covers.last.value);
          }},
      block);
}

ToolCall get_call(Reader& in) {
  ToolCall call;
  call.id = in.text(), call.name = in.text(), call.arguments = in.text(), call.signature = in.text();
  return call;
}

ToolResult get_result(Reader& in) {
  ToolResult result;
  result.call_id = in.text(), result.tool = in.text(), result.text = in.text(), result.is_error = in.flag();
  result.subject = in.text(), result.recall.value = static_cast<std::uint32_t>(in.number());
  result.form = in.tag(ResultForm::compacted);
  return result;
}

Summary get_summary(Reader& in) {
  Summary summary;
  summary.text = in.text(), summary.covers.first.value = in.number(), summary.covers.last.value = in.number();
  return summary;
}

Block get_block(Reader& in, const BlobStore& blobs) {
  switch (in.tag(Tag::summary)) {
    case Tag::text: return Text{in.text()};
    case Tag::thinking: {
      Thinking thinking;
      thinking.text = in.text(), thinking.signature = in.text(), thinking.redacted = in.flag();
      return thinking;
    }
    case Tag::call: return get_call(in);
    case Tag::result: return get_result(in);
    case Tag::image: {
      auto [type, bytes] = get_media(in, blobs);
      return Image{std::move(type), std::move(bytes)};
    }
    case Tag::document: {
      auto [type, bytes] = get_media(in, blobs);
      return Document{std::move(type), std::move(bytes)};
    }
    case Tag::summary: return get_summary(in);
  }
  return Text{};
}

void put_item(Writer& out, const Item& item, const BlobStore& blobs) {
  out.number(item.id.value);
  out.tag(item.role);
  out.integer(item.when.time_since_epoch().count());
  out.byte(static_cast<std::uint8_t>(item.pinned | item.interrupted << 1 | item.synthetic << 2));
  out.integer(item.tokens);
  out.number(item.recall.value);
  out.number(item.blocks.size());
  for (const Block& block : item.blocks) put_block(out, block, blobs);
}

Item get_item(Reader& in, const BlobStore& blobs) {
  Item item;
  item.id.value = in.number();
  item.role = in.tag(Role::assistant);
  item.when = TimePoint(std::chrono::milliseconds(in.integer()));
  const std::uint8_t flags = in.byte();
  item.pinned = flags & 1, item.interrupted = flags & 2, item.synthetic = flags & 4;
  item.tokens = in.integer();
  item.recall.value = static_cast<std::uint32_t>(in.number());
  for (std::size_t left = in.count(); left > 0 && in.good; --left)
    item.blocks.push_back(get_block(in, blobs));
  return item;
}

void put_edit(Writer& out, const Edit& edit) {
  out.number(edit.target.value);
  std::visit(overloaded{[&](const Replace& how) {
                          out.tag(EditTag::replace), out.number(how.block), put_block(out, how.with, {});
                        },
                        [&](const Drop&) { out.tag(EditTag::drop); },
                        [&](const Insert& how) { out.tag(EditTag::insert), put_item(out, *how.item, {}); },
                        [&](const Pin& how) { out.tag(EditTag::pin), out.byte(how.on); }},
             edit.how);
  out.tag(edit.why.tier), out.text(edit.why.unit), out.text(edit.why.why), out.integer(edit.saved);
}

Edit get_edit(Reader& in) {
  Edit edit;
  edit.target.value = in.number();
  switch (in.tag(EditTag::pin)) {
    case EditTag::replace: {
      Replace how;
      how.block = static_cast<std::size_t>(in.number()), how.with = get_block(in, {});
      edit.how = std::move(how);
      break;
    }
    case EditTag::drop: edit.how = Drop{}; break;
    case EditTag::insert: edit.how = Insert{std::make_shared<const Item>(get_item(in, {}))}; break;
    case EditTag::pin: edit.how = Pin{in.flag()}; break;
  }
  edit.why.tier = in.tag(Tier::truncate), edit.why.unit = in.text(), edit.why.why = in.text(),
  edit.saved = in.integer();
  return edit;
}

void put_compaction(Writer& out, const Compaction& event) {
  out.tag(EventTag::compaction), out.tag(event.phase), out.tag(event.tier), out.number(event.batch);
  out.integer(event.before), out.integer(event.after), out.number(event.items), out.number(event.originals);
  out.text(event.strategy), out.text(event.why), out.text(event.audit), out.text(event.cost),
      out.integer(event.pause_ms);
  out.number(event.touched.size());
  for (ItemId id : event.touched) out.number(id.value);
}

Compaction get_compaction(Reader& in) {
  Compaction event;
  event.phase = in.tag(CompactionPhase::redone), event.tier = in.tag(Tier::truncate),
  event.batch = in.number();
  event.before = in.integer(), event.after = in.integer(), event.items = in.number(),
  event.originals = in.number();
  event.strategy = in.text(), event.why = in.text(), event.audit = in.text(), event.cost = in.text();
  event.pause_ms = in.integer();
  for (std::size_t left = in.count(); left > 0 && in.good; --left) event.touched.push_back({in.number()});
  return event;
}

Notice get_notice(Reader& in) {
  Notice event;
  event.level = in.tag(Level::error), event.text = in.text();
  return event;
}

TurnEnded get_turn_ended(Reader& in) {
  TurnEnded event;
  event.how = in.tag(TurnEnded::How::limit), event.error = in.text();
  event.exit_code = static_cast<int>(in.integer()), event.milliseconds = in.integer();
  return event;
}

// A command that a person ran: the cell as it stood.
void put_ran(Writer& out, const ToolFinished& cell) {
  out.tag(EventTag::ran), out.text(cell.call_id), out.text(cell.tool), out.text(cell.label),
      out.text(cell.subject);
  out.text(cell.note), out.text(cell.text), out.byte(cell.is_error), out.byte(cell.exit_status.has_value());
  out.integer(cell.exit_status.value_or(0)), out.integer(cell.milliseconds), out.number(cell.recall.value);
}

ToolFinished get_ran(Reader& in) {
  ToolFinished cell;
  cell.call_id = in.text(), cell.tool = in.text(), cell.label = in.text(), cell.subject = in.text();
  cell.note = in.text(), cell.text = in.text(), cell.is_error = in.flag();
  const bool ended = in.flag();
  const auto status = static_cast<int>(in.integer());
  if (ended) cell.exit_status = status;
  cell.milliseconds = in.integer(), cell.recall = {static_cast<std::uint32_t>(in.number())};
  return cell;
}

template <class T>
std::optional<T> whole(const Reader& in, T value) {
  if (!in.good || !in.done()) return std::nullopt;
  return value;
}

}  // namespace

std::string encode(const Item& item, const BlobStore& blobs) {
  Writer out;
  out.byte(kVersion);
  put_item(out, item, blobs);
  return std::move(out.bytes);
}

std::optional<Item> decode_item(std::string_view bytes, const BlobStore& blobs) {
  Reader in(bytes);
  if (in.byte() != kVersion) return std::nullopt;
  Item item = get_item(in, blobs);
  return whole(in, std::move(item));
}

std::string encode(const Batch& batch) {
  Writer out;
  out.byte(kVersion);
  out.number(batch.id), out.number(batch.edits.size());
  for (const Edit& edit : batch.edits) put_edit(out, edit);
  return std::move(out.bytes);
}

std::optional<Batch> decode_batch(std::string_view bytes) {
  Reader in(bytes);
  if (in.byte() != kVersion) return std::nullopt;
  Batch batch;
  batch.id = in.number();
  for (std::size_t left = in.count(); left > 0 && in.good; --left) batch.edits.push_back(get_edit(in));
  return whole(in, std::move(batch));
}

std::string encode(const Event& event) {
  Writer out;
  out.byte(kVersion);
  if (const auto* notice = std::get_if<Notice>(&event)) {
    out.tag(EventTag::notice), out.tag(notice->level), out.text(notice->text);
  } else if (const auto* compaction = std::get_if<Compaction>(&event)) {
    put_compaction(out, *compaction);
  } else if (const auto* ended = std::get_if<TurnEnded>(&event)) {
    out.tag(EventTag::turn_ended), out.tag(ended->how), out.text(ended->error);
    out.integer(ended->exit_code), out.integer(ended->milliseconds);
  } else if (const auto* cell = std::get_if<ToolFinished>(&event)) {
    put_ran(out, *cell);
  } else {
    return {};
  }
  return std::move(out.bytes);
}

std::optional<Event> decode_event(std::string_view bytes) {
  Reader in(bytes);
  if (in.byte() != kVersion) return std::nullopt;
  Event event;
  switch (in.tag(EventTag::ran)) {
    case EventTag::notice: event = get_notice(in); break;
    case EventTag::compaction: event = get_compaction(in); break;
    case EventTag::turn_ended: event = get_turn_ended(in); break;
    case EventTag::ran: event = get_ran(in); break;
  }
  return whole(in, std::move(event));
}

std::string encode(const ToolResult& result) {
  Writer out;
  out.byte(kVersion);
  put_block(out, result, {});
  return std::move(out.bytes);
}

std::optional<ToolResult> decode_result(std::string_view bytes) {
  Reader in(bytes);
  if (in.byte() != kVersion) return std::nullopt;
  Block block = get_block(in, {});
  const auto* result = std::get_if<ToolResult>(&block);
  return result ? whole(in, *result) : std::nullopt;
}

}  // namespace tern
