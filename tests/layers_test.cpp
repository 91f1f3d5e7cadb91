// The walls of the house: reads every #include of the product and fails on an edge that tests/rooms.txt does
// not name, on a third-party header outside the room or the file that owns it, and on two files of one name.
// tests/layers/ is a small house with one wrong include of each kind.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/places.h"

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// A row of tests/rooms.txt.
struct Room {
  Names below;
  std::map<std::string, std::string> libraries;  // by name; with the one file that may include it, or empty
};
using House = std::map<std::string, Room>;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Rows that name a room below themselves, or a room that has no row above, are told in `wrong`.
House read_house(const fs::path& table, std::set<std::string>& wrong) {
  House house;
  std::ifstream in(table);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream cells(line);
    std::string name, below, libraries, word;
    std::getline(cells, name, '|');
    std::getline(cells, below, '|');
    std::getline(cells, libraries, '|');
    Room room;
    std::istringstream words(below), more(libraries);
    while (words >> word) {
      if (word != "-" && !house.contains(word))
        wrong.insert("rooms.txt: " + trimmed(name) + " stands above " + word);
      room.below.push_back(word);
    }
    while (more >> word) {
      const auto open = word.find('(');
      room.libraries[word.substr(0, open)] =
          open == word.npos ? "" : word.substr(open + 1, word.size() - open - 2);
    }
    house[trimmed(name)] = room;
  }
  return house;
}

// How the headers of a library begin.
const std::map<std::string, std::string> headers = {
    {"curl", "curl/"},    {"sqlite", "sqlite3"}, {"zstd", "zstd"}, {"reproc", "reproc/"},
    {"pcre2", "pcre2.h"}, {"gumbo", "gumbo.h"},  {"md4c", "md4c"}, {"utf8proc", "utf8proc.h"},
    {"ftxui", "ftxui/"},  {"json", "nlohmann/"},
};

std::string room_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// "" when the file may include the header, else the reason why not.
std::string objection(const House& house, const std::string& file, const std::string& header) {
  const auto room = house.find(room_of(file));
  if (room == house.end()) return "the file stands in no room";
  const std::string folder = header.substr(0, header.find('/'));
  if (folder == "tests") return "the product never includes its tests";
  if (header.ends_with(".h") || header.ends_with(".inc"))
    for (const char* own : {"app", "agent", "compression", "tools", "ui"})
      if (folder == own) {
        const std::string other = room_of(header);
        const Names& below = room->second.below;
        const bool may = other == room->first || std::find(below.begin(), below.end(), other) != below.end();
        return may ? "" : room->first + " may not include " + other;
      }
  for (const auto& [library, start] : headers) {
    if (!header.starts_with(start)) continue;
    const auto row = room->second.libraries.find(library);
    if (row == room->second.libraries.end()) return room->first + " may not include " + library;
    if (!row->second.empty() && !file.ends_with("/" + row->second))
      return "only " + row->second + " may include it";
  }
  return "";
}

std::vector<std::string> includes_of(const fs::path& file) {
  std::vector<std::string> found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto begin = line.find_first_of("\"<");
    if (!line.starts_with("#include") || begin == std::string::npos) continue;
    found.push_back(line.substr(begin + 1, line.find_first_of("\">", begin + 1) - begin - 1));
  }
  return found;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".h" || path.extension() == ".inc";
}

// Every include that should not be, as "file includes header: reason", sorted. `seen` counts the includes
// read.
std::set<std::string> wrong_includes(const fs::path& place, int& seen) {
  std::set<std::string> wrong;
  const House house = read_house(place / "tests/rooms.txt", wrong);
  std::map<std::string, std::string> names;  // of a file: where it was first seen
  for (const char* folder : {"app", "agent", "compression", "tools", "ui"}) {
    if (!fs::exists(place / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(place / folder)) {
      if (!is_source(entry.path())) continue;
      const std::string file = fs::relative(entry.path(), place).generic_string();
      const auto [first, fresh] = names.emplace(entry.path().filename().string(), file);
      if (!fresh) wrong.insert(file + " has the name of another file");
      for (const std::string& header : includes_of(entry.path())) {
        ++seen;
        if (const auto why = objection(house, file, header); !why.empty())
          wrong.insert(file + " includes " + header + ": " + why);
      }
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("layers: every include of the product goes along an edge of the design") {
  int seen = 0;
  CHECK(wrong_includes(tern::places::source_tree(), seen) == std::set<std::string>{});
  CHECK(seen > 20);
}

TEST_CASE("layers: the README's picture names every room, and every room introduces itself") {
  const fs::path tree = tern::places::source_tree();
  std::set<std::string> wrong;
  std::map<std::string, std::set<std::string>> rooms, drawn;
  for (const auto& [name, room] : read_house(tree / "tests/rooms.txt", wrong)) {
    rooms[name.substr(0, name.find('/'))].insert(name.substr(name.find('/') + 1));
    INFO(name);
    CHECK(fs::exists(tree / name / "README.md"));
  }
  std::ifstream readme(tree / "README.md");
  std::string line;
  while (std::getline(readme, line) && line != "## The house") {}
  for (int fences = 0; fences < 2 && std::getline(readme, line);) {
    if (line == "```") ++fences;
    std::istringstream words(line);
    std::string folder, room;
    for (words >> folder; fences == 1 && words >> room;) drawn[folder].insert(room);
  }
  CHECK(drawn == rooms);
}

TEST_CASE("layers: a wrong edge and a library outside its owner are found") {
  int seen = 0;
  CHECK(wrong_includes(fs::path(tern::places::source_tree()) / "tests/layers", seen) ==
        std::set<std::string>{
            "agent/stray.cpp includes vector: the file stands in no room",
            "agent/turn/turn.cpp includes curl/curl.h: agent/turn may not include curl",
            "agent/turn/turn.cpp includes tests/support/script.h: the product never includes its tests",
            "agent/turn/turn.cpp includes ui/view.h: agent/turn may not include ui",
            "agent/models/sse.cpp includes curl/curl.h: only http.cpp may include it",
            "compression/plan/edit.h has the name of another file",
            "rooms.txt: tools/builtin stands above agent/turn",
            "tools/builtin/bash.cpp includes compression/plan/edit.h: tools/builtin may not include "
            "compression/plan",
        });
}
