// Grep and Glob beside ripgrep: random trees under random ignore files must give the same files and the same
// lines.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <random>
#include <sstream>

#include "tests/tools/world.h"

using namespace tern;
using namespace tern::testing;

namespace {

std::mt19937 peer_dice(7);

const std::string& pick(const std::vector<std::string>& from) { return from[peer_dice() % from.size()]; }

std::string random_rules() {
  static const std::vector<std::string> names = {"a", "b",  "ab",  "foo", "foo.c", ".x",  "build",
                                                 "*", "**", "*.c", "f*",  "[ab]",  "*o*", "?"};
  std::string rules;
  for (unsigned n = peer_dice() % 5; n > 0; --n) {
    std::string rule = pick(names);
    for (unsigned deep = peer_dice() % 3; deep > 0; --deep) rule += "/" + pick(names);
    rules += (peer_dice() % 4 ? "" : "!") + std::string(peer_dice() % 4 ? "" : "/") + rule +
             (peer_dice() % 4 ? "\n" : "/\n");
  }
  return rules;
}

void random_tree(const fs::path& folder, int depth) {
  static const std::vector<std::string> files = {"a", "b", "foo.c", "foo.o", ".x", "a b", "ab.md"};
  static const std::vector<std::string> folders = {"a", "b", "ab", "foo", "build", ".hidden"};
  static const std::vector<std::string> words = {"alpha", "beta", "Alpha", "al", "42", "é", ""};
  if (peer_dice() % 2) put(folder / ".gitignore", random_rules());
  for (unsigned n = peer_dice() % 6; n > 0; --n) {
    std::string text;
    for (unsigned lines = peer_dice() % 8; lines > 0; --lines) text += pick(words) + " " + pick(words) + "\n";
    if (peer_dice() % 8 == 0) text += "last without an end: alpha";
    if (const auto file = folder / pick(files); !fs::is_directory(file)) put(file, text);
  }
  for (unsigned n = depth > 0 ? peer_dice() % 4 : 0; n > 0; --n)
    if (const auto sub = folder / pick(folders); !fs::is_regular_file(sub))
      fs::create_directories(sub), random_tree(sub, depth - 1);
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Its own configuration off, hidden files in, rules of this tree only: what our walk promises.
std::vector<std::string> ripgrep(const World& world, const std::string& arguments) {
  const auto out = world.temp.path() / "rg.out";
  const std::string command = "cd '" + world.root.native() +
                              "' && rg --no-config --hidden --no-ignore-global --no-require-git -g '!.git' " +
                              arguments + " > '" + out.native() + "' 2>/dev/null </dev/null";
  if (std::system(command.c_str()) < 0) return {};
  return sorted_lines(get(out));
}

// The body of an answer: without its heading and its remarks.
std::vector<std::string> answer(const std::string& text) {
  auto lines = sorted_lines(text);
  lines.erase(std::remove_if(lines.begin(), lines.end(),
                             [](const auto& line) {
                               return line[0] == '[' || line.rfind("Found ", 0) == 0 ||
                                      line.rfind("No ", 0) == 0;
                             }),
              lines.end());
  return lines;
}

std::vector<std::string> without_dot(std::vector<std::string> lines) {
  for (auto& line : lines)
    if (line.rfind("./", 0) == 0) line.erase(0, 2);
  return lines;
}

}  // namespace

TEST_CASE("Grep and Glob find in random trees what ripgrep finds") {
  if (std::system("rg --version > /dev/null 2>&1") != 0)
    SKIP("ripgrep is not installed here, so there is nobody to compare with");
  const int rounds = std::getenv("TERN_LONG") ? 400 : 25;
  std::size_t seen = 0;
  for (int round = 0; round < rounds; ++round) {
    World world;
    fs::create_directories(world.root / ".git");
    random_tree(world.root, 3);
    INFO("round " << round << " in " << world.root);
    const auto grep = [&](const char* pattern, const char* mode) {
      return answer(world.run("Grep", {{"pattern", pattern}, {"output_mode", mode}, {"head_limit", 0}}).text);
    };
    for (const char* pattern : {"alpha", "^al", "[0-9]+ ", "a$"}) {
      INFO("pattern " << pattern);
      const auto theirs = ripgrep(world, "-n --no-heading -e '" + std::string(pattern) + "'");
      CHECK(grep(pattern, "content") == theirs);
      CHECK(grep(pattern, "files_with_matches") == ripgrep(world, "-l -e '" + std::string(pattern) + "'"));
      CHECK(grep(pattern, "count") == ripgrep(world, "-c -e '" + std::string(pattern) + "'"));
      seen += theirs.size();
    }
    auto all = without_dot(ripgrep(world, "--files"));
    if (all.size() <= 100) CHECK(answer(world.run("Glob", {{"pattern", "**/*"}}).text) == all);
    std::erase_if(all,
                  [](const auto& path) { return path.size() < 2 || path.substr(path.size() - 2) != ".c"; });
    if (all.size() <= 100) CHECK(answer(world.run("Glob", {{"pattern", "**/*.c"}}).text) == all);
  }
  CHECK(seen > 100);
}
