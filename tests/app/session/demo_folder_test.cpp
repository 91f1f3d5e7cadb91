// The demo is a session like any other: its folder is there afterwards, and says what happened. Without a
// folder named it repairs a scratch project of its own.
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/places.h"
#include "tests/support/project_folder.h"
#include "tools/exec/process.h"

using namespace tern;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json read_json(const fs::path& file) { return json::parse(std::ifstream(file), nullptr, false); }  // strict

int run_demo(const ProjectFolder& folder, const std::string& flags) {
  const auto command = "cd '" + folder.project.string() + "' && env -i HOME='" + folder.home.string() +
                       "' TMPDIR='" + folder.path.string() +
                       "' PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 '" + std::string(places::program()) +
                       "' --demo -p " + flags + " </dev/null >../said 2>&1";
  return std::system(command.c_str());
}

}  // namespace

TEST_CASE("the demo keeps its summaries and, in a trusted folder, shows its settings in .compression") {
  ProjectFolder folder;
  fs::create_directories(folder.home / ".config/tern");
  std::ofstream(folder.home / ".config/tern/config.json") << json{{"trusted", {folder.project.string()}}};
  REQUIRE(run_demo(folder, "-C .") == 0);
  const auto summaries = read_json(folder.project / ".compression/summaries.json");
  REQUIRE(summaries.is_array());
  CHECK_FALSE(summaries.empty());
  const auto config = read_json(folder.project / ".compression/config.json");
  CHECK(config["effective"]["keepRecent"] == 10);
  REQUIRE(run_demo(folder, "-C .") ==
          0);  // what tern shows there is no claim of a folder that is not trusted
  std::ifstream in(folder.path / "said");
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}).find("not trusted") == std::string::npos);
}

TEST_CASE("the demo without a session leaves nothing behind") {
  ProjectFolder folder;
  REQUIRE(run_demo(folder, "-C . --no-session") == 0);
  CHECK_FALSE(fs::exists(folder.project / ".compression"));
}

TEST_CASE("the demo finds, repairs and tests a real bug in a scratch project of its own") {
  ProjectFolder folder;
  REQUIRE(run_demo(folder, "--output-format stream-json --verbose") == 0);
  CHECK_FALSE(fs::exists(folder.project / ".compression"));
  fs::path scratch;
  for (const auto& entry : fs::directory_iterator(folder.path))
    if (entry.path().filename().string().starts_with("tern-demo-")) scratch = entry.path();
  REQUIRE(!scratch.empty());
  CHECK(fs::exists(scratch / ".compression/tern.db"));
  CHECK(std::system(("cd '" + scratch.string() + "' && sh test.sh >/dev/null").c_str()) == 0);
  std::ifstream in(folder.path / "said");
  const std::string said(std::istreambuf_iterator<char>(in), {});
  const auto failed = said.find("FAILED  no newline at the end"),
             passed = said.find("ok      no newline at the end");
  REQUIRE(failed != std::string::npos);
  REQUIRE(passed != std::string::npos);
  CHECK(failed < passed);
  const auto recalled = said.find("\"name\":\"Recall\"", passed);
  REQUIRE(recalled != std::string::npos);
  CHECK(said.find("Decision: the fix stays plain POSIX sh", recalled) != std::string::npos);
  const auto records = read_json(scratch / ".compression/summaries.json");
  REQUIRE(records.is_array());
  CHECK(records.dump().find("\"undone\":true") != std::string::npos);
}
