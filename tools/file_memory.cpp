#include "tools/file_memory.h"

#include <algorithm>

namespace tern {

namespace {

constexpr std::size_t keep_file = 1 << 20, keep_total = 16 << 20;
constexpr std::size_t most_views = 8;

}  // namespace

void FileMemory::saw(const std::filesystem::path& real, const Stamp& stamp, std::string_view bytes,
                     std::optional<Encoding> encoding) {
  if (!encoding) encoding = detect(bytes).encoding;
  std::string hash = content_hash(bytes);
  std::lock_guard lock(mutex_);
  Record& record = records_[real];
  if (record.seen.bytes) bytes_ -= record.seen.bytes->size();
  if (record.seen.hash != hash) {
    record.lines.clear();
    record.seen.unseen = 1;
  }
  record.seen = {.hash = std::move(hash), .stamp = stamp, .encoding = *encoding, .bytes = nullptr, .unseen = record.seen.unseen};
  record.order = ++clock_;
  if (bytes.size() > keep_file) return;
  record.seen.bytes = std::make_shared<const std::string>(bytes);
  bytes_ += bytes.size();
  drop_old_bytes();
}

void FileMemory::saw_lines(const std::filesystem::path& real, std::size_t first, std::size_t last, std::size_t total) {
  std::lock_guard lock(mutex_);
  Record& record = records_[real];
  if (record.seen.unseen == 0) return;
  record.lines.emplace_back(first, last);
  std::sort(record.lines.begin(), record.lines.end());
  std::size_t next = 1;
  for (const auto& [from, to] : record.lines)
    if (from <= next) next = std::max(next, to + 1);
  record.seen.unseen = next > total ? 0 : next;
}

void FileMemory::drop_old_bytes() {
  while (bytes_ > keep_total) {
    Record* oldest = nullptr;
    for (auto& [path, record] : records_) {
      if (record.seen.bytes && (!oldest || record.order < oldest->order)) oldest = &record;
    }
    if (!oldest) return;
    bytes_ -= oldest->seen.bytes->size();
    oldest->seen.bytes.reset();
  }
}

std::optional<Seen> FileMemory::seen(const std::filesystem::path& real) const {
  std::lock_guard lock(mutex_);
  auto it = records_.find(real);
  if (it == records_.end() || it->second.seen.hash.empty()) return std::nullopt;  // an image was shown: nothing to edit
  return it->second.seen;
}

Charset FileMemory::charset(const std::filesystem::path& real, std::string_view bytes) const {
  auto known = seen(real);
  return known && known->hash == content_hash(bytes) ? charset_as(bytes, known->encoding) : detect(bytes);
}

std::vector<std::filesystem::path> FileMemory::known() const {
  std::lock_guard lock(mutex_);
  std::vector<std::filesystem::path> paths;
  for (const auto& [path, record] : records_) {
    if (!record.seen.hash.empty()) paths.push_back(path);
  }
  return paths;
}

void FileMemory::shown(const std::filesystem::path& real, const View& view, const std::string& call_id) {
  if (call_id.empty()) return;
  std::lock_guard lock(mutex_);
  auto& views = records_[real].views;
  if (views.size() == most_views) views.erase(views.begin());
  views.emplace_back(view, call_id);
}

std::string FileMemory::shown_by(const std::filesystem::path& real, const View& view) const {
  std::lock_guard lock(mutex_);
  auto it = records_.find(real);
  if (it == records_.end()) return {};
  for (const auto& [one, call_id] : it->second.views) {
    if (one == view) return call_id;
  }
  return {};
}

void FileMemory::forget_call(std::string_view call_id) {
  std::lock_guard lock(mutex_);
  for (auto& [path, record] : records_) {
    std::erase_if(record.views, [&](const auto& view) { return view.second == call_id; });
  }
}

void FileMemory::forget_shown() {
  std::lock_guard lock(mutex_);
  for (auto& [path, record] : records_) record.views.clear();
}

void FileMemory::clear() {
  std::lock_guard lock(mutex_);
  records_.clear();
  bytes_ = 0;
}

}  // namespace tern
