#include "tools/workspace/private_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "tests/support/temp_dir.h"

using namespace tern;
using namespace tern::test;
namespace fs = std::filesystem;

namespace {

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a private folder is ours alone and goes with its holder") {
  const TempDir temp;
  fs::path path;
  {
    PrivateDir dir = PrivateDir::make(temp.path());
    path = dir.path();
    struct stat st {};
    REQUIRE(::stat(path.c_str(), &st) == 0);
    CHECK((st.st_mode & 0777) == 0700);
    std::ofstream(path / "out") << "x";
    const PrivateDir moved = std::move(dir);
    CHECK(moved.path() == path);
    CHECK(fs::exists(path / "out"));
  }
  CHECK_FALSE(fs::exists(path));
}

// The one that could not be made was once taken to be its base, and the base was removed at the end.
TEST_CASE("where no folder can be made there is none, and nothing is removed") {
  const TempDir temp;
  fs::path deep = temp.path();
  while (deep.native().size() < 4000)
    deep /= std::string(std::min<std::size_t>(200, 4085 - deep.native().size()), 'd');
  deep /= std::string(4088 - deep.native().size(), 'd');
  REQUIRE(fs::create_directories(deep));
  std::ofstream(deep / "kept") << "x";
  {
    const PrivateDir dir = PrivateDir::make(deep);
    CHECK(dir.path().empty());
  }
  CHECK(fs::exists(deep / "kept"));
}

TEST_CASE("what a killed process left is removed, what lives or is young stays") {
  const TempDir temp;
  const fs::path dead = temp.path() / "tern-run-dead00", other = temp.path() / "tern-test-other";
  for (const fs::path& path : {dead, other}) REQUIRE(fs::create_directories(path / "below"));
  fs::create_directory_symlink(other, temp.path() / "tern-run-link00");
  const PrivateDir living = PrivateDir::make(temp.path());
  CHECK(fs::exists(dead));  // it may have been made a moment ago
  CHECK(entries(temp.path()) == 4);
  const PrivateDir later = PrivateDir::make(temp.path(), std::chrono::seconds(-1));
  CHECK_FALSE(fs::exists(dead));
  CHECK(fs::exists(living.path()));
  CHECK(fs::exists(other / "below"));
  CHECK(entries(temp.path()) == 4);
}
