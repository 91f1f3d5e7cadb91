// The real program on a real pseudo-terminal, seen through the VT model. The demo model answers; no network.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <stdexcept>

#include "agent/store/store.h"
#include "compression/values/tokens.h"
#include "tests/support/places.h"
#include "tests/support/project_folder.h"
#include "tests/support/pty.h"
#include "ui/fronts/ui.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

struct TernRun {
  ProjectFolder folder;
  Pty pty;
  explicit TernRun(std::vector<std::string> args = {}, int columns = 80, int lines = 24)
      : pty(command(std::move(args)), options(folder, columns, lines)) {}
  static Pty::Options options(const ProjectFolder& folder, int columns = 80, int lines = 24) {
    return {.columns = columns,
            .lines = lines,
            .cwd = folder.project.string(),
            .environment = folder.environment("xterm-256color"),
            .deadline_seconds = 60};
  }
  static std::vector<std::string> command(std::vector<std::string> args) {
    args.insert(args.begin(), places::program());
    return args;
  }
  void trust() {
    REQUIRE(pty.until_text("Do you trust this folder?"));
    REQUIRE(pty.until_text("enter choose"));
    pty.send("1");
    REQUIRE(pty.until_gone("Do you trust this folder?"));
  }
  void leave() {
    pty.send("\x03");
    REQUIRE(pty.until_text("ctrl-c again to quit"));
    pty.send("\x03");
  }
};

}  // namespace

TEST_CASE("a first minute: trust, a prompt, an answer, and out") {
  TernRun run({"--model", "demo"});
  run.trust();
  REQUIRE(run.pty.until_text("demo"));
  run.pty.send("读 hello\r");
  REQUIRE(run.pty.until_text("▌ 读 hello"));
  REQUIRE(run.pty.until_text("This is the built-in demo"));
  REQUIRE(run.pty.until_gone("esc interrupt"));
  run.leave();
  CHECK(run.pty.until_exit() == 0);
  CHECK(run.pty.modes_restored());
  CHECK(run.pty.raw().find("\x1b[2J\x1b[?1049l") !=
        std::string::npos);                      // a terminal with one screen only gets a clean one
  const std::string left = run.pty.vt().text();  // the end of the talk, then the account
  CHECK(left.find("This is the built-in demo") < left.find("1 turn"));
  CHECK(left.find("╭") == std::string::npos);
}

TEST_CASE("the mode is shown before anything is asked") {
  TernRun run({"--model", "demo", "--permission-mode", "plan"});
  REQUIRE(run.pty.until_text("Do you trust this folder?"));
  CHECK(run.pty.vt().text().find("─ plan ─╯") != std::string::npos);
}

TEST_CASE("a paste of many lines is a chip and sends nothing") {
  TernRun run({"--model", "demo"});
  run.trust();
  std::string lines;
  for (int i = 0; i < 43; ++i) lines += "line " + std::to_string(i) + "\r";
  run.pty.send("\x1b[200~" + lines + "\x1b[201~");
  REQUIRE(run.pty.until_text("[Pasted 43 lines]"));
  CHECK(run.pty.vt().text().find("This is the built-in demo") == std::string::npos);
  run.pty.send("\r");
  REQUIRE(run.pty.until_text("This is the built-in demo"));
  CHECK(run.pty.vt().text().find("▌ [Pasted 43 lines]") != std::string::npos);
}

TEST_CASE("a storm of resizes ends in a whole screen") {
  TernRun run({"--model", "demo"});
  run.trust();
  for (int i = 0; i < 30; ++i) run.pty.resize(40 + i * 3, 10 + i);
  run.pty.resize(100, 30);
  REQUIRE(run.pty.until([](const Vt& vt) {
    const std::string last = vt.line(vt.lines() - 2);
    return last.starts_with("╰") && last.ends_with("╯") && last.size() > 240;
  }));
}

TEST_CASE("commands run and panels open and close") {
  TernRun run({"--model", "demo"});
  run.trust();
  run.pty.send("/help\r");
  REQUIRE(run.pty.until_text("Commands and keys"));
  run.pty.send("\x1b");
  REQUIRE(run.pty.until_gone("Commands and keys"));
  run.pty.send("/context\r");
  REQUIRE(run.pty.until_text("What fills it"));
  run.pty.send("q");
  REQUIRE(run.pty.until_gone("What fills it"));
}

