// The forty rows of tests/checks.md: each names tests that exist, in the program that it says.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "tests/support/places.h"

namespace {

namespace fs = std::filesystem;

// "program name" of every test in the tree; a name may be several literals in a row.
std::set<std::string> all_tests(const fs::path& tests) {
  const std::regex test("TEST_CASE\\(\\s*((\"([^\"\\\\]|\\\\.)*\"\\s*)+)"),
      literal("\"(([^\"\\\\]|\\\\.)*)\"");
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(tests)) {
    if (!entry.path().string().ends_with("_test.cpp")) continue;
    std::ifstream in(entry.path());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string folder = entry.path().lexically_relative(tests).begin()->string() + " ";
    for (std::sregex_iterator at(text.begin(), text.end(), test), end; at != end; ++at) {
      std::string name;
      const std::string literals = (*at)[1];
      for (std::sregex_iterator part(literals.begin(), literals.end(), literal); part != end; ++part)
        name += (*part)[1];
      names.insert(folder + name);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("every check names tests that exist, and there are forty") {
  const fs::path tests = fs::path(tern::places::source_tree()) / "tests";
  const auto names = all_tests(tests);
  const std::regex row(R"(^\| ([0-9]+) \|.*)"), named(R"(\b(compression|tools|agent|ui|app) "([^"]+)\")");
  std::ifstream in(tests / "checks.md");
  int rows = 0;
  for (std::string line; std::getline(in, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, row)) continue;
    CHECK(std::stoi(found[1]) == ++rows);
    for (std::sregex_iterator at(line.begin(), line.end(), named), end; at != end; ++at) {
      const std::string name = (*at)[1].str() + " " + (*at)[2].str();
      INFO(name);
      CHECK(names.count(name) == 1);
    }
  }
  CHECK(rows == 40);
}
