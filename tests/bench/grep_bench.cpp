// Grep and Glob over a tree of 100,000 files, beside ripgrep where it is installed: the same patterns, taking
// turns, best of five.
//   grep_bench [files]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tests/tools/world.h"
#include "tools/search/search.h"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

const char* const words[] = {"return", "value", "index", "buffer", "parse", "stream", "token",
                             "while",  "const", "state", "error",  "count", "frame",  "width",
                             "table",  "node",  "list",  "text",   "line",  "data"};

void make_tree(const fs::path& root, int files) {
  std::mt19937 random(1);
  for (int i = 0; i < files; ++i) {
    fs::path directory = root / ("d" + std::to_string(i / 1000)) / ("e" + std::to_string(i / 50 % 20));
    if (i % 50 == 0) fs::create_directories(directory);
    std::string text;
    for (int line = 0; line < 60; ++line) {
      for (unsigned k = 3 + random() % 5; k > 0; --k)
        text += std::string(words[random() % std::size(words)]) + (random() % 4 ? " " : "(x); ");
      if (random() % 40'000 == 0) text += "needle_in_hay";
      text += '\n';
    }
    std::ofstream(directory / ("file" + std::to_string(i) + (i % 3 ? ".cpp" : ".txt"))) << text;
  }
  std::ofstream(root / ".gitignore") << "*.log\nbuild/\n";
}

double milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

struct Case {
  const char *name, *pattern;
  bool ignore_case, count;
};

double run_ours(const fs::path& root, const Case& one, std::size_t& found) {
  auto start = Clock::now();
  std::string error;
  auto regex = tern::Regex::compile(one.pattern, {.ignore_case = one.ignore_case}, error);
  auto result = tern::search_tree(root, *regex, {.first_only = !one.count});
  found = result.files.size();
  return milliseconds(start);
}

double run_glob(tern::testing::World& world, const char* pattern, std::size_t& found) {
  auto start = Clock::now();
  const std::string note = world.run("Glob", {{"pattern", pattern}}).note;
  found = std::strtoul(note.c_str(), nullptr, 10);
  return milliseconds(start);
}

double run_peer(const std::string& command) {
  auto start = Clock::now();
  return std::system((command + " > /dev/null").c_str()) > 256 ? -1 : milliseconds(start);
}

std::string peer_of(const fs::path& root, const Case& one) {
  return std::string("rg --hidden ") + (one.count ? "-c " : "-l ") + (one.ignore_case ? "-i " : "") + "-e '" +
         one.pattern + "' " + root.native();
}

// The ratio of the two, printed with what ours found.
template <typename Ours>
double compare(const char* name, bool peer, const std::string& command, Ours ours) {
  double own = 1e9, theirs = 1e9;
  std::size_t found = 0;
  for (int round = 0; round < 5; ++round) {
    own = std::min(own, ours(found));
    if (peer) theirs = std::min(theirs, run_peer(command));
  }
  std::printf("%-28s %10.0f %10.0f %7.2f %8zu\n", name, own, peer ? theirs : 0.0, peer ? own / theirs : 0.0,
              found);
  return peer ? own / theirs : 0;
}

}  // namespace

int main(int argc, char** argv) {
  int files = argc > 1 ? std::atoi(argv[1]) : 100'000;
  tern::testing::World world;
  const fs::path root = world.root;
  make_tree(root, files);
  bool peer = std::system("rg --version > /dev/null 2>&1") == 0;
  const Case cases[] = {
      {"rare literal", "needle_in_hay", false, false},
      {"frequent literal, counted", "buffer", false, true},
      {"any case", "NEEDLE_in_hay", true, false},
      {"regex with a literal", "needle_\\w+_hay", false, false},
      {"classes only", "[a-z]+_[a-z]+_[a-z]+", false, false},
      {"alternatives", "needle_in_hay|haystack|pin_in_hay", false, false},
      {"anchored", "^token .*data $", false, true},
      {"nothing", "zzzzqqqq", false, false},
  };
  double worst = 0;
  std::printf("%d files%s\n%-28s %10s %10s %7s %8s\n", files, peer ? "" : " (ripgrep is not installed)", "",
              "ours ms", "rg ms", "ratio", "found");
  for (const auto& one : cases)
    worst = std::max(worst, compare(one.name, peer, peer_of(root, one),
                                    [&](std::size_t& found) { return run_ours(root, one, found); }));
  for (const char* pattern : {"**/*.cpp", "**/file77??.txt", "d1*/**/*.cpp"})
    worst = std::max(worst, compare((std::string("Glob ") + pattern).c_str(), peer,
                                    "cd " + root.native() + " && rg --hidden --files -g '" + pattern + "'",
                                    [&](std::size_t& found) { return run_glob(world, pattern, found); }));
  std::printf("worst ratio %.2f (bar: 2.00)\n", worst);
  return worst > 2 ? 1 : 0;
}
