// The end of a session whose history takes nothing more: a copy that opens again, or a plain word.
#include <signal.h>
#include <sys/resource.h>

#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "agent/store/sqlite.h"
#include "agent/store/store.h"
#include "compression/values/tokens.h"
#include "tests/support/store_folder.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

ItemPtr prompt(std::uint64_t id) { return test::message(id, 300); }

// No file may grow beyond what this one has.
class NoMoreThan {
 public:
  explicit NoMoreThan(std::uintmax_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const struct rlimit none { bytes, old_.rlim_max };
    ::setrlimit(RLIMIT_FSIZE, &none);
  }
  ~NoMoreThan() { ::setrlimit(RLIMIT_FSIZE, &old_); }

 private:
  struct rlimit old_ {};
};

std::size_t messages_in(const fs::path& folder, const std::string& id) {
  const auto store = Store::open({.folder = folder});
  std::string why;
  const auto opened = store->resume(id, why);
  INFO(why);
  REQUIRE(opened);
  return opened->conversation.items.size();
}

}  // namespace

TEST_CASE("rescue: what the disk refuses to the end is in a copy that goes on") {
  test::StoreFolder folder, elsewhere;
  auto store = folder.store();
  const std::string id = store->create({}).id;
  for (std::uint64_t n = 1; n <= 60; ++n) REQUIRE(store->append(prompt(n)));
  StoreEnd end;
  bool goes_on = false;
  {
    const NoMoreThan wall(fs::file_size(folder.wal()));
    for (std::uint64_t n = 61; n <= 70; ++n) CHECK_FALSE(store->append(prompt(n)));
    end = store->settle(elsewhere.path / "rescued");
    goes_on = store->append(prompt(71));
  }
  INFO(end.text);
  CHECK_FALSE(end.lost);
  const fs::path place = elsewhere.path / "rescued" / id;
  CHECK(end.text.find("tern --state-dir '" + place.string() + "' --resume " + id) != std::string::npos);
  CHECK(goes_on);
  CHECK(store->settle(elsewhere.path / "rescued").text.empty());
  store.reset();
  CHECK(messages_in(place, id) == 71);
  CHECK(messages_in(folder.path, id) == 60);
}

TEST_CASE("rescue: a session whose file could not be used from the start is kept in a copy that goes on") {
  test::StoreFolder folder, elsewhere;
  fs::create_directory(folder.db());
  auto store = folder.store();
  const std::string id = store->create({}).id;
  CHECK_FALSE(store->astray());  // nothing was said
  CHECK(store->settle(elsewhere.path / "rescued").text.empty());
  for (std::uint64_t n = 1; n <= 5; ++n) CHECK(store->append(prompt(n)));
  REQUIRE(store->astray());
  const auto end = store->settle(elsewhere.path / "rescued");
  INFO(end.text);
  const fs::path place = elsewhere.path / "rescued" / id;
  CHECK(end.text.find("tern --state-dir '" + place.string() + "' --resume " + id) != std::string::npos);
  CHECK_FALSE(store->astray());
  CHECK(store->append(prompt(6)));
  store.reset();
  CHECK(messages_in(place, id) == 6);

  auto lost = folder.store();
  lost->create({});
  CHECK(lost->append(prompt(1)));
  const auto nowhere = lost->settle({});
  CHECK(nowhere.text.find("are lost") != std::string::npos);
  CHECK_FALSE(nowhere.lost);  // it was said at the start
}

TEST_CASE("rescue: room again at the last moment needs no copy") {
  test::StoreFolder folder, elsewhere;
  auto store = folder.store();
  const std::string id = store->create({}).id;
  REQUIRE(store->append(prompt(1)));
  {
    const NoMoreThan wall(fs::file_size(folder.wal()));
    CHECK_FALSE(store->append(prompt(2)));
  }
  CHECK(store->settle(elsewhere.path / "rescued").text.empty());
  CHECK_FALSE(fs::exists(elsewhere.path / "rescued"));
  store.reset();
  CHECK(messages_in(folder.path, id) == 2);
}

TEST_CASE("rescue: where no copy can be written either the loss is said") {
  test::StoreFolder folder;
  auto store = folder.store();
  store->create({});
  REQUIRE(store->append(prompt(1)));
  const NoMoreThan wall(fs::file_size(folder.wal()));
  CHECK_FALSE(store->append(prompt(2)));
  for (const fs::path& nowhere : {fs::path(), fs::path("/proc/nowhere")}) {
    const auto end = store->settle(nowhere);
    INFO(end.text);
    CHECK(end.lost);
    CHECK(end.text.find("are lost") != std::string::npos);
  }
}

TEST_CASE("rescue: the history of a newer version promises nothing and gets a copy") {
  test::StoreFolder folder, elsewhere;
  { folder.store()->create({}); }
  { Sqlite(folder.db(), Sqlite::Mode::write).exec("PRAGMA user_version=99"); }
  auto store = folder.store();
  const std::string id = store->create({}).id;
  CHECK_FALSE(store->append(prompt(1)));
  CHECK(store->unsaved().find("possible again") == std::string::npos);
  const auto end = store->settle(elsewhere.path);
  INFO(end.text);
  CHECK_FALSE(end.lost);
  store.reset();
  CHECK(messages_in(elsewhere.path / id, id) == 1);
}
