#include "app/config/config_watch.h"

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <fstream>

#include "agent/protocol/mailbox.h"
#include "tests/support/temp_dir.h"

using namespace tern;

namespace {

bool told(Mailbox<int>& calls) {
  return calls.wait_until(std::chrono::steady_clock::now() + std::chrono::seconds(20)).has_value();
}

}  // namespace

TEST_CASE("a config.json that is written, replaced or removed is told, other files are not") {
  test::TempDir dir;
  const auto file = dir.path() / "config.json";
  Mailbox<int> calls;
  {
    ConfigWatch watch(dir.path(), [&] { calls.push(1); });
    std::ofstream(dir.path() / "summaries.json") << "[]";
    std::ofstream(file) << "{}";
    CHECK(told(calls));
    std::ofstream(dir.path() / "new.json") << "{}";
    std::filesystem::rename(dir.path() / "new.json", file);
    CHECK(told(calls));
    std::filesystem::remove(file);
    CHECK(told(calls));
  }
  CHECK(calls.drain().empty());
}

TEST_CASE("a folder that is not there is watched without harm") {
  ConfigWatch watch("/nonexistent/folder", [] { FAIL("nothing to tell"); });
}
