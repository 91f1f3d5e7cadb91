// A fork shares what came before it: not only the messages, also originals, file changes, costs, compactions
// and pins.
#include <catch2/catch_test_macros.hpp>

#include "agent/store/store.h"
#include "compression/values/context_edit.h"
#include "tests/support/store_folder.h"
#include "tools/files/journal.h"

using namespace tern;

namespace {

struct ForkedStore {
  test::TempDir dir;
  std::int64_t now_ms = 1'000;
  std::unique_ptr<Store> store = open();
  std::string parent = store->create({.name = "parent", .cwd = "/src", .model = "demo/demo"}).id;

  std::unique_ptr<Store> open() {
    return Store::open(
        {.folder = dir.path(), .now = [this] { return TimePoint(std::chrono::milliseconds(++now_ms)); }});
  }
  // One turn with an answer, a file change, a request, an original and a compaction.
  RecallId turn(std::uint64_t item, const std::string& file) {
    Item prompt;
    prompt.id = {item}, prompt.when = TimePoint(std::chrono::milliseconds(++now_ms));
    prompt.blocks.push_back(Text{"prompt " + file});
    store->append(make_item(std::move(prompt)));
    store->add_change({.turn = item,
                       .call_id = "c",
                       .path = file,
                       .before = "was\n",
                       .hash_before = "1",
                       .hash_after = "2"});
    store->add_usage(
        {.turn = item, .provider = "p", .model = "m", .purpose = "turn", .input = 100, .dollars = 0.5});
    CompactionRecord record;
    record.tier = Tier::micro, record.batch = store->next_batch(), record.strategy = file;
    store->log({record.batch, {}}, record);
    return store->put_original("needle of " + file + "\n", "Bash", file);
  }
  std::vector<std::string> files_since(std::uint64_t item) const {
    std::vector<std::string> files;
    for (const FileChange& change : store->changes(item, UINT64_MAX)) files.push_back(change.path.string());
    return files;
  }
  std::vector<std::string> found() const {
    std::vector<std::string> subjects;
    for (const OriginalHit& hit : store->search_originals("needle")) subjects.push_back(hit.subject);
    return subjects;
  }
  void resume(const std::string& id) {
    std::string why;
    REQUIRE(store->resume(id, why));
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE(
    "fork: originals, changes, costs and compactions from before it are there, later ones of the parent are "
    "not") {
  ForkedStore world;
  Store& store = *world.store;
  world.turn(1, "before.txt");
  const std::string fork = store.fork("copy").id;
  CHECK(world.files_since(0) == Names{"before.txt"});
  CHECK(world.found() == Names{"before.txt"});
  CHECK(store.originals().size() == 1);
  CHECK(store.usage_total().requests == 1);
  CHECK(store.usage_by_model().size() == 1);
  CHECK(store.compactions().size() == 1);

  world.turn(3, "fork.txt");
  world.resume("parent");
  world.turn(3, "parent.txt");
  CHECK(world.files_since(0) == Names{"before.txt", "parent.txt"});
  CHECK(store.usage_total().requests == 2);

  world.resume(fork);
  CHECK(world.files_since(0) == Names{"before.txt", "fork.txt"});
  CHECK(world.files_since(2) == Names{"fork.txt"});
  CHECK(world.found() == Names{"fork.txt", "before.txt"});
  CHECK(store.usage_total().requests == 2);
  CHECK(store.usage_total().dollars == 1.0);
  REQUIRE(store.usage_by_model().size() == 1);
  CHECK(store.usage_by_model()[0].total.input == 200);
  REQUIRE(store.compactions().size() == 2);
  CHECK(store.compactions()[1].strategy == "fork.txt");
  // What was spent is added up over sessions: there a fork counts its own part only.
  CHECK(store.spent().requests == 1);
}

TEST_CASE("fork: a copy of a copy has both pasts, also after a restart") {
  ForkedStore world;
  world.turn(1, "one.txt");
  world.store->fork("second");
  world.turn(3, "two.txt");
  const std::string third = world.store->fork("third").id;
  world.turn(5, "three.txt");
  world.store.reset();
  world.store = world.open();
  world.resume(third);
  CHECK(world.files_since(0) == Names{"one.txt", "two.txt", "three.txt"});
  CHECK(world.store->usage_total().requests == 3);
  CHECK(world.store->compactions().size() == 3);
}

TEST_CASE("fork: pins and tasks are copied, and what either side changes later is its own") {
  ForkedStore world;
  Store& store = *world.store;
  world.turn(1, "one.txt");
  store.add_pin({.kind = "sentence", .what = "always use tabs", .text = "always use tabs"});
  store.set_state("todos", "old");
  const std::string fork = store.fork("copy").id;
  REQUIRE(store.pins().size() == 1);
  store.remove_pin(store.pins()[0].id);
  CHECK(store.pins().empty());
  CHECK(store.state("todos") == "old");
  world.resume("parent");
  CHECK(store.pins().size() == 1);
  store.set_state("todos", "new");
  world.resume(fork);
  CHECK(store.state("todos") == "old");
}

TEST_CASE("fork: what a compaction of the parent did is undone in the fork alone") {
  ForkedStore world;
  Store& store = *world.store;
  world.turn(1, "one.txt");
  const auto batch = store.compactions().at(0).batch;
  const std::string fork = store.fork("copy").id;
  REQUIRE(store.undo(batch));
  CHECK(store.compactions().at(0).undone);
  world.resume("parent");
  CHECK_FALSE(store.compactions().at(0).undone);
  world.resume(fork);
  CHECK(store.compactions().at(0).undone);
}

TEST_CASE("rewind points count every file changed from the prompt on") {
  ForkedStore world;
  Store& store = *world.store;
  world.turn(1, "one.txt");
  Item quiet;
  quiet.id = {3}, quiet.blocks.push_back(Text{"only a question"});
  store.append(make_item(std::move(quiet)));
  world.turn(5, "two.txt");
  world.turn(7, "one.txt");
  auto points = store.rewind_points();
  REQUIRE(points.size() == 4);
  CHECK(points[0].files_since == 1);
  CHECK(points[1].files_since == 2);
  CHECK(points[2].files_since == 2);
  CHECK(points[3].files_since == 2);
  CHECK(points[2].files_changed == 0);
  CHECK(points[3].files_changed == 1);
  store.fork("copy");
  points = store.rewind_points();
  REQUIRE(points.size() == 4);
  CHECK(points[3].files_since == 2);
}
