#include "tools/journal.h"
#include "tests/support/places.h"

#include <catch2/catch_test_macros.hpp>

#include "tests/tools/world.h"
#include "tools/process.h"

using namespace tern;
using namespace tern::testing;

TEST_CASE("the changes of a turn are undone, and only they") {
  World world;
  put(world.root / "a", "one\n");
  put(world.root / "b", "b\n");
  world.journal.begin_turn(1);
  world.read("a");
  world.edit("a", "one", "two");
  world.journal.begin_turn(2);
  world.edit("a", "two", "three");
  world.write("new/c", "c\n");
  auto preview = world.journal.undo(world.workspace, 2, 2, true);
  CHECK(preview.restored.size() == 1);
  CHECK(get(world.root / "a") == "three\n");
  auto report = world.journal.undo(world.workspace, 2, 2);
  CHECK(report.restored == std::vector<fs::path>{world.root / "a"});
  CHECK(report.removed == std::vector<fs::path>{world.root / "new/c"});
  CHECK(get(world.root / "a") == "two\n");
  CHECK_FALSE(fs::exists(world.root / "new/c"));
  CHECK(get(world.root / "b") == "b\n");
  world.journal.undo(world.workspace, 1, 2);
  CHECK(get(world.root / "a") == "one\n");
}

TEST_CASE("undo refuses what changed since") {
  World world;
  put(world.root / "a", "one\n");
  world.journal.begin_turn(1);
  world.read("a");
  world.edit("a", "one", "two");
  put(world.root / "a", "mine\n");
  auto report = world.journal.undo(world.workspace, 1, 1);
  REQUIRE(report.refused.size() == 1);
  CHECK(has(report.refused[0].second, "changed since"));
  CHECK(get(world.root / "a") == "mine\n");
}

TEST_CASE("before-images go to the store before the file is written") {
  World world;
  put(world.root / "a", "one\n");
  std::vector<FileChange> saved;
  JournalStore store;
  store.save = [&](const FileChange& change) {
    CHECK(get(world.root / "a") == "one\n");
    saved.push_back(change);
  };
  store.load = [&](std::uint64_t, std::uint64_t) { return saved; };
  world.journal = Journal(store, world.temp.path() / "writes");
  world.journal.begin_turn(7);
  world.read("a");
  world.edit("a", "one", "two");
  REQUIRE(saved.size() == 1);
  CHECK(saved[0].turn == 7);
  CHECK(saved[0].before == "one\n");
  CHECK(saved[0].hash_after == content_hash("two\n"));
  store.save = nullptr;
  Journal later(store, world.temp.path() / "writes");  // another process, after a crash
  CHECK(later.undo(world.workspace, 7, 7).restored.size() == 1);
  CHECK(get(world.root / "a") == "one\n");
}

TEST_CASE("what a command changed, made or removed is found and undone") {
  World world;
  put(world.root / "keep", "k\n");
  put(world.root / "changed", "before\n");
  put(world.root / "gone", "was here\n");
  fs::permissions(world.root / "gone", fs::perms(0750));
  put(world.root / ".gitignore", "*.o\n");
  world.journal.begin_turn(1);
  Scan scan = world.journal.before_command(world.workspace, world.files, "make");
  CHECK(scan.whole_tree);
  put(world.root / "changed", "after!\n");
  put(world.root / "made", "m\n");
  put(world.root / "x.o", "object");
  fs::remove(world.root / "gone");
  auto found = world.journal.after_command(world.workspace, scan, "call_1");
  CHECK(found.size() == 3);
  auto report = world.journal.undo(world.workspace, 1, 1);
  CHECK(report.refused.empty());
  CHECK(get(world.root / "changed") == "before\n");
  CHECK(get(world.root / "gone") == "was here\n");
  CHECK((fs::status(world.root / "gone").permissions() & fs::perms::mask) == fs::perms(0750));
  CHECK_FALSE(fs::exists(world.root / "made"));
  CHECK(fs::exists(world.root / "x.o"));
}

TEST_CASE("in a large tree the files that were seen or are named are watched") {
  World world;
  for (int i = 0; i < 1100; ++i) put(world.root / "many" / std::to_string(i), "x");
  put(world.root / "seen", "s\n");
  put(world.root / "named", "n\n");
  put(world.root / "unseen", "u\n");
  world.read("seen");
  world.journal.begin_turn(1);
  Scan scan = world.journal.before_command(world.workspace, world.files, "sed -i 's/n/m/' named");
  CHECK_FALSE(scan.whole_tree);
  CHECK(scan.files.size() == 2);
  for (const char* name : {"seen", "named", "unseen"}) put(world.root / name, "other\n");
  CHECK(world.journal.after_command(world.workspace, scan, "c").size() == 2);
  world.journal.undo(world.workspace, 1, 1);
  CHECK(get(world.root / "named") == "n\n");
  CHECK(get(world.root / "seen") == "s\n");
}

TEST_CASE("Bash puts what it changed into the journal") {
  set_supervisor(places::supervisor());
  World world;
  put(world.root / "a", "one\n");
  world.journal.begin_turn(1);
  world.run("Bash", {{"command", "echo two > a; echo new > made; rm -f none"}});
  CHECK(get(world.root / "a") == "two\n");
  CHECK(world.journal.changes(1, 1).size() == 2);
  world.journal.undo(world.workspace, 1, 1);
  CHECK(get(world.root / "a") == "one\n");
  CHECK_FALSE(fs::exists(world.root / "made"));
}