TEST_CASE("every way out leaves the terminal as it was") {
  for (const int way : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT}) {
    INFO("signal " << way);
    TernRun run({"--model", "demo"});
    REQUIRE(run.pty.until_text("Do you trust this folder?"));
    run.pty.signal(way);
    CHECK(run.pty.until_exit() != -1);
    CHECK(run.pty.modes_restored());
    const bool crash = way == SIGSEGV || way == SIGABRT;
    CHECK(crash == (run.pty.raw().find("tern --continue resumes") != std::string::npos));
  }
  TernRun run({"--model", "demo"});
  REQUIRE(run.pty.until_text("Do you trust this folder?"));
  run.pty.hang_up();
  CHECK(run.pty.until_exit() != -1);
}

TEST_CASE("an exception out of the screen leaves the terminal as it was") {
  const ProjectFolder folder;
  Pty::Options options = TernRun::options(folder);
  options.before_exec = [] {  // the screen in this process, with a core that throws when it is to stop
    Mailbox<Command> commands;
    Mailbox<Event> events;
    events.push(TurnStarted{1});
    UiDeps deps{.commands = commands,
                .events = events,
                .interrupt = [] { throw std::runtime_error("out of the blue"); },
                .on_wake = [](std::function<void()>) {}};
    try {
      run_ui(deps);
    } catch (const std::runtime_error&) {
      _exit(7);
    }
    _exit(8);
  };
  Pty pty({"/bin/false"}, options);
  REQUIRE(pty.until_text("esc interrupt"));
  pty.send("\x1b");
  CHECK(WEXITSTATUS(pty.until_exit()) == 7);
  CHECK(pty.modes_restored());
}

