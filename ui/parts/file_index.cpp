#include "ui/parts/file_index.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compression/text/plain_text.h"

namespace tern {
namespace {

bool boundary(std::string_view name, std::size_t at) {
  return at == 0 || name[at - 1] == '/' || name[at - 1] == '_' || name[at - 1] == '-' ||
         name[at - 1] == '.' || name[at - 1] == ' ';
}

// Nothing: no match. The last occurrence of each letter wins towards the file name, found by matching
// backwards.
std::optional<int> score(std::string_view name, std::string_view query) {
  std::size_t at = name.size();
  int points = 0;
  std::size_t previous = name.size() + 1;
  const std::size_t base = name.rfind('/') == name.npos ? 0 : name.rfind('/') + 1;
  for (std::size_t k = query.size(); k-- > 0;) {
    while (at > 0 && lower_char(name[at - 1]) != query[k]) --at;
    if (at == 0) return std::nullopt;
    --at;
    points += 2;
    if (at + 1 == previous) points += 6;
    if (boundary(name, at)) points += 5;
    if (at >= base) points += 3;
    previous = at;
  }
  return points * 16 - static_cast<int>(std::min<std::size_t>(name.size(), 200));
}

std::uint64_t letters_of(std::string_view text) {
  std::uint64_t mask = 0;
  for (const char c : text) mask |= std::uint64_t{1} << (static_cast<unsigned char>(lower_char(c)) & 63);
  return mask;
}

}  // namespace

std::vector<FuzzyHit> fuzzy(const std::vector<std::string>& names, std::string_view query, std::size_t most) {
  std::string wanted;
  for (const char c : query)
    if (c != ' ') wanted += lower_char(c);
  const std::uint64_t letters = letters_of(wanted);
  std::vector<FuzzyHit> hits;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((letters_of(names[i]) & letters) != letters) continue;
    if (const auto points = score(names[i], wanted)) hits.push_back({i, *points});
  }
  const auto better = [](const FuzzyHit& a, const FuzzyHit& b) {
    return a.score != b.score ? a.score > b.score : a.index < b.index;
  };
  const auto end = hits.begin() + static_cast<std::ptrdiff_t>(std::min(most, hits.size()));
  std::partial_sort(hits.begin(), end, hits.end(), better);
  hits.erase(end, hits.end());
  return hits;
}

FileIndex::FileIndex(Lister lister, std::function<void()> ready)
    : lister_(std::move(lister)), ready_(std::move(ready)) {}

void FileIndex::refresh() {
  {
    std::lock_guard lock(mutex_);
    if (running_) return;
    running_ = true;
  }
  thread_ = std::jthread([this](std::stop_token stop) {
    auto names = std::make_shared<const std::vector<std::string>>(lister_(stop));
    {
      std::lock_guard lock(mutex_);
      names_ = std::move(names);
      running_ = false;
      changed_ = true;
    }
    ready_();
  });
}

bool FileIndex::listed() const {
  std::lock_guard lock(mutex_);
  return names_ != nullptr;
}

bool FileIndex::changed() {
  std::lock_guard lock(mutex_);
  return std::exchange(changed_, false);
}

std::vector<std::string> FileIndex::search(std::string_view query, std::size_t most) const {
  std::shared_ptr<const std::vector<std::string>> names;
  {
    std::lock_guard lock(mutex_);
    names = names_;
  }
  std::vector<std::string> out;
  if (!names) return out;
  for (const FuzzyHit& hit : fuzzy(*names, query, most)) out.push_back((*names)[hit.index]);
  return out;
}

}  // namespace tern
