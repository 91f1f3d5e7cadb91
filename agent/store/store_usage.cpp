// The requests table: what each request cost, and its sums by session, purpose, model and source.
#include <algorithm>

#include "agent/store/store.h"
#include "agent/store/store_db.h"

namespace tern {
namespace {

constexpr std::string_view sources_key = "sources";

void add(UsageTotal& total, const UsageTotal& more) {
  total.requests += more.requests;
  total.input += more.input;
  total.output += more.output;
  total.cache_read += more.cache_read;
  total.cache_write += more.cache_write;
  total.dollars += more.dollars;
}

UsageTotal usage_of(Sqlite& db, const Past& past, std::string_view purpose = {}) {
  Cursor row = db.query(
      "SELECT count(*), sum(input), sum(output), sum(cache_read), sum(cache_write), sum(dollars) FROM "
      "requests WHERE "
      "session=?1 AND at<=?2 AND (?3='' OR purpose=?3)",
      {past.session, past.until_ms, purpose});
  row.step();
  return {row.natural(0), row.integer(1), row.integer(2), row.integer(3), row.integer(4), row.real(5)};
}

}  // namespace

void AccountStore::add_usage(const UsageRow& row) {
  std::lock_guard lock(impl_->mutex);
  const std::int64_t at =
      row.when.time_since_epoch().count() ? row.when.time_since_epoch().count() : impl_->now_ms();
  impl_->write([row, at, session = impl_->current](Sqlite& db) {
    db.run("INSERT INTO requests VALUES(NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
           {session, sql(row.turn), std::string_view(row.provider), std::string_view(row.model),
            std::string_view(row.purpose), row.input, row.output, row.cache_read, row.cache_write,
            row.dollars, row.milliseconds, std::string_view(row.request_id), at});
    if (!row.sources.empty())
      db.run("INSERT INTO request_parts VALUES(last_insert_rowid(), ?1)",
             {std::string_view(save_sources(row.sources))});
    auto sources = load_sources(state_text(db, session, sources_key));
    for (const auto& one : sources_of(row)) add_source(sources, one);
    put_state(db, session, sources_key, save_sources(sources));
  });
}

std::vector<SourceSpend> AccountStore::spent_on() const { return load_sources(impl_->kept(sources_key)); }

std::vector<UsageRow> AccountStore::requests() const {
  return impl_->read([&](Sqlite& db) {
    std::vector<UsageRow> rows;
    // An older file that is only read has no parts.
    const bool parts =
        db.integer("SELECT count(*) FROM sqlite_schema WHERE type='table' AND name='request_parts'") > 0;
    for (const Past& past : impl_->chain) {
      Cursor row = db.query(
          parts ? "SELECT turn, provider, model, purpose, input, output, cache_read, cache_write, dollars, "
                  "milliseconds, request_id, at, coalesce(sources, '') FROM requests LEFT JOIN request_parts "
                  "ON request=id WHERE session=?1 AND at<=?2 ORDER BY id"
                : "SELECT turn, provider, model, purpose, input, output, cache_read, cache_write, dollars, "
                  "milliseconds, request_id, at, '' FROM requests WHERE session=?1 AND at<=?2 ORDER BY id",
          {past.session, past.until_ms});
      while (row.step())
        rows.push_back({row.natural(0), row.text(1), row.text(2), row.text(3), row.integer(4), row.integer(5),
                        row.integer(6), row.integer(7), row.real(8), row.integer(9), row.text(10),
                        TimePoint(std::chrono::milliseconds(row.integer(11))), load_sources(row.text(12))});
    }
    return rows;
  });
}

UsageTotal AccountStore::usage_total() const {
  return impl_->read([&](Sqlite& db) {
    UsageTotal total;
    for (const Past& past : impl_->chain) add(total, usage_of(db, past));
    return total;
  });
}

UsageTotal AccountStore::usage_for(std::string_view purpose) const {
  return impl_->read([&](Sqlite& db) {
    UsageTotal total;
    for (const Past& past : impl_->chain) add(total, usage_of(db, past, purpose));
    return total;
  });
}

UsageTotal AccountStore::spent() const {
  return impl_->read([&](Sqlite& db) { return usage_of(db, {impl_->current}); });
}

std::vector<ModelUsage> AccountStore::usage_by_model() const {
  return impl_->read([&](Sqlite& db) {
    std::vector<ModelUsage> models;
    for (const Past& past : impl_->chain) {
      Cursor row = db.query(
          "SELECT provider, model, count(*), sum(input), sum(output), sum(cache_read), sum(cache_write), "
          "sum(dollars) FROM "
          "requests WHERE session=?1 AND at<=?2 GROUP BY provider, model ORDER BY min(id)",
          {past.session, past.until_ms});
      while (row.step()) {
        const std::string provider = row.text(0), model = row.text(1);
        auto known = std::find_if(models.begin(), models.end(), [&](const ModelUsage& one) {
          return one.provider == provider && one.model == model;
        });
        if (known == models.end()) known = models.insert(known, {provider, model, {}});
        add(known->total,
            {row.natural(2), row.integer(3), row.integer(4), row.integer(5), row.integer(6), row.real(7)});
      }
    }
    return models;
  });
}

}  // namespace tern