namespace {

// A shell with one job and as little job control as there can be: it says when the program stops, and a line
// takes it back.
void small_shell() {
  const pid_t job = fork();
  ::signal(SIGTTOU, SIG_IGN);
  setpgid(job, job);
  tcsetpgrp(STDIN_FILENO, job == 0 ? getpid() : job);
  if (job == 0) {
    ::signal(SIGTTOU, SIG_DFL);
    return;
  }
  for (int status = 0; waitpid(job, &status, WUNTRACED) == job;) {
    if (!WIFSTOPPED(status)) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
    tcsetpgrp(STDIN_FILENO, getpid());
    static constexpr std::string_view said = "[1]+  Stopped\r\n";
    (void)!write(STDOUT_FILENO, said.data(), said.size());
    for (char c = 0; c != '\n';)
      if (read(STDIN_FILENO, &c, 1) <= 0) _exit(1);
    tcsetpgrp(STDIN_FILENO, job);
    kill(-job, SIGCONT);
  }
  _exit(1);
}

// What stands between a terminal and the program under `xterm -e sh -c`: it waits, and knows nothing of
// stopped children.
void blind_parent() {
  const pid_t child = fork();
  if (child == 0) return;
  int status = 0;
  waitpid(child, &status, 0);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

Pty::Options under(const ProjectFolder& folder, void (*parent)()) {
  Pty::Options options = TernRun::options(folder);
  options.before_exec = parent;
  return options;
}

void take_trust(Pty& pty) {
  REQUIRE(pty.until_text("enter choose"));
  pty.send("1");
  REQUIRE(pty.until_gone("Do you trust this folder?"));
}

void quit(Pty& pty) {
  pty.send("\x03");
  REQUIRE(pty.until_text("ctrl-c again to quit"));
  pty.send("\x03");
  CHECK(pty.until_exit() == 0);
  CHECK(pty.modes_restored());
}

std::string editor(const ProjectFolder& folder, std::string_view script) {
  const fs::path path = folder.project / "editor";
  std::ofstream(path) << "#!/bin/sh\n" << script;
  fs::permissions(path, fs::perms::owner_all);
  return path.string();
}

}  // namespace

TEST_CASE("to the shell and back leaves and takes the terminal") {
  const ProjectFolder folder;
  Pty pty(TernRun::command({"--model", "demo"}), under(folder, small_shell));
  take_trust(pty);
  pty.send("\x1a");
  REQUIRE(pty.until_text("Stopped"));
  CHECK(!pty.vt().alternate());
  CHECK(pty.modes_restored());
  pty.send("fg\n");
  REQUIRE(pty.until([](const Vt& vt) { return vt.alternate(); }));
  REQUIRE(pty.until_text("ask, or / for commands"));
  quit(pty);
}

TEST_CASE("where nobody could continue a stopped program, Ctrl-Z does not stop it") {
  const ProjectFolder folder;
  SECTION("the leader of the session says so") {
    Pty pty(TernRun::command({"--model", "demo"}), TernRun::options(folder));
    take_trust(pty);
    pty.send("\x1a");
    REQUIRE(pty.until_text("tern wasn't started from a shell"));
    quit(pty);
  }
  SECTION("the child of one that waits") {
    Pty pty(TernRun::command({"--model", "demo"}), under(folder, blind_parent));
    take_trust(pty);
    pty.send("\x1a");
    pty.send("still here");  // what is typed right behind it stays, too
    REQUIRE(pty.until_text("tern wasn't started from a shell"));
    REQUIRE(pty.until_text("❯ still here"));
    pty.send("\x15");
    REQUIRE(pty.until_gone("still here"));
    quit(pty);
  }
}

TEST_CASE("an editor that is stopped stops with us, and its text comes back") {
  const ProjectFolder folder;
  Pty::Options options = under(folder, small_shell);
  options.environment.emplace_back("VISUAL",
                                   editor(folder, "kill -TSTP 0\necho edited after a stop > \"$1\"\n"));
  Pty pty(TernRun::command({"--model", "demo"}), options);
  take_trust(pty);
  pty.send("\x07");
  REQUIRE(pty.until_text("Stopped"));
  pty.send("fg\n");
  REQUIRE(pty.until_text("❯ edited after a stop"));
  pty.send("\x15");
  REQUIRE(pty.until_gone("edited after a stop"));
  quit(pty);
}

TEST_CASE("what ends the program ends it while the editor is open") {
  for (const int way : {SIGTERM, SIGHUP}) {
    const ProjectFolder folder;
    Pty::Options options = TernRun::options(folder);
    options.environment.emplace_back("VISUAL", editor(folder, "echo the editor is open\nread line\n"));
    Pty pty(TernRun::command({"--model", "demo"}), options);
    take_trust(pty);
    pty.send("\x07");
    REQUIRE(pty.until_text("the editor is open"));
    pty.signal(way);
    CHECK(pty.until_exit() != -1);
    CHECK(pty.modes_restored());
  }
}

TEST_CASE("an approval: the number acts, and the file is there") {
  TernRun run({"--model", "demo"});
  run.trust();
  run.pty.send("tour\r");
  REQUIRE(run.pty.until_text("Write tern-demo-scratch.txt"));
  REQUIRE(run.pty.until_text("enter choose"));
  run.pty.send("1");
  REQUIRE(run.pty.until_text("Edit tern-demo-scratch.txt"));
  CHECK(run.pty.vt().text().find("2 − second line") != std::string::npos);  // numbered as in the file
  REQUIRE(run.pty.until_text("enter choose"));
  run.pty.send("3");
  REQUIRE(run.pty.until_text("Tell tern what to do instead:"));
  run.pty.send("not now\r");
  REQUIRE(run.pty.until_text("rejected"));
  CHECK(fs::exists(run.folder.project / "tern-demo-scratch.txt"));
}

TEST_CASE("escape stops a command at once and gives what was queued back") {
  TernRun run({"--model", "demo"});
  run.trust();
  run.pty.send("!sleep 60\r");
  REQUIRE(run.pty.until_text("esc interrupt"));
  run.pty.send("later words\t");
  REQUIRE(run.pty.until_text("take back"));
  run.pty.send("\x1b");
  REQUIRE(run.pty.until_gone("esc interrupt"));
  REQUIRE(run.pty.until_text("❯ later words"));
}

TEST_CASE("an earlier conversation comes back, with what the person ran") {
  TernRun run({"--model", "demo"}, 80, 44);
  run.trust();
  run.pty.send("!echo run by hand\r");
  REQUIRE(run.pty.until_text("│ run by hand"));
  run.pty.send("hello\r");
  REQUIRE(run.pty.until_text("This is the built-in demo"));
  REQUIRE(run.pty.until_gone("esc interrupt"));
  run.pty.send("/clear\r");
  REQUIRE(run.pty.until_gone("This is the built-in demo"));
  run.pty.send("/resume\r");
  REQUIRE(run.pty.until_text("Conversations in this folder"));
  run.pty.send("\r");
  REQUIRE(run.pty.until_text("This is the built-in demo"));
  CHECK(run.pty.vt().text().find("echo run by hand") != std::string::npos);
  run.pty.send("\x1b\x1b");
  REQUIRE(run.pty.until_text("Rewind to"));
  run.pty.send("\r");
  REQUIRE(run.pty.until_text("conversation only"));
  run.pty.send("\r");
  REQUIRE(run.pty.until_text("/redo undoes this"));
  CHECK(run.pty.vt().text().find("❯ hello") != std::string::npos);
  CHECK(run.pty.vt().text().find("This is the built-in demo") == std::string::npos);
  run.pty.send("\x03/redo\r");
  REQUIRE(run.pty.until_text("The conversation is back"));
  CHECK(run.pty.vt().text().find("This is the built-in demo") != std::string::npos);
}

TEST_CASE("a long conversation comes back from its end, and its beginning when somebody goes there") {
  ProjectFolder folder;
  {
    Pty first(TernRun::command({"--model", "demo", "hello"}), TernRun::options(folder));
    REQUIRE(first.until_text("enter choose"));
    first.send("1");
    REQUIRE(first.until_text("This is the built-in demo"));
    REQUIRE(first.until_gone("esc interrupt"));
    first.send("\x04");
    REQUIRE(first.until_exit() == 0);
  }
  {
    auto store = Store::open({.folder = folder.project / ".compression"});
    std::string why;
    REQUIRE(store->newest(why));
    store->transact([&] {
      for (int turn = 1; turn <= 1'500; ++turn)
        for (const Role role : {Role::user, Role::assistant}) {
          Item item;
          item.id = store->next_item();
          item.role = role;
          item.blocks.push_back(Text{(role == Role::user ? "question " : "answer ") + std::to_string(turn)});
          store->append(make_item(std::move(item)));
        }
    });
  }
  Pty pty(TernRun::command({"--model", "demo", "--continue"}), TernRun::options(folder));
  REQUIRE(pty.until_text("answer 1500"));
  pty.send("\x0f");
  REQUIRE(pty.until_text("transcript, unfolded"));
  pty.send("/question 7\r");  // the newest that fits: among those on the screen's side
  REQUIRE(pty.until_text("question 799"));
  pty.send("/built-in demo: scr\r");
  REQUIRE(pty.until_text("This is the built-in demo"));
  pty.send("Gg");
  REQUIRE(pty.until_text("▌ hello"));
}

TEST_CASE("a file made a moment ago is found by @ without another key") {
  TernRun run({"--model", "demo"});
  run.trust();
  run.pty.send("@note");
  REQUIRE(run.pty.until_text("@notes.txt"));
  run.pty.send("\x15");
  std::ofstream(run.folder.project / "brandnew.md") << "x";
  run.pty.send("@brand");
  REQUIRE(run.pty.until_text("@brandnew.md"));
}

TEST_CASE("the history search finds what was said before") {
  TernRun run({"--model", "demo"});
  run.trust();
  run.pty.send("!echo findme\r");
  REQUIRE(run.pty.until_text("│ findme"));
  run.pty.send(
      "\x12"
      "find");
  REQUIRE(run.pty.until_text("history: find"));
  run.pty.send("\r");
  REQUIRE(run.pty.until_gone("history: find"));
}

TEST_CASE(
    "inline: finished messages stay in the terminal's own lines, the live region below, also after a "
    "resize") {
  TernRun run({"--model", "demo", "--inline"}, 80, 24);
  run.trust();
  run.pty.send("hello\r");
  REQUIRE(run.pty.until_text("This is the built-in demo"));
  REQUIRE(run.pty.until_gone("esc interrupt"));
  CHECK_FALSE(run.pty.vt().alternate());
  run.pty.resize(60, 20);
  REQUIRE(run.pty.until_text("for keys"));
  REQUIRE(run.pty.until_gone(
      "/ for commands, @ for files, ? for keys  "));  // the frame is as narrow as the terminal now
  const std::string text = run.pty.vt().text();
  INFO(text);
  const auto frame = text.find("ask, or /");
  CHECK(text.find("ask, or /", frame + 1) == text.npos);  // one composer, no leftovers
  CHECK(text.find("This is the built-in demo") != text.npos);
  CHECK(run.pty.raw().find("\x1b[3J") == std::string::npos);  // what the terminal keeps is not ours to clear
  run.leave();
  CHECK(run.pty.until_exit() == 0);
  const std::string left = run.pty.vt().text();
  INFO(left);
  CHECK(left.find("╭") == left.npos);  // the region is taken away
  CHECK(left.find("This is the built-in demo") < left.find("1 turn"));
  CHECK(run.pty.modes_restored());
}

TEST_CASE("without colours nothing but attributes is sent") {
  const ProjectFolder folder;
  Pty::Options options = TernRun::options(folder);
  options.environment = folder.environment("xterm");
  options.environment.emplace_back("NO_COLOR", "1");
  Pty pty(TernRun::command({"--model", "demo"}), options);
  REQUIRE(pty.until_text("enter choose"));
  for (const std::string_view colour : {";3", ";4", "[3", "[9"})
    for (int digit = 0; digit < 8; ++digit)
      CHECK(pty.raw().find(std::string(colour) + std::to_string(digit) + "m") == std::string::npos);
}

// Not a test: TERN_PICTURE=file.svg build/app_tests "[picture]" draws the screen of the front page.
TEST_CASE("a picture of the screen", "[.][picture]") {
  const ProjectFolder folder;
  Pty::Options options = TernRun::options(folder, 108, 50);
  for (auto& [name, value] : options.environment)
    if (name == "HOME") value = folder.path.string();  // the folder is ~/project
  options.environment.emplace_back("COLORTERM", "truecolor");
  Pty pty(TernRun::command({"--demo", "--config", "theme=dark"}), options);
  REQUIRE(pty.until_text("enter choose"));
  pty.send("1");
  REQUIRE(pty.until_text("✂ shortened"));
  if (const char* file = getenv("TERN_PICTURE")) std::ofstream(file) << to_svg(pty.vt(), "tern --demo");
  pty.send("\x1b");
}

TEST_CASE("the long play shows the context being compressed") {
  const ProjectFolder folder;
  Pty::Options options = TernRun::options(folder, 120, 40);
  options.environment.emplace_back("TMPDIR", folder.path.string());  // its scratch project goes with the test
  Pty pty(TernRun::command({"--demo"}), options);
  REQUIRE(pty.until_text("Edit count.sh"));
  REQUIRE(pty.until_text("enter choose"));
  pty.send("1");
  REQUIRE(pty.until_text("compacted"));
  pty.send("\x1b");
  REQUIRE(pty.until_gone("esc interrupt"));
}

TEST_CASE("a draft outlives a hang-up and an order to end") {
  const ProjectFolder folder;
  const auto options = TernRun::options(folder);
  for (const bool hang_up : {true, false}) {
    const std::string draft = hang_up ? "half a thought" : "half a thought, and more";
    {
      Pty pty(TernRun::command({"--model", "demo"}), options);
      if (hang_up) {
        REQUIRE(pty.until_text("enter choose"));
        pty.send("1");
        REQUIRE(pty.until_gone("Do you trust this folder?"));
      } else {
        REQUIRE(pty.until_text("half a thought"));
      }
      pty.send(hang_up ? "half a thought" : ", and more");
      REQUIRE(pty.until_text(draft));
      hang_up ? pty.hang_up() : pty.signal(SIGTERM);
      pty.until_exit();
    }
    Pty pty(TernRun::command({"--model", "demo"}), options);
    REQUIRE(pty.until_text(draft));
    if (hang_up) {
      pty.signal(SIGTERM);
      pty.until_exit();
      continue;
    }
    pty.send("\r");
    REQUIRE(pty.until_text("This is the built-in demo"));
    REQUIRE(pty.until_gone("esc interrupt"));
    pty.signal(SIGTERM);
    pty.until_exit();
  }
  Pty pty(TernRun::command({"--model", "demo"}), options);
  REQUIRE(pty.until_text("ask, or / for commands"));
}

TEST_CASE("a paste that stalls sends nothing when it goes on") {
  TernRun run({"--model", "demo"});
  run.trust();
  run.pty.send("\x1b[200~first\r");
  REQUIRE(run.pty.until_text("first"));  // given up after a second of silence
  run.pty.send("second\rthird\r");
  REQUIRE(run.pty.until_text("third"));
  run.pty.send("\x1b[201~");
  run.pty.send(" typed");
  REQUIRE(run.pty.until_text("typed"));
  CHECK(run.pty.vt().text().find("This is the built-in demo") == std::string::npos);
}
