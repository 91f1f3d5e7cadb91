// A folder that nobody has trusted yet, without a terminal: what is not read is said, and nothing else.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"

using tern::test::Home, tern::test::Headless, tern::test::FakeLlm, tern::test::wires;

namespace {

struct Untrusted {
  Home home;
  FakeLlm server{R"({"loop": true, "replies": [{"text": "Here."}]})"};
  Untrusted() { std::ofstream(home.path / ".config/tern/config.json") << "{}"; }
  // What it wrote to standard output; standard error is emptied first and told by errors.
  std::string output(std::vector<std::string> arguments, std::string& errors) const {
    std::filesystem::remove(home.path / "stderr");
    Headless tern(home, wires()[0], server.url(), std::move(arguments));
    tern.close_input();
    std::string all;
    while (const auto line = tern.line()) all += *line + "\n";
    tern.wait();
    errors = tern.errors();
    return all;
  }
};

}  // namespace

TEST_CASE(
    "a history of tern's own is believed in a folder that nobody has trusted, and no word is made of it") {
  const Untrusted world;
  std::string errors;
  for (const char* prompt : {"one", "two"}) {
    CHECK(world.output({"-p", prompt}, errors) == "Here.\n");
    CHECK(errors.empty());
  }
  world.output({"-p", "three", "--continue"}, errors);
  CHECK(errors.empty());
  CHECK(world.server.requests().back().body.find("two") != std::string::npos);
}

TEST_CASE("settings of an untrusted folder are in force nowhere, and both a run and tern config say so") {
  const Untrusted world;
  std::string errors;
  world.output({"-p", "one"}, errors);
  std::ofstream(world.home.work / ".compression/config.json") << R"({"microAt": 0.55})";
  world.output({"-p", "two"}, errors);
  CHECK(errors.find(".compression/config.json: settings is not read") != std::string::npos);
  auto shown = world.output({"config", "compression.microAt", "--origins"}, errors);
  CHECK(shown.find(" 0.6 ") != std::string::npos);
  CHECK((shown + errors).find("is not trusted yet") != std::string::npos);
  std::ofstream(world.home.path / ".config/tern/config.json")
      << R"({"trusted": [")" << world.home.work.string() << R"("]})";
  shown = world.output({"config", "compression.microAt", "--origins"}, errors);
  CHECK(shown.find(" 0.55 ") != std::string::npos);
  CHECK(errors.empty());
}
