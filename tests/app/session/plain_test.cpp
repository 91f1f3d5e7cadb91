// The linear log through pipes: what a screen reader or a script meets.
#include <catch2/catch_test_macros.hpp>
#include <cstdio>
#include <string>

#include "tests/support/headless.h"
#include "tests/support/places.h"
#include "tests/support/project_folder.h"
#include "tests/support/pty.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

std::string run(const ProjectFolder& folder, const std::string& typed, const std::string& flags,
                const std::string& term = "xterm") {
  std::ofstream(folder.path / "typed") << typed;
  std::string command = "cd " + folder.project.string() + " && env -i PATH=\"$PATH\" ";
  for (const auto& [name, value] : folder.environment(term)) command += name + "=" + value + " ";
  command += std::string(places::program()) + " --model demo " + flags + " <../typed 2>&1";
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  char bytes[4096];
  for (std::size_t got = 0; (got = fread(bytes, 1, sizeof bytes, pipe)) > 0;) out.append(bytes, got);
  pclose(pipe);
  return out;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("a pipe gets a linear log: each line, then its answer, no escapes") {
  const ProjectFolder folder;
  const std::string out = run(folder, "hello\nread notes.txt\n", "--plain");
  INFO(out);
  const auto hello = out.find("> hello"), demo = out.find("This is the built-in demo"),
             read = out.find("> read notes.txt");
  CHECK(hello < demo);
  CHECK(demo < read);
  CHECK(read != out.npos);
  CHECK(out.find("* Read notes.txt") > read);
  CHECK(count(out, "\nready\n") == 2);
  CHECK(out.find("resume with: tern --resume") != out.npos);
  CHECK(out.find('\x1b') == out.npos);
}

TEST_CASE("a linear log offers no key that it does not read") {
  const ProjectFolder folder;
  const std::string out = run(folder, "/help\n/keys\n", "--plain");
  INFO(out);
  CHECK(out.find("/compact") != out.npos);
  for (const char* key : {"shift-tab", "ctrl-o", "ctrl-g", "ctrl-t", "pageup", "wheel", "? keys"})
    CHECK(out.find(key) == out.npos);
}

TEST_CASE("a dumb terminal with a pipe is a linear log too, any other pipe is told the way out") {
  const ProjectFolder folder;
  CHECK(run(folder, "hello\n", "", "dumb").find("This is the built-in demo") != std::string::npos);
  CHECK(run(folder, "hello\n", "").find("tern --plain talks line by line") != std::string::npos);
}

TEST_CASE("a question is answered by the next line; any other text rejects it and says why") {
  const ProjectFolder folder;
  const std::string out = run(folder, "tour\n1\ncall it b.txt instead\n", "--plain");
  INFO(out);
  CHECK(out.find("Permission: Write tern-demo-scratch.txt") < out.find("> 1"));
  CHECK(out.find("Permission: Edit tern-demo-scratch.txt") < out.find("> call it b.txt instead"));
  CHECK(fs::exists(folder.project / "tern-demo-scratch.txt"));
  std::ifstream file(folder.project / "tern-demo-scratch.txt");
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}).find("edited") == std::string::npos);
}

TEST_CASE("a number that nothing has is asked for again, and goes to no model") {
  const ProjectFolder folder;
  const std::string out = run(folder, "tour\n7\n2\n/theme\n99\n2\n/copy\n/todos\n", "--plain");
  INFO(out);
  CHECK(count(out, "a letter; this was not sent") >= 1);
  CHECK(fs::exists(folder.project / "tern-demo-scratch.txt"));
  const auto wrong = out.find("there is no 99 in the list");
  REQUIRE(wrong != out.npos);
  CHECK(out.find("answer with 1 to", wrong) != out.npos);
  CHECK(count(out, "1 turn") == 1);
  CHECK(out.find("clipboard") == out.npos);
  CHECK(out.find("- no tasks yet") != out.npos);
}

