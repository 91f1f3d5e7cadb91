// What the outside can do to a store: bits flipped, the end cut off, a newer version, a full or read-only
// disk.
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "agent/store/sqlite.h"
#include "agent/store/store.h"
#include "compression/values/tokens.h"
#include "tests/support/store_folder.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

using Folder = test::StoreFolder;

ItemPtr short_prompt(std::uint64_t id) { return test::message(id, 300); }

void fill(const Folder& folder, std::uint64_t messages) {
  auto store = folder.store();
  store->create({.name = "long talk", .cwd = {}, .model = {}});
  store->transact([&] {
    for (std::uint64_t id = 1; id <= messages; ++id) store->append(short_prompt(id));
  });
}

std::uint64_t readable(Store& store, std::uint64_t messages) {
  std::string why;
  std::uint64_t count = 0;
  for (const SessionRow& row : store.sessions()) {
    if (!store.resume(row.id, why)) continue;
    for (std::uint64_t id = 1; id <= messages; ++id) count += store.item({id}) != nullptr;
  }
  return count;
}

void overwrite(const fs::path& file, std::uint64_t at, const std::string& bytes) {
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>(at));
  out << bytes;
}

}  // namespace

TEST_CASE("store: a damaged file is never answered with an empty one") {
  constexpr std::uint64_t kMessages = 400;
  Folder original;
  fill(original, kMessages);
  const std::uint64_t size = fs::file_size(original.db());
  std::mt19937 random(7);
  const int images = std::getenv("TERN_LONG") ? 300 : 12;
  for (int n = 0; n < images; ++n) {
    Folder folder;
    fs::copy_file(original.db(), folder.db());
    switch (n < 12 ? n % 4 : n % 7) {
      case 0: overwrite(folder.db(), 0, std::string(100, '\0')); break;  // the header
      case 1: fs::resize_file(folder.db(), size * 3 / 4); break;         // the end
      case 2:
        overwrite(folder.db(), 4096 * (1 + random() % (size / 4096 - 1)), std::string(4096, '\0'));
        break;
      case 3:
        overwrite(folder.db(), 4096 * (2 + random() % (size / 4096 - 2)), std::string(64, '\xff'));
        break;
      case 4:  // single bits all over
        for (int bit = 0; bit < 20; ++bit)
          overwrite(folder.db(), 4096 + random() % (size - 4096),
                    std::string(1, static_cast<char>(random())));
        break;
      case 5:
        overwrite(folder.db(), random() % 100, std::string(1, static_cast<char>(random())));
        break;  // in the header
      case 6:
        fs::resize_file(folder.db(), 4096 * (size / 4096 * 3 / 4 + random() % (size / 4096 / 4)));
        break;
    }
    const bool unclean =
        n % 12 < 8;  // an unclean end: the whole file is checked at open; else damage is met on the way
    if (unclean) std::ofstream(folder.db().string() + "-wal") << std::string(32, 'x');
    auto store = folder.store();
    INFO("damage " << n << (store->notices().empty() ? "" : ": " + store->notices()[0]));
    const std::uint64_t left = readable(*store, kMessages);
    CHECK(left >= kMessages / 2);
    if (left == kMessages) continue;  // hit a free or index page
    if (n >= 12 && store->notices().empty())
      continue;  // a text that changed under a page that still holds together
    REQUIRE(store->notices().size() == 1);
    CHECK(store->notices()[0].find("recovered") != std::string::npos);
    CHECK(fs::exists(folder.db().string() + ".damaged-1"));
    CHECK(store->integrity() == "ok");
    CHECK(store->append(short_prompt(kMessages + 1)));
  }
}

