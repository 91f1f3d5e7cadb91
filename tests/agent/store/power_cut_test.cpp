// A power cut at any step of writing: what was synced is there, of the rest any pieces. TERN_LONG=1 for the
// thousand of the long run.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "agent/store/sqlite.h"
#include "agent/store/store.h"
#include "agent/store/store_migrate.h"
#include "tests/support/recording_vfs.h"
#include "tests/support/store_folder.h"

using namespace tern;

namespace {

using CutFolder = test::StoreFolder;

// Text that does not compress, so that a message is many sectors.
ItemPtr noisy_prompt(std::uint64_t id, std::mt19937& random) {
  std::string text = "message " + std::to_string(id) + " ";
  for (int i = 0; i < 12'000; ++i) text += static_cast<char>('!' + random() % 90);
  Item item;
  item.id = {id};
  item.blocks.push_back(Text{text});
  return make_item(std::move(item));
}

int kept_prompts(Store& store, int most) {
  std::string why;
  if (!store.newest(why)) return 0;
  int there = 0;
  while (there < most && store.item({static_cast<std::uint64_t>(there + 1)})) ++there;
  return there;
}

}  // namespace

TEST_CASE("store: a power cut at any step loses nothing that was acknowledged") {
  constexpr int messages = 60;
  std::mt19937 random(11);
  CutFolder origin;
  origin.store()->create({});
  const test::RecordingVfs disk(origin.db());
  std::vector<std::size_t> acknowledged;  // how many steps were done when message n was
  {
    auto store = origin.store();
    store->create({});
    for (std::uint64_t id = 1; id <= messages; ++id) {
      REQUIRE(store->append(noisy_prompt(id, random)));
      acknowledged.push_back(disk.steps());
      if (id % 20 == 0) store->idle();  // the log goes into the database
    }
  }
  const int cuts = std::getenv("TERN_LONG") ? 1'000 : 60;
  for (int n = 0; n < cuts; ++n) {
    const std::size_t step = random() % (disk.steps() + 1);
    int said = 0;
    while (said < messages && acknowledged[static_cast<std::size_t>(said)] <= step) ++said;
    INFO("cut " << n << " behind step " << step << " of " << disk.steps() << ", " << said << " acknowledged");
    CutFolder folder;
    disk.cut(step, random, folder.db());
    auto store = folder.store();
    REQUIRE(store->notices().empty());
    REQUIRE(store->integrity() == "ok");
    REQUIRE(kept_prompts(*store, messages) >= said);
    REQUIRE(store->append(noisy_prompt(100, random)));
  }
}

TEST_CASE("store: a power cut at any step of an upgrade leaves the old version or the new one, whole") {
  CutFolder origin;
  {
    auto store = origin.store();
    store->create({});
    for (std::uint64_t id = 1; id <= 5; ++id) store->append(test::message(id, 3'000));
  }
  const auto version = [](const std::filesystem::path& file) {
    return Sqlite(file, Sqlite::Mode::write).integer("PRAGMA user_version");
  };
  const auto now = version(origin.db());
  std::vector<const char*> steps(static_cast<std::size_t>(now), "");
  steps.push_back("ALTER TABLE sessions ADD COLUMN extra TEXT; UPDATE sessions SET extra='x'");
  steps.push_back("CREATE TABLE more(a); INSERT INTO more SELECT body FROM log");
  const test::RecordingVfs disk(origin.db());
  {
    Sqlite db(origin.db(), Sqlite::Mode::write);
    migrate(db, origin.db(), steps);
  }
  std::mt19937 random(12);
  REQUIRE(disk.steps() > 5);
  for (std::size_t step = 0; step <= disk.steps(); ++step) {
    INFO("cut behind step " << step << " of " << disk.steps());
    CutFolder folder;
    disk.cut(step, random, folder.db());
    const auto left = version(folder.db());
    REQUIRE((left == now || left == now + 2));
    Sqlite db(folder.db(), Sqlite::Mode::read);
    REQUIRE(db.integer("SELECT count(*) FROM log WHERE kind=0") == 5);
    if (left == now + 2) REQUIRE(db.integer("SELECT count(*) FROM more") >= 5);
    REQUIRE((step < disk.steps() || left == now + 2));
  }
}
