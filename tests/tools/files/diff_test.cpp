#include "tools/files/diff.h"

#include <catch2/catch_test_macros.hpp>
#include <random>
#include <string>

using namespace tern;

namespace {

// Applies the hunks to `before`; the test of a diff is that it leads to `after`.
std::string patched(std::string_view before, std::string_view diff) {
  auto old_lines = split_lines(before);
  std::string out;
  std::size_t at = 0;
  for (auto line : split_lines(diff)) {
    if (line.substr(0, 4) == "@@ -") {
      std::size_t start = std::stoul(std::string(line.substr(4)));
      bool none = line.substr(0, line.find(" +")).find(",0") != line.npos;
      std::size_t to = none ? start : start - 1;
      while (at < to) out += old_lines[at++];
    } else if (line[0] == '\\') {
      out.pop_back();
    } else if (line[0] == '+') {
      out += line.substr(1);
    } else {
      if (line[0] == ' ') out += old_lines[at];
      ++at;
      if (line[0] == ' ' && old_lines[at - 1].back() != '\n') out += '\n';
    }
  }
  while (at < old_lines.size()) out += old_lines[at++];
  return out;
}

}  // namespace

TEST_CASE("a hunk has numbers, context and signs") {
  Diff diff = unified_diff("a\nb\nc\nd\ne\n", "a\nb\nX\nd\ne\n", 1);
  CHECK(diff.text == "@@ -2,3 +2,3 @@\n b\n-c\n+X\n d\n");
  CHECK(change_note(diff) == "+1 −1");
  CHECK(diff.first_line == 3);
}

TEST_CASE("equal texts have no diff") { CHECK(unified_diff("a\n", "a\n").text.empty()); }

TEST_CASE("a missing last newline is told") {
  CHECK(unified_diff("a", "a\n", 1).text == "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  CHECK(unified_diff("", "x\n").text == "@@ -0,0 +1 @@\n+x\n");
}

TEST_CASE("every diff leads from the old text to the new one") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string before, after;
    for (unsigned i = random() % 30; i > 0; --i)
      before += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
    for (unsigned i = random() % 30; i > 0; --i)
      after += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
    if (random() % 4 == 0 && !after.empty()) after.pop_back();
    INFO(before << "=>\n" << after);
    CHECK(patched(before, unified_diff(before, after, random() % 4).text) == after);
  }
}

TEST_CASE("large texts are compared by their anchors") {
  std::string before, after;
  for (int i = 0; i < 6000; ++i) {
    before += "line " + std::to_string(i) + "\n";
    after += i % 3 ? "line " + std::to_string(i) + "\n" : "changed " + std::to_string(i) + "\n";
  }
  Diff diff = unified_diff(before, after);
  CHECK(diff.added == 2000);
  CHECK(diff.removed == 2000);
}