TEST_CASE("store: one wrong byte of the header or of a table's name costs nothing") {
  constexpr std::uint64_t messages = 60;
  Folder original;
  fill(original, messages);
  std::ifstream in(original.db(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto column = bytes.find("model TEXT NOT NULL, parent INTEGER"),
             body = bytes.find("body BLOB NOT NULL");
  REQUIRE(column != bytes.npos);
  REQUIRE(body != bytes.npos);
  // Of the header: the name, the forms for writing and reading, what is reserved, the schema's form, the
  // encoding, the version.
  for (const std::uint64_t at :
       std::vector<std::uint64_t>{3, 18, 19, 20, 22, 47, 59, 63, column + 2, body + 1}) {
    INFO("byte " << at);
    Folder folder;
    fs::copy_file(original.db(), folder.db());
    overwrite(folder.db(), at, at == 63 ? std::string(1, '\0') : at == 59 ? "\2" : "M");
    auto store = folder.store();
    CHECK(readable(*store, messages) == messages);
    for (const auto& notice : store->notices())
      CHECK(notice.find("recovered 60 of 60 messages") != std::string::npos);
    CHECK(store->integrity() == "ok");
    CHECK(store->append(short_prompt(messages + 1)));
    store.reset();
    CHECK(readable(*folder.store(), messages) == messages);
  }
}

TEST_CASE(
    "store: a damaged file that another tern has open, or that no recovery has room beside, stays where it "
    "is") {
  Folder folder;
  fill(folder, 40);
  auto first = folder.store();
  overwrite(folder.db(), 0, std::string(100, '\0'));
  const auto size = fs::file_size(folder.db());
  {
    auto second = folder.store();
    REQUIRE(second->notices().size() == 1);
    CHECK(second->notices()[0].find("memory only") != std::string::npos);
  }
  first.reset();
  CHECK_FALSE(fs::exists(folder.db().string() + ".damaged-1"));
  CHECK(fs::file_size(folder.db()) == size);
  fs::create_directory(folder.db().string() + ".recovered");  // nothing can be built there
  std::ofstream(folder.db().string() + ".recovered/x") << "x";
  CHECK(folder.store()->notices().at(0).find("could not be recovered") != std::string::npos);
  CHECK(fs::file_size(folder.db()) == size);
  fs::remove_all(folder.db().string() + ".recovered");
  auto store = folder.store();
  CHECK(store->notices().at(0).find("recovered 40 of 40 messages") != std::string::npos);
  CHECK(readable(*store, 40) == 40);
  for (const char* rest : {".salvaged", ".recovered"}) CHECK_FALSE(fs::exists(folder.db().string() + rest));
}

TEST_CASE("store: a file that is no database at all is kept aside") {
  Folder folder;
  std::ofstream(folder.db()) << std::string(10'000, 'x');
  auto store = folder.store();
  CHECK(fs::file_size(folder.db().string() + ".damaged-1") == 10'000);
  store->create({});
  CHECK(store->append(short_prompt(1)));
}

TEST_CASE("store: a newer version is read and never written") {
  Folder folder;
  fill(folder, 3);
  { Sqlite(folder.db(), Sqlite::Mode::write).exec("PRAGMA user_version=99"); }
  auto store = folder.store();
  CHECK(store->read_only());
  CHECK(store->notices().at(0).find("newer") != std::string::npos);
  std::string why;
  REQUIRE(store->newest(why));
  CHECK_FALSE(store->append(short_prompt(4)));
  CHECK(store->unsaved().find("not saved") != std::string::npos);
  CHECK(store->item({4}));
}

TEST_CASE("store: when the disk refuses, everything stays in memory and is written later") {
  Folder folder;
  auto store = folder.store();
  const std::string id = store->create({}).id;
  REQUIRE(store->append(short_prompt(1)));
  struct rlimit old {};
  ::getrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit none {
    static_cast<rlim_t>(fs::file_size(folder.db().string() + "-wal")), old.rlim_max
  };
  ::setrlimit(RLIMIT_FSIZE, &none);
  CHECK_FALSE(store->append(short_prompt(2)));
  RecallId kept;
  CHECK_FALSE(store->transact([&] { kept = store->put_original("precious", "Bash", "x"); }));
  const std::string said = store->unsaved();
  const auto unsaved = store->item({2});
  const auto original = store->text(kept);
  const std::size_t in_context = store->conversation().items.size();
  ::setrlimit(RLIMIT_FSIZE, &old);
  CHECK(said.find("not saved") != std::string::npos);
  CHECK(unsaved);
  CHECK(original == "precious");
  CHECK(in_context == 2);
  CHECK(store->append(short_prompt(3)));
  CHECK(store->unsaved().empty());
  store.reset();
  store = folder.store();
  std::string why;
  CHECK(store->resume(id, why)->conversation.items.size() >= 1);
  for (std::uint64_t n = 1; n <= 3; ++n) CHECK(store->item({n}));
  CHECK(store->text(kept) == "precious");
}

TEST_CASE(
    "store: a disk that is full at the start is named, with the ways out, and the session works in memory") {
  const pid_t child = ::fork();
  if (child == 0) {  // a disk of its own needs a mount, and a mount needs a namespace of its own
    constexpr int no_mounts = 77;
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || ::mount("tmpfs", "/mnt", "tmpfs", 0, "size=40k") != 0)
      ::_exit(no_mounts);
    auto store = Store::open({.folder = "/mnt"});
    store->create({});
    const auto said = store->notices().empty() ? std::string() : store->notices()[0];
    const bool named = said.find("/mnt/tern.db") != said.npos && said.find("its disk is full") != said.npos &&
                       said.find("--state-dir") != said.npos && said.find("memory only") != said.npos;
    std::size_t left = 0;  // nothing that would look like a history that was lost when there is room again
    for (const auto& entry : fs::directory_iterator("/mnt")) left += entry.path().filename() != "tern.lock";
    ::_exit(!named ? 1 : !store->append(short_prompt(1)) ? 2 : left > 0 ? 3 : 0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WEXITSTATUS(status) == 77) SKIP("this machine allows no mounts of one's own");
  CHECK(status == 0);
}

TEST_CASE("store: a folder that cannot be used leaves a session that works in memory") {
  auto store = Store::open({.folder = "/proc/nowhere"});
  CHECK(store->notices().at(0).find("memory only") != std::string::npos);
  store->create({});
  CHECK(store->append(short_prompt(1)));
  CHECK(store->conversation().items.size() == 1);
}

TEST_CASE("store: summaries are files for people and views for sqlite3") {
  Folder folder;
  auto store = folder.store();
  store->create({});
  for (std::uint64_t id = 1; id <= 4; ++id) store->append(short_prompt(id));
  CompactionRecord record;
  record.tier = Tier::compact, record.strategy = "sections", record.summary = "all of \"it\"",
  record.index = "Demands:\n- keep it r1\nFiles: src/a.cpp r1";
  record.audit = "kept 4 of 4", record.audit_full = "- a", record.key_points = {std::string(600, 'k')};
  record.first_turn = 1, record.last_turn = 3, record.before = 400, record.after = 90;
  store->log(Batch{1, {{{1}, Drop{}, {}, 9}}}, record);
  UsageRow usage;
  usage.model = "m", usage.input = 7;
  store->add_usage(usage);
  store->idle();
  const fs::path page = folder.path / "summaries/0001.md";
  REQUIRE(fs::exists(page));
  std::ifstream in(page);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  CHECK(text.find("turns: 1-3") != std::string::npos);
  CHECK(text.find("# Index\n\nDemands:\n- keep it r1\n\nFiles: src/a.cpp r1\n") != std::string::npos);
  std::ifstream summaries_file(folder.path / "summaries.json");
  const std::string summaries(std::istreambuf_iterator<char>(summaries_file), {});
  CHECK(summaries.find(R"("tokensBefore": 400)") != std::string::npos);
  CHECK(summaries.find(std::string(500, 'k') + "…") != std::string::npos);
  Sqlite beside(folder.db(), Sqlite::Mode::read);
  CHECK(beside.integer("SELECT tokensAfter FROM summaries") == 90);
  CHECK(beside.integer("SELECT count(*) FROM compactions") == 1);
  CHECK(beside.integer("SELECT input FROM usage") == 7);
  store->undo(1);
  store->idle();
  CHECK(store->summaries().at(0).record.undone);
  std::ifstream again(page);
  CHECK(std::string(std::istreambuf_iterator<char>(again), {}).find("undone: true") != std::string::npos);
}
