// Bash itself as judge: of every line that the parser calls plain, bash may run exactly the commands and
// write exactly the files that the parser listed. Random lines from a vocabulary of everything that quotes,
// splits, hides or continues.
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <fstream>
#include <random>
#include <set>

#include "agent/gate/shell_parse.h"
#include "tests/support/commands.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

constexpr const char* vocabulary[] = {
    "a",     "b",    "c",    "d",    "E",     "f1",    "f2",       " ",   " ",    " ",  " ",     "\t",
    "\n",    ";",    "&&",   "||",   "|",     "'",     "'",        "\"",  "\"",   "\\", "\\\n",  "#",
    " #",    "$",    "`",    "\\'",  "\\\"",  "\\\\",  ">",        ">>",  ">|",   "<",  "2>",    "2>&1",
    "&>",    ">&",   "<<E",  "<<-E", "<<'E'", "\nE\n", "\n\tE\n",  "<<<", "{",    "}",  "{a,",   ",b}",
    "=",     "x=",   "(",    ")",    "[",     "]",     "*",        "?",   "!",    "~",  "-",     ",",
    "..",    "&",    "$'",   "$\"",  "${",    "$(",    "time ",    "if ", "then", "fi", "do",    "done",
    "case ", " in ", "esac", "[[",   "]]",    "\r",    "\xc2\xa0", "1",   "|&",   ";;", "while "};

std::string random_line(std::mt19937& random) {
  std::string line;
  const std::size_t pieces = 2 + random() % 14;
  for (std::size_t i = 0; i < pieces; ++i) line += vocabulary[random() % std::size(vocabulary)];
  return line;
}

std::string field(const std::string& text) { return std::to_string(text.size()) + ":" + text + ","; }

std::string key_of(const Words& words) {
  std::string key;
  for (const std::string& word : words) key += field(word);
  return key;
}

// No program can be found, so bash hands every command that would run to the handler, which tells its words.
constexpr const char* judge = R"(
PATH=/nonexistent HOME='~' FUNCNEST=8
enable -n cd [ .
command_not_found_handle() {
  local LC_ALL=C word out=
  for word in "$@"; do out+="${#word}:$word,"; done
  printf 'ran %s\0' "$out" >&9
  return $((${#1} % 2))
}
while IFS= read -r -d '' line; do
  (eval "$line") </dev/null >/dev/null 2>&1
  printf 'line\0' >&9
done
)";

}  // namespace

TEST_CASE("what is called plain runs in bash as it was read") {
  const char* more = std::getenv("TERN_SHELL_LINES");
  const std::size_t wanted = more != nullptr ? std::strtoul(more, nullptr, 10) : 1500;
  std::mt19937 random(more != nullptr ? std::random_device{}() : 7u);
  const test::TempDir temp;
  std::vector<std::string> lines;
  std::vector<ShellScript> scripts;
  std::ofstream input(temp.path() / "lines", std::ios::binary);
  while (lines.size() < wanted) {
    const std::string line = random_line(random);
    ShellScript script = parse_shell(line);
    const bool plain = script.plain() && !script.commands.empty() &&
                       std::all_of(script.commands.begin(), script.commands.end(),
                                   [](const ShellCommand& c) { return c.plain(); });
    if (!plain) continue;
    input << line << '\0';
    lines.push_back(line), scripts.push_back(std::move(script));
  }
  input.close();
  fs::create_directory(temp.path() / "here");
  std::ofstream(temp.path() / "judge") << judge;
  const std::string run = "cd '" + (temp.path() / "here").string() + "' && bash --norc '" +
                          (temp.path() / "judge").string() + "' < '" + (temp.path() / "lines").string() +
                          "' 9> '" + (temp.path() / "ran").string() + "'";
  REQUIRE(std::system(("timeout 600 bash -c \"" + run + "\" >/dev/null 2>&1").c_str()) == 0);

  std::ifstream ran(temp.path() / "ran", std::ios::binary);
  std::size_t at = 0, commands = 0;
  for (std::string record; std::getline(ran, record, '\0');) {
    if (record == "line") {
      ++at;
      continue;
    }
    REQUIRE(at < lines.size());
    ++commands;
    std::set<std::string> listed;
    for (const ShellCommand& command : scripts[at].commands) {
      Words words;
      for (const ShellWord& word : command.words) words.push_back(word.text);
      listed.insert(key_of(words));
    }
    INFO("line: " << lines[at] << "\nbash ran: " << record);
    CHECK(listed.count(record.substr(4)) == 1);
  }
  CHECK(at == lines.size());
  CHECK(commands > lines.size() / 2);
  std::set<std::string> targets;
  for (const ShellScript& script : scripts)
    for (const ShellCommand& command : script.commands)
      for (const ShellRedirect& r : command.redirects)
        if (r.writes()) targets.insert(r.target.text);
  for (const auto& entry : fs::directory_iterator(temp.path() / "here")) {
    const std::string name = entry.path().filename().string();
    INFO("bash wrote " << name);
    for (const std::string& line : lines)
      if (line.find(name.substr(0, 2)) != std::string::npos && line.find('>') != std::string::npos &&
          line.size() < 60)
        UNSCOPED_INFO("maybe by: " << line);
    CHECK(targets.count(entry.path().filename().string()) == 1);
  }
}
