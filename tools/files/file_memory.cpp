#include "tools/files/file_memory.h"

#include <algorithm>
#include <map>

namespace tern {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t keep_file = 1 << 20, keep_total = 16 << 20;
constexpr std::size_t most_views = 8;

struct Record {
  Seen seen;
  std::uint64_t order = 0;
  std::vector<ShownPage> views;
  std::vector<std::pair<std::size_t, std::size_t>> lines;  // of these bytes, that were shown
};

}  // namespace

struct FileMemory::State {
  std::map<fs::path, Record> records;
  std::size_t bytes = 0;
  std::uint64_t clock = 0;

  const Record* find(const fs::path& real) const {
    const auto found = records.find(real);
    return found == records.end() ? nullptr : &found->second;
  }
  void take(Record& record, Seen seen);
  void take(Record& record, const SawLines& shown);
  void take(Record& record, ShownPage page);
  void drop_old_bytes();
};

FileNews saw_file(const fs::path& real, const Stamp& stamp, std::string_view bytes,
                  std::optional<Encoding> encoding) {
  Seen seen{.hash = content_hash(bytes),
            .stamp = stamp,
            .encoding = encoding ? *encoding : detect(bytes).encoding,
            .bytes = {}};
  if (bytes.size() <= keep_file) seen.bytes = std::make_shared<const std::string>(bytes);
  return {real, std::move(seen)};
}

void FileMemory::State::take(Record& record, Seen seen) {
  if (record.seen.bytes) bytes -= record.seen.bytes->size();
  if (record.seen.hash != seen.hash) {
    record.lines.clear();
    record.seen.unseen = 1;
  }
  seen.unseen = record.seen.unseen;
  record.seen = std::move(seen);
  record.order = ++clock;
  if (!record.seen.bytes) return;
  bytes += record.seen.bytes->size();
  drop_old_bytes();
}

void FileMemory::State::take(Record& record, const SawLines& shown) {
  if (record.seen.unseen == 0) return;
  record.lines.emplace_back(shown.first, shown.last);
  std::sort(record.lines.begin(), record.lines.end());
  std::size_t next = 1;
  for (const auto& [from, to] : record.lines)
    if (from <= next) next = std::max(next, to + 1);
  record.seen.unseen = next > shown.total ? 0 : next;
}

void FileMemory::State::take(Record& record, ShownPage page) {
  if (page.call_id.empty()) return;
  if (record.views.size() == most_views) record.views.erase(record.views.begin());
  record.views.push_back(std::move(page));
}

void FileMemory::State::drop_old_bytes() {
  while (bytes > keep_total) {
    Record* oldest = nullptr;
    for (auto& [path, record] : records) {
      if (record.seen.bytes && (!oldest || record.order < oldest->order)) oldest = &record;
    }
    if (!oldest) return;
    bytes -= oldest->seen.bytes->size();
    oldest->seen.bytes.reset();
  }
}

FileMemory::FileMemory() : state_(std::make_shared<State>()) {}

FileMemory::State& FileMemory::own() {
  owner_.check();
  if (state_.use_count() > 1) state_ = std::make_shared<State>(*state_);
  return *state_;
}

void FileMemory::learn(FileNews news) {
  State& state = own();
  Record& record = state.records[news.real];
  std::visit([&](auto& what) { state.take(record, std::move(what)); }, news.what);
}

std::optional<Seen> FileMemory::seen(const fs::path& real) const {
  const Record* record = state_->find(real);
  if (!record || record->seen.hash.empty()) return std::nullopt;  // an image was shown: nothing to edit
  return record->seen;
}

Charset FileMemory::charset(const fs::path& real, std::string_view bytes) const {
  auto known = seen(real);
  return known && known->hash == content_hash(bytes) ? charset_as(bytes, known->encoding) : detect(bytes);
}

std::vector<fs::path> FileMemory::known() const {
  std::vector<fs::path> paths;
  for (const auto& [path, record] : state_->records) {
    if (!record.seen.hash.empty()) paths.push_back(path);
  }
  return paths;
}

std::string FileMemory::shown_by(const fs::path& real, const FileView& view) const {
  const Record* record = state_->find(real);
  if (!record) return {};
  const auto page = std::find_if(record->views.begin(), record->views.end(),
                                 [&](const auto& one) { return one.view == view; });
  return page == record->views.end() ? std::string() : page->call_id;
}

void FileMemory::forget_call(std::string_view call_id) {
  for (auto& [path, record] : own().records) {
    std::erase_if(record.views, [&](const ShownPage& page) { return page.call_id == call_id; });
  }
}

void FileMemory::forget_shown() {
  for (auto& [path, record] : own().records) record.views.clear();
}

void FileMemory::clear() { own() = {}; }

}  // namespace tern
