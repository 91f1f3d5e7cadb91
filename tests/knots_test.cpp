// Units that reach each other in a circle can only be read and tested together. A unit is a header with the
// source of its name, or a file alone; it reaches what it includes.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/places.h"

namespace {

namespace fs = std::filesystem;
using Units = std::map<std::string, std::set<std::string>>;  // each with those it includes

std::string unit_of(const std::string& file) { return file.substr(0, file.rfind('.')); }

Units units_of(const fs::path& place) {
  Units units;
  for (const char* folder : {"app", "agent", "compression", "tools", "ui"})
    for (const auto& entry : fs::recursive_directory_iterator(place / folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      const auto unit = unit_of(fs::relative(entry.path(), place).generic_string());
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        if (!line.starts_with("#include \"") || !line.ends_with(".h\"")) continue;
        const auto other = unit_of(line.substr(10, line.size() - 11));
        if (other != unit) units[unit].insert(other);
      }
    }
  return units;
}

bool reaches_itself(const Units& units, const std::string& unit) {
  std::set<std::string> seen;
  std::vector<std::string> open{unit};
  while (!open.empty()) {
    const auto found = units.find(open.back());
    open.pop_back();
    if (found == units.end()) continue;
    for (const auto& next : found->second) {
      if (next == unit) return true;
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

}  // namespace

TEST_CASE("layers: hardly any headers and sources reach each other in circles") {
  const auto units = units_of(tern::places::source_tree());
  std::set<std::string> tied;
  std::string names;
  for (const auto& [unit, below] : units)
    if (reaches_itself(units, unit) && tied.insert(unit).second) names += "\n" + unit;
  INFO("in circles: " << names);
  CHECK(units.size() > 400);
  CHECK(tied.size() <= 11);
}
