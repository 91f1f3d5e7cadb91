// The fields and the answers that the README's table of hooks names for an event, so that its rows stay true.
#pragma once

#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "tests/support/places.h"

namespace tern::test {

// Those in backticks, with those of the row that it calls the same.
inline std::set<std::string> readme_fields(const std::string& event) {
  std::ifstream readme(std::filesystem::path(places::source_tree()) / "README.md");
  for (std::string line; std::getline(readme, line);) {
    if (!line.starts_with("| `" + event + "`")) continue;
    const auto from = line.find("| ", 2), to = line.find(" |", from);
    const auto cell = line.substr(from, to - from);
    const bool same = cell.find("the same") != cell.npos || cell.find("as PreToolUse") != cell.npos;
    const auto above = event == "PostToolUseFailure" ? "PostToolUse" : "PreToolUse";
    auto fields = same ? readme_fields(above) : std::set<std::string>();
    for (auto at = cell.find('`'); at != cell.npos; at = cell.find('`', at + 1)) {
      const auto end = cell.find('`', at + 1);
      fields.insert(cell.substr(at + 1, end - at - 1));
      at = end;
    }
    return fields;
  }
  return {};
}

// The words in backticks of the row's last cell.
inline std::set<std::string> readme_answers(const std::string& event) {
  std::ifstream readme(std::filesystem::path(places::source_tree()) / "README.md");
  std::set<std::string> answers;
  for (std::string line; std::getline(readme, line);) {
    if (!line.starts_with("| `" + event + "`")) continue;
    std::string word;
    bool inside = false;
    for (const char c : line.substr(line.rfind("| ", line.size() - 3))) {
      if (c == '`') inside = !inside;
      if (inside && std::isalpha(static_cast<unsigned char>(c)) != 0) {
        word += c;
      } else if (!word.empty()) {
        answers.insert(std::exchange(word, {}));
      }
    }
  }
  return answers;
}

}  // namespace tern::test
