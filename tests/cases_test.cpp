// End-to-end over the wire: each directory below tests/cases is one, run with the real binary against the
// fake model server, once for each wire format. A case holds
//   scenario.json   what the server does (tests/support/fake_llm_main.cpp has the fields)
//   args            one argument a line; {work} is the case's working folder
//   expect          one expectation a line:
//                     exit N · requests N · requests >= N · refused N (for their length) · stdout ~ TEXT ·
//                     stdout !~ TEXT · stderr ~ TEXT · debug request [FLAG…] (answers with the last body) ·
//                     lines NAME <= N LINE (how often a file may hold it) · last request ~ TEXT (of a turn,
//                     not of a summary) · last request !~ TEXT · file NAME ~ TEXT · no file NAME
//   stdin, apis     optional: standard input; wire formats (default: anthropic chat responses gemini; there
//   is ollama, too) env             optional: more environment, one NAME=value a line files/ optional: copied
//   into the working folder
// Besides, every request must have the shape its service insists on.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "tests/support/exec_words.h"
#include "tests/support/fake_llm.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wires.h"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using tern::test::Wire, tern::test::wires;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Words lines_of(const fs::path& path) {
  std::istringstream in(content_of(path));
  Words lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.front() != '#') lines.push_back(line);
  return lines;
}

struct Run {
  int status = -1;
  std::string out, err;
};

Run run(const fs::path& home, const fs::path& work, const fs::path& input, const Words& arguments,
        const Words& environment) {
  const auto out = home / "stdout", err = home / "stderr";
  Words words{tern::places::program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const tern::test::ExecWords program(std::move(words), environment);
  const char* in = input.empty() ? "/dev/null" : input.c_str();
  const auto child = ::fork();
  if (child == 0) {
    tern::test::put_stream(in, O_RDONLY, 0);
    tern::test::put_stream(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 1);
    tern::test::put_stream(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 2);
    if (::chdir(work.c_str()) != 0) ::_exit(126);
    program.become(240);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content_of(out), content_of(err)};
}

// The last request of a turn: a draft in the background may come before or behind it.
std::string last_body(const std::vector<tern::test::FakeRequest>& requests) {
  const auto last = std::find_if(requests.rbegin(), requests.rend(),
                                 [](const auto& request) { return !request.asks_for_summary(); });
  return last == requests.rend() ? "" : last->body;
}

// Empty when the line holds.
std::string unmet(const std::string& line, const Run& run,
                  const std::vector<tern::test::FakeRequest>& requests, std::size_t refused,
                  const fs::path& work) {
  std::istringstream in(line);
  std::string subject, name, relation;
  in >> subject;
  std::string actual;
  if (subject == "exit" || subject == "requests" || subject == "refused") {
    std::string number;
    in >> number;
    const bool least = number == ">=";
    if (least) in >> number;
    const int wanted = std::stoi(number), got = subject == "exit"       ? run.status
                                                : subject == "requests" ? static_cast<int>(requests.size())
                                                                        : static_cast<int>(refused);
    return (least ? got >= wanted : got == wanted) ? "" : line + " (got " + std::to_string(got) + ")";
  }
  if (subject == "lines") {  // lines NAME <= N TEXT
    int most = 0;
    std::string wanted;
    in >> name >> relation >> most >> wanted;
    const auto lines = lines_of(work / name);
    const auto found = std::count(lines.begin(), lines.end(), wanted);
    return found <= most ? "" : line + " (got " + std::to_string(found) + ")";
  }
  if (subject == "no") {
    in >> name >> name;
    return fs::exists(work / name) ? line : "";
  }
  if (subject == "stdout")
    actual = run.out;
  else if (subject == "stderr")
    actual = run.err;
  else if (subject == "file")
    in >> name, actual = content_of(work / name);
  else if (subject == "last")
    in >> name, actual = last_body(requests);
  else
    return "unknown expectation: " + line;
  in >> relation;
  if (relation != "~" && relation != "!~") return "unknown expectation: " + line;
  std::string wanted;
  std::getline(in >> std::ws, wanted);
  const bool holds = actual.find(wanted) != std::string::npos;
  return holds == (relation == "~") ? "" : line + "\n  got: " + actual.substr(0, 600);
}

void run_case(const fs::path& folder, const Wire& api) {
  const tern::test::TempDir dir;
  const fs::path &home = dir.path(), work = home / "work";
  fs::create_directories(work);
  if (fs::exists(folder / "files")) fs::copy(folder / "files", work, fs::copy_options::recursive);
  fs::create_directories(home / ".config/tern");
  std::ofstream(home / ".config/tern/config.json") << "{\"trusted\": [\"" << work.string() << "\"]}";
  tern::test::FakeLlm server(content_of(folder / "scenario.json"));
  Words arguments{"--model", api.model};
  for (auto line : lines_of(folder / "args")) {
    for (auto at = line.find("{work}"); at != std::string::npos; at = line.find("{work}"))
      line.replace(at, 6, work.string());
    arguments.push_back(line);
  }
  Words environment{"HOME=" + home.string(), "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
                    std::string(api.key) + "=dummy-key-of-the-case",
                    std::string(api.url) + "=" + server.url() + api.path};
  for (const auto& line : lines_of(folder / "env")) environment.push_back(line);
  const auto input = folder / "stdin";
  const auto ran = run(home, work, fs::exists(input) ? input : fs::path(), arguments, environment);
  INFO("case " << folder.filename().string() << " over " << api.name
               << "\nstdout: " << ran.out.substr(0, 2000) << "\nstderr: " << ran.err.substr(0, 2000));
  const std::string sent = server.requests().empty() ? "" : server.requests().back().body;
  for (const auto& line : lines_of(folder / "expect")) {
    if (line.starts_with("debug request")) {
      Words words{"--model", api.model};
      std::istringstream in(line);
      for (std::string word; in >> word;) words.push_back(word);
      CHECK(run(home, work, {}, words, environment).out == sent + "\n");
      continue;
    }
    const auto problem = unmet(line, ran, server.requests(), server.refused(), work);
    CHECK(problem == "");
  }
  for (const auto& problem : server.shape_problems()) CHECK(problem == "");
}

// One test for each wire format, so that they run side by side.
void run_cases(const char* wire) {
  const auto named = [](std::string_view name) {
    return std::find_if(wires().begin(), wires().end(), [&](const Wire& one) { return one.name == name; });
  };
  const auto api = named(wire);
  for (const auto& entry :
       fs::directory_iterator(std::string(tern::places::source_tree()) + "/tests/cases")) {
    INFO(entry.path());
    CHECK(fs::exists(entry.path() / "scenario.json"));
    const auto wanted = lines_of(entry.path() / "apis");
    for (const auto& name : wanted) CHECK(named(name) != wires().end());
    const bool here =
        wanted.empty() ? api->of_each_case : std::find(wanted.begin(), wanted.end(), wire) != wanted.end();
    if (here) run_case(entry.path(), *api);
  }
}

}  // namespace

TEST_CASE("every case ends as it says over anthropic") { run_cases("anthropic"); }
TEST_CASE("every case ends as it says over chat completions") { run_cases("chat"); }
TEST_CASE("every case ends as it says over responses") { run_cases("responses"); }
TEST_CASE("every case ends as it says over gemini") { run_cases("gemini"); }
TEST_CASE("every case for ollama ends as it says") { run_cases("ollama"); }
