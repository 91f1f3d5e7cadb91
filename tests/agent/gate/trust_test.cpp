#include "agent/gate/trust.h"

#include <sys/stat.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/support/commands.h"

using namespace tern;
namespace fs = std::filesystem;

TEST_CASE("a folder is trusted once, with what is below it") {
  const test::TempDir temp;
  const fs::path file = temp.path() / "state/tern/trusted-folders", folder = temp.path() / "work/project";
  fs::create_directories(folder / "sub");
  fs::create_directories(temp.path() / "work/project-evil");
  fs::create_directory_symlink(temp.path() / "work/project-evil", folder / "link");
  TrustList list(file);
  CHECK_FALSE(list.trusted(folder));
  CHECK(list.trust(folder).empty());
  const TrustList again(file);
  CHECK(again.trusted(folder));
  CHECK(again.trusted(folder / "sub"));
  CHECK_FALSE(again.trusted(temp.path() / "work"));
  CHECK_FALSE(again.trusted(temp.path() / "work/project-evil"));
  CHECK_FALSE(again.trusted(folder / "link"));
  CHECK_FALSE(again.trusted(folder / "missing"));
  struct stat info {};
  REQUIRE(::stat(file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK(list.forget(folder).empty());
  CHECK_FALSE(TrustList(file).trusted(folder));
}

TEST_CASE("a home directory or the root covers nothing but itself") {
  const test::TempDir temp;
  ::setenv("HOME", temp.path().c_str(), 1);
  fs::create_directories(temp.path() / "cloned");
  TrustList list(temp.path() / "list");
  CHECK(list.trust(temp.path()).empty());
  CHECK(list.trusted(temp.path()));
  CHECK_FALSE(list.trusted(temp.path() / "cloned"));
  list.trust("/");
  CHECK_FALSE(list.trusted("/usr"));
}

TEST_CASE("a list that others may write is not believed") {
  const test::TempDir temp;
  const fs::path file = temp.path() / "list";
  std::ofstream(file) << temp.path().string() << "\n";
  ::chmod(file.c_str(), 0666);
  CHECK_FALSE(TrustList(file).trusted(temp.path()));
  ::chmod(file.c_str(), 0600);
  CHECK(TrustList(file).trusted(temp.path()));
  fs::create_symlink(file, temp.path() / "link");
  CHECK_FALSE(TrustList(temp.path() / "link").trusted(temp.path()));
}

TEST_CASE("a config.json is a claim whatever it says: it is not opened") {
  const test::TempDir temp;
  fs::create_directories(temp.path() / ".compression");
  const auto write = [&](const char* text) {
    std::ofstream(temp.path() / ".compression/config.json") << text;
  };
  for (const char* text :
       {R"({"about": "…", "effective": {"microAt": 0.6}, "from": {}})", "{ // mine\n}", "[1]"}) {
    write(text);
    CHECK(claims_of(temp.path()) == std::vector<std::string>{".compression/config.json: settings"});
  }
}

TEST_CASE("what a folder claims is found by name; nothing is opened") {
  const test::TempDir temp;
  CHECK(claims_of(temp.path()).empty());
  std::ofstream(temp.path() / "AGENTS.md") << "x";
  fs::create_directories(temp.path() / ".compression");
  REQUIRE(::mkfifo((temp.path() / ".compression/config.json").c_str(), 0600) == 0);
  const auto claims = claims_of(temp.path());
  REQUIRE(claims.size() == 2);
  CHECK(claims[0] == "AGENTS.md: instructions for the model");
  CHECK(claims[1] == ".compression/config.json: settings");
}
