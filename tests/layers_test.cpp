// The walls of the house: reads every #include of the product and fails on an edge that the folders may not have, and on a
// third-party header outside the file that owns it. tests/layers/ is a small house with one wrong include of each kind.
#include <algorithm>
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
using Names = std::vector<std::string>;

// What a folder may include of the others. Everything it may not name here is an upward or sideways edge.
const std::map<std::string, Names> may_include = {
    {"compression", {}},
    {"tools", {}},
    {"agent", {"compression/", "tools/"}},
    {"ui", {"compression/", "agent/command.h", "agent/context_event.h", "agent/event.h", "agent/mailbox.h"}},
    {"app", {"compression/", "tools/", "agent/", "ui/"}},
};

// A third-party library, by the beginning of its headers, and who may include it: a folder ("ui/"), or the one owner file.
struct Owner {
  std::string header;
  Names files;
};
const std::vector<Owner> owners = {
    {"curl/", {"agent/http.cpp"}},
    {"sqlite3", {"agent/sqlite.cpp"}},
    {"zstd", {"agent/codec_zstd.cpp"}},
    {"reproc/", {"tools/process.cpp"}},
    {"pcre2.h", {"tools/regex.cpp"}},
    {"md4c", {"ui/markdown.cpp"}},
    {"utf8proc.h", {"ui/width.cpp"}},
    {"ftxui/", {"ui/"}},
    {"nlohmann/", {"tools/", "agent/", "app/"}},
};

bool begins_with(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

bool any_begins(const Names& starts, const std::string& text) {
  return std::any_of(starts.begin(), starts.end(), [&](const std::string& start) { return begins_with(text, start); });
}

// "" when the file may include the header, else the reason why not.
std::string objection(const std::string& file, const std::string& header) {
  const std::string folder = file.substr(0, file.find('/'));
  const std::string other = header.substr(0, header.find('/'));
  if (other == "tests") return "the product never includes its tests";
  if (header.find('/') != std::string::npos && may_include.contains(other) && other != folder)
    return any_begins(may_include.at(folder), header) ? "" : folder + "/ may not include " + other + "/";
  for (const Owner& owner : owners)
    if (begins_with(header, owner.header) && !any_begins(owner.files, file))
      return "only " + owner.files.front() + " may include it";
  return "";
}

std::vector<std::string> includes_of(const fs::path& file) {
  std::vector<std::string> found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto begin = line.find_first_of("\"<");
    if (!begins_with(line, "#include") || begin == std::string::npos) continue;
    found.push_back(line.substr(begin + 1, line.find_first_of("\">", begin + 1) - begin - 1));
  }
  return found;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".h" || path.extension() == ".inc";
}

// Every include that should not be, as "file includes header: reason", sorted. `seen` counts the includes read.
std::set<std::string> wrong_includes(const fs::path& house, int& seen) {
  std::set<std::string> wrong;
  for (const auto& [folder, others] : may_include) {
    if (!fs::exists(house / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(house / folder)) {
      if (!is_source(entry.path())) continue;
      const std::string file = fs::relative(entry.path(), house).generic_string();
      for (const std::string& header : includes_of(entry.path())) {
        ++seen;
        if (const auto why = objection(file, header); !why.empty()) wrong.insert(file + " includes " + header + ": " + why);
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

TEST_CASE("layers: a wrong edge and a library outside its owner are found") {
  int seen = 0;
  CHECK(wrong_includes(fs::path(tern::places::source_tree()) / "tests/layers", seen) ==
        std::set<std::string>{
            "agent/turn.cpp includes curl/curl.h: only agent/http.cpp may include it",
            "agent/turn.cpp includes tests/support/script.h: the product never includes its tests",
            "agent/turn.cpp includes ui/view.h: agent/ may not include ui/",
            "compression/plan.cpp includes nlohmann/json.hpp: only tools/ may include it",
            "tools/bash.cpp includes compression/edit.h: tools/ may not include compression/",
            "ui/screen.cpp includes sqlite3.h: only agent/sqlite.cpp may include it",
        });
}
