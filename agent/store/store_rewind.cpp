// Going back to an earlier prompt, and coming back from there: the log keeps both as rows, only the visible
// rows change.
#include <algorithm>
#include <map>
#include <set>

#include "agent/protocol/local_time.h"
#include "agent/store/store.h"
#include "agent/store/store_db.h"
#include "compression/text/utf8.h"

namespace tern {
namespace {

std::string beginning(std::string text) {
  constexpr std::size_t most = 500;
  if (text.size() > most) text.resize(utf8_floor(text, most));
  return text;
}

}  // namespace

void StoreState::show(const LogRow& row) {
  if (row.kind == LogRow::rewound) return cut(row);
  if (row.kind == LogRow::returned) return uncut();
  const bool quiet = row.kind == LogRow::event || (row.kind == LogRow::batch && (row.flags & LogRow::quiet));
  // What was said or compacted since stands on the shorter conversation: the rest does not fit on it any
  // more.
  if (!quiet) std::erase_if(cuts, [](const Cut& one) { return !(one.row.flags & LogRow::files_only); });
  rows.push_back(row);
}

void StoreState::cut(const LogRow& row) {
  Cut one{.row = row, .files = {}, .at = rows.size(), .rest = {}};
  const LogRow* found = row.flags & LogRow::files_only ? nullptr : find(LogRow::item, row.ref);
  if (found) {
    one.at = static_cast<std::size_t>(found - rows.data());
    one.rest.assign(rows.begin() + static_cast<std::ptrdiff_t>(one.at), rows.end());
    rows.resize(one.at);
    count_turns();
  }
  cuts.push_back(std::move(one));
}

void StoreState::uncut() {
  if (cuts.empty()) return;
  const Cut one = std::move(cuts.back());
  cuts.pop_back();
  const auto at = static_cast<std::ptrdiff_t>(std::min(one.at, rows.size()));
  rows.insert(rows.begin() + at, one.rest.begin(), one.rest.end());
  count_turns();
}

void StoreState::count_turns() {
  turns = static_cast<std::uint64_t>(
      std::count_if(rows.begin(), rows.end(), [](const LogRow& row) { return row.flags & LogRow::turn; }));
}

Conversation LogStore::rewind(const Rewound& what) {
  std::lock_guard lock(impl_->mutex);
  if (!impl_->find(LogRow::item, what.item.value)) return conversation();
  impl_->add_row(LogRow::rewound, what.item.value, what.conversation ? 0 : LogRow::files_only, what.files);
  impl_->cuts.back().files = what.files;
  return conversation();
}

std::optional<Rewound> LogStore::rewound() const {
  std::lock_guard lock(impl_->mutex);
  if (impl_->cuts.empty()) return std::nullopt;
  const Cut& last = impl_->cuts.back();
  return Rewound{{last.row.ref}, !(last.row.flags & LogRow::files_only), last.files};
}

Conversation LogStore::unrewind() {
  std::lock_guard lock(impl_->mutex);
  if (!impl_->cuts.empty()) impl_->add_row(LogRow::returned, impl_->cuts.back().row.ref, 0, {});
  return conversation();
}

std::vector<RewindPoint> LogStore::rewind_points() const {
  return impl_->read([&](Sqlite& db) {
    std::multimap<std::uint64_t, std::string> changed;  // the newest turn last
    for (const Past& past : impl_->chain) {
      Cursor change = db.query("SELECT DISTINCT turn, path FROM changes WHERE session=?1 AND at<=?2",
                               {past.session, past.until_ms});
      while (change.step()) changed.emplace(change.natural(0), change.text(1));
    }
    const TimePoint now{std::chrono::milliseconds(impl_->now_ms())};
    std::vector<RewindPoint> list;
    std::set<std::string> since;
    auto next = changed.rbegin();
    for (auto row = impl_->rows.rbegin(); row != impl_->rows.rend(); ++row) {
      if (row->kind != LogRow::item || !(row->flags & LogRow::turn)) continue;
      const ItemPtr item = impl_->load_item(*row);
      if (!item) continue;
      for (; next != changed.rend() && next->first >= row->ref; ++next) since.insert(next->second);
      list.push_back({.item = item->id,
                      .text = beginning(plain_text(*item)),
                      .when = time_ago(item->when, now),
                      .files_changed = static_cast<int>(changed.count(row->ref)),
                      .files_since = static_cast<int>(since.size())});
    }
    return list;
  });
}

}  // namespace tern