TEST_CASE("y is a yes, and an answer that may be one is asked for again") {
  const ProjectFolder folder;
  const std::string out = run(folder, "tour\nok\ny\nn\n", "--plain");
  INFO(out);
  CHECK(count(out, "a letter; this was not sent") == 1);
  CHECK(out.find("Permission: Write tern-demo-scratch.txt") < out.find("> ok"));
  CHECK(fs::exists(folder.project / "tern-demo-scratch.txt"));
}

TEST_CASE("the end of the input is a no, and the turn still ends") {
  const ProjectFolder folder;
  const std::string out = run(folder, "tour\n", "--plain");
  INFO(out);
  CHECK(out.find("Permission: Write") != out.npos);
  CHECK_FALSE(fs::exists(folder.project / "tern-demo-scratch.txt"));
  CHECK(out.find("resume with:") != out.npos);
}

TEST_CASE("commands, pages and lists are the same ones") {
  const ProjectFolder folder;
  const std::string out =
      run(folder, "hello\n/status\n/theme\n2\n!echo from the shell\n/context\n/nonsense\n", "--plain");
  INFO(out);
  CHECK(out.find("session ") != out.npos);
  CHECK(out.find("2. dark") != out.npos);
  CHECK(out.find("from the shell\n") != out.npos);
  CHECK(out.find("What fills it") != out.npos);
  CHECK(out.find("no command /nonsense") != out.npos);
  CHECK(out.find("█") == out.npos);
}

TEST_CASE("a list with letters of its own takes a number, and any other line closes it") {
  const ProjectFolder folder;
  const std::string out = run(folder, "/login\nhello\n/model\n1\n", "--plain");
  INFO(out);
  CHECK(out.find("\n1. Paste a key · Anthropic") != out.npos);
  CHECK(out.find("built-in demo") != out.npos);  // hello was answered
  CHECK(out.find("1. demo/demo") != out.npos);
  CHECK(out.find(" · in use") != out.npos);
  CHECK(out.find("Model: demo/demo") != out.npos);
}

TEST_CASE("a compaction can be looked at and turned down") {
  const ProjectFolder folder;
  const std::string out =
      run(folder, "hello\nread notes.txt\nhello\nread notes.txt\n/compact --preview\nd\nhello\n", "--plain");
  INFO(out);
  const auto preview = out.find("> /compact --preview");
  REQUIRE(preview != out.npos);
  CHECK(out.find("accept", preview) < out.find("> d\n", preview));
  CHECK(out.find("\n5 turns") != out.npos);  // the answer went to the preview, not to the model
}

TEST_CASE("a session gone on with says so once, and repeats nothing") {
  const ProjectFolder folder;
  run(folder, "hello\n!false\nhello\n", "--plain");
  const std::string out = run(folder, "", "--plain --continue");
  INFO(out);
  CHECK(count(out, "- continuing ") == 1);
  CHECK(count(out, "ready\n") == 0);
  CHECK(out.find("This is the built-in demo") == out.npos);
}

TEST_CASE("at a terminal a linear log says who answers before it asks for the first line") {
  const test::Home home;  // its folder is trusted
  Pty pty({places::program(), "--model", "demo", "--plain"},
          {.cwd = home.work.string(),
           .environment = {{"HOME", home.path.string()}, {"TERM", "dumb"}},
           .deadline_seconds = 60});
  const auto prompt = [&] { return pty.raw().find("\n> "); };
  REQUIRE(pty.until([&](const Vt&) { return prompt() != std::string::npos; }));
  CHECK(pty.raw().find("- Demo: scripted replies") < prompt());
  pty.send("\x04");
  CHECK(pty.until_exit() == 0);
}

TEST_CASE("a call that fails before it begins is named in a linear log, with the reason") {
  const ProjectFolder folder;
  std::ofstream(folder.project / "tern-demo-scratch.txt") << "mine\n";
  const std::string out = run(folder, "tour\n", "--plain");
  INFO(out);
  CHECK(out.find("* Write tern-demo-scratch.txt\n  failed: File has not been read yet.") != out.npos);
}
