#include "agent/store/store_versions.h"

namespace tern {
namespace {

// Every table has a number of columns of its own: when a damaged file has lost its schema, the rows still
// tell what they were.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE counters(name TEXT PRIMARY KEY, next INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counters VALUES('recall', 1), ('indexed', 0);
CREATE TABLE sessions(
  id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  named INTEGER NOT NULL, cwd TEXT NOT NULL, model TEXT NOT NULL, parent INTEGER, parent_seq INTEGER,
  created INTEGER NOT NULL, updated INTEGER NOT NULL, first_prompt TEXT NOT NULL, turns INTEGER NOT NULL,
  last_item INTEGER NOT NULL);
CREATE TABLE log(
  seq INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL, kind INTEGER NOT NULL,
  ref INTEGER NOT NULL, flags INTEGER NOT NULL, at INTEGER NOT NULL, codec INTEGER NOT NULL,
  body BLOB NOT NULL);
CREATE INDEX log_ref ON log(session, kind, ref, flags);
CREATE TABLE calls(
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, call_id TEXT NOT NULL, item INTEGER NOT NULL DEFAULT 0,
  tool TEXT NOT NULL, label TEXT NOT NULL, subject TEXT NOT NULL, at INTEGER NOT NULL,
  done INTEGER NOT NULL DEFAULT 0, note TEXT NOT NULL DEFAULT '', diff BLOB,
  diff_codec INTEGER NOT NULL DEFAULT 0, exit_status INTEGER, milliseconds INTEGER NOT NULL DEFAULT 0,
  result BLOB);
CREATE INDEX calls_id ON calls(session, call_id);
CREATE INDEX calls_item ON calls(session, item);
CREATE TABLE partials(session INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE blobs(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE INDEX blobs_hash ON blobs(hash, size);
CREATE TABLE chunks(
  id INTEGER PRIMARY KEY, blob INTEGER NOT NULL REFERENCES blobs(id), n INTEGER NOT NULL,
  lines INTEGER NOT NULL, codec INTEGER NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX chunks_n ON chunks(blob, n, lines);
CREATE TABLE originals(
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, tool TEXT NOT NULL, subject TEXT NOT NULL, blob INTEGER,
  item INTEGER NOT NULL DEFAULT 0, block INTEGER NOT NULL DEFAULT -1, bytes INTEGER NOT NULL,
  at INTEGER NOT NULL);
CREATE TABLE batches(
  session INTEGER NOT NULL, batch INTEGER NOT NULL, tier TEXT NOT NULL, strategy TEXT NOT NULL,
  model TEXT NOT NULL, why TEXT NOT NULL, audit TEXT NOT NULL, cost TEXT NOT NULL, summary TEXT NOT NULL,
  facts TEXT NOT NULL, key_points TEXT NOT NULL, audit_full TEXT NOT NULL, first_turn INTEGER NOT NULL,
  last_turn INTEGER NOT NULL, before INTEGER NOT NULL, after INTEGER NOT NULL, items INTEGER NOT NULL,
  originals INTEGER NOT NULL, dollars REAL NOT NULL, pause_ms INTEGER NOT NULL, at INTEGER NOT NULL,
  undone INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(session, batch));
CREATE TABLE requests(
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, turn INTEGER NOT NULL, provider TEXT NOT NULL,
  model TEXT NOT NULL, purpose TEXT NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, dollars REAL NOT NULL,
  milliseconds INTEGER NOT NULL, request_id TEXT NOT NULL, at INTEGER NOT NULL);
CREATE INDEX requests_session ON requests(session);
CREATE TABLE drafts(
  session INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, answer TEXT NOT NULL,
  model TEXT NOT NULL, strategy TEXT NOT NULL, prefix_hash TEXT NOT NULL, dollars REAL NOT NULL,
  complete INTEGER NOT NULL);
CREATE TABLE grants(
  session INTEGER NOT NULL, rule TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(session, rule));
CREATE TABLE prompts(id INTEGER PRIMARY KEY, text TEXT NOT NULL, at INTEGER NOT NULL);
CREATE TABLE changes(
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, turn INTEGER NOT NULL, call_id TEXT NOT NULL,
  path TEXT NOT NULL, before INTEGER, mode INTEGER NOT NULL, hash_before TEXT NOT NULL,
  hash_after TEXT NOT NULL, by_command INTEGER NOT NULL, at INTEGER NOT NULL);
CREATE INDEX changes_turn ON changes(session, turn);
CREATE TABLE state(
  session INTEGER NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
  PRIMARY KEY(session, key)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(text, content='', detail=none, columnsize=0, tokenize='trigram');
CREATE VIEW summaries AS
  SELECT row_number() OVER (ORDER BY b.rowid) AS number, s.uid AS session,
    strftime('%Y-%m-%dT%H:%M:%SZ', b.at / 1000, 'unixepoch') AS timestamp, b.first_turn AS firstTurn,
    b.last_turn AS lastTurn, b.summary AS content, b.key_points AS keyPoints, b.before AS tokensBefore,
    b.after AS tokensAfter, b.strategy, b.model, b.dollars AS cost, b.undone
  FROM batches b JOIN sessions s ON s.id = b.session WHERE b.summary <> '' ORDER BY b.rowid;
CREATE VIEW compactions AS
  SELECT s.uid AS session, b.batch, strftime('%Y-%m-%dT%H:%M:%SZ', b.at / 1000, 'unixepoch') AS timestamp,
    b.tier, b.strategy, b.model, b.before AS tokensBefore, b.after AS tokensAfter, b.items, b.originals,
    b.dollars AS cost, b.pause_ms, b.why, b.audit, b.undone
  FROM batches b JOIN sessions s ON s.id = b.session WHERE b.tier <> 'none' ORDER BY b.rowid;
CREATE VIEW usage AS
  SELECT s.uid AS session, r.turn, strftime('%Y-%m-%dT%H:%M:%SZ', r.at / 1000, 'unixepoch') AS timestamp,
    r.provider, r.model, r.purpose, r.input, r.output, r.cache_read, r.cache_write, r.dollars,
    r.milliseconds, r.request_id
  FROM requests r JOIN sessions s ON s.id = r.session ORDER BY r.id;
)sql";

constexpr const char* kVersion2 = R"sql(
ALTER TABLE batches ADD COLUMN messages_before INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batches ADD COLUMN messages_after INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batches ADD COLUMN boundary INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batches ADD COLUMN boundary_score INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batches ADD COLUMN cause TEXT NOT NULL DEFAULT '';
ALTER TABLE batches ADD COLUMN specifics INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batches ADD COLUMN specifics_kept INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batches ADD COLUMN sentences INTEGER NOT NULL DEFAULT 0;
ALTER TABLE batches ADD COLUMN sentences_kept INTEGER NOT NULL DEFAULT 0;
DROP VIEW summaries;
CREATE VIEW summaries AS
  SELECT row_number() OVER (ORDER BY b.rowid) AS number, s.uid AS session,
    strftime('%Y-%m-%dT%H:%M:%SZ', b.at / 1000, 'unixepoch') AS timestamp, b.first_turn AS firstTurn,
    b.last_turn AS lastTurn, b.summary AS content, b.key_points AS keyPoints, b.before AS tokensBefore,
    b.after AS tokensAfter, b.messages_before AS messagesBefore, b.messages_after AS messagesAfter,
    b.boundary, b.boundary_score AS boundaryScore, b.cause, b.strategy, b.model, b.dollars AS cost,
    b.pause_ms AS pauseMs, b.undone
  FROM batches b JOIN sessions s ON s.id = b.session WHERE b.summary <> '' ORDER BY b.rowid;
DROP VIEW compactions;
CREATE VIEW compactions AS
  SELECT s.uid AS session, b.batch, strftime('%Y-%m-%dT%H:%M:%SZ', b.at / 1000, 'unixepoch') AS timestamp,
    b.tier, b.strategy, b.model, b.first_turn AS firstTurn, b.last_turn AS lastTurn,
    b.before AS tokensBefore, b.after AS tokensAfter, b.messages_before AS messagesBefore,
    b.messages_after AS messagesAfter, b.items, b.originals, b.dollars AS cost, b.pause_ms, b.cause, b.why,
    b.audit, b.undone
  FROM batches b JOIN sessions s ON s.id = b.session WHERE b.tier <> 'none' ORDER BY b.rowid;
)sql";

// Tokens of each request by source. A table of its own, because the salvage of a damaged file tells rows of
// `requests` by their columns.
constexpr const char* kVersion3 = R"sql(
CREATE TABLE request_parts(request INTEGER PRIMARY KEY, sources TEXT NOT NULL);
)sql";

}  // namespace

const std::vector<const char*>& migrations() {
  static const std::vector<const char*> all = {kVersion1, kVersion2, kVersion3};
  return all;
}

}  // namespace tern
