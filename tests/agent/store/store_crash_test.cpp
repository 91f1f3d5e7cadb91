// What a crash of the machine can leave of a store, and what several processes do to one: the log is cut
// after every frame of the write-ahead log, two programs write at once, an older file is opened. TERN_LONG=1
// for the long runs.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "agent/store/sqlite.h"
#include "agent/store/store.h"
#include "agent/store/store_migrate.h"
#include "compression/values/tokens.h"
#include "tests/support/store_folder.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

using Folder = test::StoreFolder;

ItemPtr long_prompt(std::uint64_t id) { return test::message(id, 3'000); }

bool long_run() { return std::getenv("TERN_LONG") != nullptr; }

// Where commits of a write-ahead log end: the offset behind each frame that closes a transaction.
std::vector<std::uint64_t> commit_ends(const std::string& wal) {
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
      value = value << 8 | static_cast<unsigned char>(wal[at + static_cast<std::size_t>(i)]);
    return value;
  };
  std::vector<std::uint64_t> ends;
  const std::size_t frame = 24 + number(8);
  for (std::size_t at = 32; at + frame <= wal.size(); at += frame)
    if (number(at + 4) != 0) ends.push_back(at + frame);
  return ends;
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// How many of the messages 1, 2, 3 … are there without a gap; −1 = there is a gap.
int whole_prefix(Store& store, int most) {
  std::string why;
  if (!store.newest(why)) return 0;
  int there = 0;
  while (there < most && store.item({static_cast<std::uint64_t>(there + 1)})) ++there;
  for (int id = there + 1; id <= most; ++id)
    if (store.item({static_cast<std::uint64_t>(id)})) return -1;
  return there;
}

}  // namespace

TEST_CASE(
    "store: a log cut anywhere opens with a whole prefix, and with all that was committed before the cut") {
  constexpr int messages = 12;
  Folder origin;
  std::string database, wal;
  {
    auto store = origin.store();
    store->create({});
    for (std::uint64_t id = 1; id <= messages; ++id) REQUIRE(store->append(long_prompt(id)));
    database = bytes_of(origin.db()), wal = bytes_of(origin.wal());  // as a power cut would leave them
  }
  const auto ends = commit_ends(wal);
  REQUIRE(ends.size() >= messages);
  std::vector<std::uint64_t> cuts;
  for (std::uint64_t at = 32; at <= wal.size(); at += 4120) cuts.push_back(at);  // at each frame
  for (std::uint64_t at = 0; at < wal.size(); at += 10'000)
    cuts.push_back(at + 17);  // and in the middle of some
  int best = 0;
  for (const auto cut : cuts) {
    for (const bool torn : {false, true}) {  // the end is missing, or holds what was on the disk before
      Folder folder;
      std::ofstream(folder.db(), std::ios::binary) << database;
      std::ofstream(folder.wal(), std::ios::binary)
          << wal.substr(0, cut)
          << (torn ? std::string(
                         std::min<std::size_t>(wal.size() - std::min<std::size_t>(cut, wal.size()), 4'096),
                         '\x5a')
                   : "");
      auto store = folder.store();
      INFO("cut at " << cut << " of " << wal.size() << (torn ? ", torn" : ""));
      REQUIRE(store->notices().empty());
      REQUIRE(store->integrity() == "ok");
      const int there = whole_prefix(*store, messages);
      const auto committed = std::count_if(ends.begin(), ends.end(), [&](auto end) { return end <= cut; });
      REQUIRE(there >= 0);
      REQUIRE(there >= static_cast<int>(committed) - static_cast<int>(ends.size() - messages));
      best = std::max(best, there);
      REQUIRE(store->append(long_prompt(100)));
    }
  }
  CHECK(best == messages);
}

TEST_CASE(
    "store: two processes write to one project at the same time, nothing is lost and nobody sees a lock") {
  const std::uint64_t rows = long_run() ? 10'000 : 400;
  Folder folder;
  { folder.store(); }
  std::vector<pid_t> children;
  for (int who = 0; who < 2; ++who) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto store = folder.store();
      bool good = store->notices().empty();
      store->create({.name = "writer " + std::to_string(who), .cwd = {}, .model = {}});
      for (std::uint64_t id = 1; id <= rows && good; ++id)
        good = store->append(long_prompt(id)) && store->unsaved().empty() && store->next_recall();
      if (!good) ::fprintf(stderr, "writer %d: %s\n", who, store->unsaved().c_str());
      store.reset();
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  auto store = folder.store();
  CHECK(store->notices().empty());
  CHECK(store->integrity() == "ok");
  REQUIRE(store->sessions().size() == 2);
  std::string why;
  for (const SessionRow& row : store->sessions()) {
    CHECK(row.turns == rows);
    REQUIRE(store->resume(row.id, why));
    std::uint64_t there = 0;
    for (std::uint64_t id = 1; id <= rows; ++id) there += store->item({id}) != nullptr;
    CHECK(there == rows);
  }
}

TEST_CASE("store: two that make the file at the same moment share one") {
  for (int round = 0; round < 20; ++round) {
    Folder folder;
    std::vector<pid_t> children;
    for (int who = 0; who < 4; ++who) {
      const pid_t child = ::fork();
      if (child == 0) {
        auto store = folder.store();
        store->create({});
        const bool good = store->append(long_prompt(1)) && store->notices().empty();
        store.reset();
        ::_exit(good ? 0 : 1);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = 0;
      ::waitpid(child, &status, 0);
      CHECK(status == 0);
    }
    CHECK(folder.store()->sessions().size() == 4);
    for (const auto& file : fs::directory_iterator(folder.path))
      CHECK(file.path().filename().string().find(".new-") == std::string::npos);
  }
}

TEST_CASE("store: a write that fails at any moment is kept and stored once there is room") {
  // The file system refuses from a random size on, as a full disk does; then it has room again.
  for (int step = 0; step < (long_run() ? 200 : 30); ++step) {
    Folder folder;
    auto store = folder.store();
    const std::string id = store->create({}).id;
    for (std::uint64_t n = 1; n <= 4; ++n) REQUIRE(store->append(long_prompt(n)));
    struct rlimit old {};
    ::getrlimit(RLIMIT_FSIZE, &old);
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit tight {
      static_cast<rlim_t>(fs::file_size(folder.wal()) + static_cast<unsigned>(step) * 701), old.rlim_max
    };
    ::setrlimit(RLIMIT_FSIZE, &tight);
    for (std::uint64_t n = 5; n <= 10; ++n) store->append(long_prompt(n));
    const bool waiting = !store->unsaved().empty();
    int in_memory = 0;
    for (std::uint64_t n = 1; n <= 10; ++n) in_memory += store->item({n}) != nullptr;
    ::setrlimit(RLIMIT_FSIZE, &old);
    INFO("step " << step << (waiting ? ", waiting" : ""));
    REQUIRE(in_memory == 10);
    REQUIRE(store->retry());
    store = folder.store();
    std::string why;
    REQUIRE(store->resume(id, why));
    for (std::uint64_t n = 1; n <= 10; ++n) REQUIRE(store->item({n}));
    REQUIRE(store->integrity() == "ok");
  }
}

TEST_CASE("store: a file of an older version is copied before it becomes a newer one") {
  Folder folder;
  {
    auto store = folder.store();
    store->create({.name = "old talk", .cwd = {}, .model = {}});
    for (std::uint64_t id = 1; id <= 5; ++id) store->append(long_prompt(id));
  }
  const auto version = [](const fs::path& file) {
    return Sqlite(file, Sqlite::Mode::read).integer("PRAGMA user_version");
  };
  const auto messages = [](const fs::path& file) {
    return Sqlite(file, Sqlite::Mode::read).integer("SELECT count(*) FROM log WHERE kind=0");
  };
  const auto now = version(folder.db());
  const fs::path copy = folder.db().string() + ".backup-v" + std::to_string(now);
  {
    auto store = folder.store();
    CHECK(store->notices().empty());
    CHECK(whole_prefix(*store, 5) == 5);
    CHECK_FALSE(fs::exists(copy));  // nothing to change
  }
  std::vector<const char*> steps(static_cast<std::size_t>(now), "");
  auto broken = steps;
  broken.push_back("CREATE TABLE extra(a); INSERT INTO nowhere VALUES(1)");
  {  // a step that fails half way leaves everything as it was
    Sqlite db(folder.db(), Sqlite::Mode::write);
    CHECK_THROWS_AS(migrate(db, folder.db(), broken), SqliteError);
  }
  CHECK(version(folder.db()) == now);
  CHECK(messages(folder.db()) == 5);
  CHECK(messages(copy) == 5);
  steps.push_back("ALTER TABLE sessions ADD COLUMN extra TEXT");
  steps.push_back("CREATE TABLE more(a)");
  {
    Sqlite db(folder.db(), Sqlite::Mode::write);
    migrate(db, folder.db(), steps);
    migrate(db, folder.db(), steps);
  }
  CHECK(version(folder.db()) == now + 2);
  CHECK(messages(folder.db()) == 5);
  CHECK(version(copy) == now);
  CHECK((fs::status(copy).permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("store: a file that counted no messages becomes one that does, and can be looked at as it is") {
  Folder folder;
  CompactionRecord record;
  record.tier = Tier::compact, record.strategy = "sections", record.summary = "what was done",
  record.pause_ms = 40;
  {
    auto store = folder.store();
    store->create({.name = "old talk", .cwd = {}, .model = {}});
    store->append(long_prompt(1));
    record.batch = store->next_batch();
    store->log({record.batch, {}}, record);
  }
  {  // as the first version had it
    Sqlite db(folder.db(), Sqlite::Mode::write);
    db.exec("DROP VIEW summaries; DROP VIEW compactions");
    for (const char* column : {"messages_before", "messages_after", "boundary", "boundary_score", "cause",
                               "specifics", "specifics_kept", "sentences", "sentences_kept"})
      db.exec("ALTER TABLE batches DROP COLUMN " + std::string(column));
    db.exec(
        "CREATE VIEW summaries AS SELECT batch FROM batches; CREATE VIEW compactions AS SELECT batch FROM "
        "batches");
    db.exec("PRAGMA user_version=1");
  }
  {
    const auto beside = folder.store(true);
    std::string why;
    beside->newest(why);
    REQUIRE(beside->compactions().size() == 1);
    CHECK(beside->compactions().front().pause_ms == 40);
    CHECK(beside->summaries().front().record.summary == "what was done");
  }
  std::string why;
  auto store = folder.store();
  REQUIRE(store->newest(why));
  record.batch = store->next_batch(), record.messages_before = 40, record.messages_after = 12,
  record.cause = Cause::overflow;
  record.boundary = 25, record.boundary_score = 230;
  store->log({record.batch, {}}, record);
  const auto rows = store->compactions();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].messages_before == 0);
  CHECK(rows[1].messages_before == 40);
  CHECK(rows[1].messages_after == 12);
  CHECK(rows[1].boundary == 25);
  CHECK(rows[1].boundary_score == 230);
  CHECK(rows[1].cause == Cause::overflow);
  CHECK(Sqlite(folder.db(), Sqlite::Mode::read)
            .integer("SELECT messagesBefore FROM summaries WHERE number=2") == 40);
}
