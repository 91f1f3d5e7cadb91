// What keys do to a shell: the popup, the ways to stop, clear and leave, and the dialog that comes in
// between.
#include <ctime>

#include "tests/ui/world.h"
#include "ui/text/width.h"

using namespace tern;

namespace {

PermissionAsked command_asked(std::uint64_t id) {
  PermissionAsked asked;
  asked.id = id;
  asked.tool = "Bash";
  asked.title = "Run this command?";
  asked.body = "make " + std::to_string(id);
  return asked;
}

void wait_idle(World& world) {
  world.shell.now_ms += 2'000;
  world.look(80, 24);
}

}  // namespace

TEST_CASE("a popup is gone when its text is") {
  for (const std::string_view key : {"ctrl-u", "ctrl-c"}) {
    World world;
    world.story();
    world.type("/cl");
    world.press(key);
    CHECK_FALSE(world.shell.completion.is_open());
    world.commands.drain();
    world.press("enter");
    CHECK(world.commands.drain().empty());
    CHECK_FALSE(world.shell.quitting);
  }
  World world;
  world.deps.list_files = [](std::stop_token) { return std::vector<std::string>{"a.cpp"}; };
  world.type("@");
  world.press("backspace");
  world.press("enter");
  CHECK(world.shell.composer.empty());
}

TEST_CASE("esc closes the popup until the text changes") {
  World world;
  world.type("/cl");
  world.press("escape");
  CHECK_FALSE(world.shell.completion.is_open());
  world.press("left");
  world.press("right");
  world.type("e");
  CHECK(world.shell.completion.is_open());
}

TEST_CASE("one esc stops the turn, whatever is open over the prompt") {
  for (const std::string_view text : {"/cl", "@a", "draft", ""}) {
    World world;
    world.deps.list_files = [](std::stop_token) { return std::vector<std::string>{"a.cpp"}; };
    world.tell(TurnStarted{1});
    world.type(text);
    world.press("escape");
    INFO(text);
    CHECK(world.interrupted);
    CHECK(world.sent<TakeBack>().size() == 1);
    CHECK_FALSE(world.shell.completion.is_open());
    CHECK(world.shell.composer.text() == text);
  }
  World world;
  world.shell.history.add("make clean");
  world.tell(TurnStarted{1});
  world.type("draft");
  world.press("ctrl-r");
  world.type("make");
  world.press("escape");
  CHECK(world.interrupted);
  CHECK_FALSE(world.shell.reverse);
  CHECK(world.shell.composer.text() == "draft");
}

TEST_CASE("the esc that stopped a turn is not the first of two that clear the prompt") {
  World world;
  world.tell(TurnStarted{1});
  world.type("draft");
  world.press("escape");
  world.tell(TurnEnded{TurnEnded::How::interrupted});
  world.shell.now_ms += 200;
  world.press("escape");
  CHECK(world.shell.composer.text() == "draft");
  world.shell.now_ms += 200;
  world.press("escape");
  CHECK(world.shell.composer.empty());
}

TEST_CASE("a prompt interrupted before anything came of it is there again") {
  World world;
  world.tell(TurnStarted{1});
  world.user("fix the tokenizer");
  world.press("escape");
  CHECK(world.shell.composer.text() == "fix the tokenizer");
  world.tell(TurnEnded{TurnEnded::How::interrupted, "", 130, 10});
  world.shell.composer.set("");
  world.tell(TurnStarted{2});
  world.user("and the parser");
  world.tell(Delta{DeltaKind::text, "I look"});
  world.press("escape");
  CHECK(world.shell.composer.empty());
  world.tell(TurnEnded{TurnEnded::How::interrupted, "", 130, 10});
  world.tell(TurnStarted{3});
  world.user("the lexer");
  world.type("later");
  world.press("escape");
  CHECK(world.shell.composer.text() == "later");
}

TEST_CASE("ctrl-r lists the prompts it finds, also before a word is typed") {
  World world;
  for (const char* said : {"run the tests", "read the lexer", "run the linter"})
    world.shell.history.add(said);
  world.press("ctrl-r");
  std::string screen = world.look(80, 24);
  INFO(screen);
  CHECK(screen.find("   run the tests\n   read the lexer\n   run the linter\n history: ▏") != screen.npos);
  world.type("run");
  world.press("ctrl-r");
  screen = world.look(80, 24);
  CHECK(screen.find(" ❯ run the tests\n   run the linter\n history: run▏") != screen.npos);
}

TEST_CASE("over a page esc closes the page, and the screen says which esc interrupts") {
  World world;
  world.tell(TurnStarted{1});
  world.tell(Page{"Status", "all is well"});
  CHECK(world.look(80, 24).find("esc esc interrupt") != std::string::npos);
  world.press("escape");
  CHECK_FALSE(world.interrupted);
  CHECK(world.look(80, 24).find(" · esc interrupt") != std::string::npos);
  world.press("escape");
  CHECK(world.interrupted);
}

TEST_CASE("esc on a dialog of a turn gives back what was queued") {
  World world;
  world.tell(TurnStarted{1});
  world.tell(command_asked(7));
  world.press("escape");
  CHECK(world.sent<TakeBack>().size() == 1);
}

TEST_CASE("the history has no popup over it") {
  World world;
  world.shell.history.add("first");
  world.shell.history.add("/compact");
  world.press("up");
  CHECK(world.shell.composer.text() == "/compact");
  world.press("up");
  CHECK(world.shell.composer.text() == "first");
  world.press("ctrl-c");
  world.type("/c");
  world.press("ctrl-r");
  world.type("comp");
  CHECK_FALSE(world.shell.completion.is_open());
  CHECK(world.look(80, 24).find("/context") == std::string::npos);
}

TEST_CASE("the exact name or alias of a command is the one that runs") {
  World world;
  world.type("/undo");
  world.press("enter");
  CHECK(world.sent<AskRewindPoints>().size() == 1);
  world.type("/compact");
  world.press("enter");
  CHECK(world.sent<Compact>().size() == 1);
}

TEST_CASE("ctrl-c that clears the prompt is not the first of two that leave") {
  World world;
  world.tell(TurnStarted{1});
  world.type("a draft");
  world.press("ctrl-c");
  CHECK(world.shell.composer.empty());
  CHECK_FALSE(world.interrupted);
  world.shell.now_ms += 300;
  world.press("ctrl-c");
  CHECK(world.interrupted);
  CHECK_FALSE(world.shell.quitting);
  world.shell.now_ms += 300;
  world.press("ctrl-c");
  CHECK(world.shell.quitting);
}

TEST_CASE("a dialog that comes up over the transcript view is seen") {
  World world;
  world.story();
  world.press("ctrl-o");
  world.tell(command_asked(7));
  const std::string screen = world.look(80, 24);
  INFO(screen);
  CHECK(screen.find("make 7") != std::string::npos);
  wait_idle(world);
  world.type("1");
  CHECK(world.sent<Answer>().size() == 1);
  CHECK(world.look(80, 24).find("transcript, unfolded") != std::string::npos);
}

TEST_CASE("a dialog ends a search in the history and leaves the draft") {
  World world;
  world.shell.history.add("make clean");
  world.type("draft");
  world.press("ctrl-r");
  world.type("make");
  world.tell(command_asked(7));
  CHECK(world.shell.composer.text() == "draft");
  CHECK_FALSE(world.shell.reverse);
}

TEST_CASE("the key that answers one dialog cannot answer the next") {
  World world;
  world.tell(command_asked(7));
  wait_idle(world);
  world.type("1");
  REQUIRE(world.sent<Answer>().size() == 1);
  world.shell.now_ms += 50;
  world.tell(command_asked(8));
  for (int i = 0; i < 40; ++i) {  // held down
    world.shell.now_ms += 30;
    world.look(80, 24);
    world.type("1");
  }
  CHECK(world.sent<Answer>().empty());
  CHECK(world.shell.approval.is_open());
  world.shell.now_ms += 900;
  world.type("1");
  CHECK(world.sent<Answer>().empty());
  wait_idle(world);
  world.type("1");
  CHECK(world.sent<Answer>().size() == 1);
}

TEST_CASE("a key that is held down answers nothing before the dialog listens") {
  World world;
  world.tell(command_asked(9));
  for (int i = 0; i < 100; ++i) {
    world.type("1");
    world.shell.now_ms += 30;
    world.look(80, 24);
  }
  CHECK(world.sent<Answer>().empty());
  wait_idle(world);
  world.type("1");
  CHECK(world.sent<Answer>().size() == 1);
}

TEST_CASE("esc says no to a dialog however young it is") {
  World world;
  world.tell(TurnStarted{1});
  world.tell(command_asked(7));
  world.press("escape");
  const auto answers = world.sent<Answer>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].verdict == Verdict::no);
  CHECK_FALSE(world.shell.approval.is_open());
}

TEST_CASE("the reason for a no takes pastes and shows its end") {
  World world;
  world.tell(command_asked(7));
  wait_idle(world);
  world.type("2");
  world.type("use ");
  handle_input(world.shell, Paste{"the staging host"});
  CHECK(world.shell.composer.empty());
  for (int i = 0; i < 30; ++i) world.type(" more");
  world.type(" END");
  const std::string screen = world.look(80, 24);
  INFO(screen);
  CHECK(screen.find("END▏") != std::string::npos);
  world.press("enter");
  const auto answers = world.sent<Answer>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].note.starts_with("use the staging host more"));
}

TEST_CASE("ctrl-c leaves the reason for a no") {
  World world;
  world.tell(command_asked(7));
  wait_idle(world);
  world.press("tab");
  CHECK(world.look(80, 24).find("Tell tern what") != std::string::npos);
  world.press("ctrl-c");
  const std::string screen = world.look(80, 24);
  CHECK(screen.find("Tell tern what") == std::string::npos);
  CHECK(screen.find("enter choose") != std::string::npos);
}

TEST_CASE("a dialog is no wider and no higher than the screen") {
  PermissionAsked asked = command_asked(7);
  asked.reason = "writes more than one file of this folder and one elsewhere";
  asked.grants = {{"make"}};
  for (int i = 0; i < 12; ++i)
    asked.body += " && echo a rather long line that has to be wrapped number " + std::to_string(i);
  for (const auto& [columns, lines] : {std::pair{20, 6}, {20, 24}, {40, 8}, {80, 24}, {24, 10}}) {
    World world;
    world.shell.last_key_ms = world.shell.now_ms - 5'000;
    world.tell(asked);
    world.shell.now_ms += 2'000;
    const std::string screen = world.look(columns, lines);
    INFO(screen);
    CHECK(screen.find("❯ 1. Yes") != std::string::npos);
    CHECK(screen.find("make 7 && echo") != std::string::npos);
    CHECK(screen.find(columns <= 24 ? "3. No" : "3. No, tell") != std::string::npos);
    const Bottom bottom = bottom_part(world.shell, {columns, lines});
    CHECK(static_cast<int>(bottom.rows.size()) < lines);
    for (const Row& row : bottom.rows) CHECK(width(row.text) <= columns);
    for (const Row& row : bottom.rows)
      if (row.text.starts_with("│")) CHECK(row.text.ends_with(" │"));
  }
}

TEST_CASE("a grant that had no room is shown before it is given") {
  World world;
  PermissionAsked asked = command_asked(7);
  asked.grants = {{"a command with a rather long name and more"}};
  world.tell(asked);
  world.shell.now_ms += 2'000;
  world.look(30, 7);
  world.type("2");
  CHECK(world.sent<Answer>().empty());
  const std::string screen = world.look(30, 7);
  INFO(screen);
  CHECK(screen.find("rather long name") != std::string::npos);
  world.type("2");
  CHECK(world.sent<Answer>().size() == 1);
}

TEST_CASE("a dialog says how much more there is, wherever one reads") {
  World world;
  PermissionAsked asked = command_asked(7);
  for (int i = 0; i < 60; ++i) asked.body += "\necho " + std::to_string(i);
  world.tell(asked);
  wait_idle(world);
  CHECK(world.look(80, 24).find("more lines · pgdn") != std::string::npos);
  for (int i = 0; i < 60; ++i) world.press("pagedown"), world.look(80, 24);
  CHECK(world.look(80, 24).find("… end · pgup") != std::string::npos);
  world.press("pageup");
  const std::string screen = world.look(80, 24);
  INFO(screen);
  CHECK(screen.find("more lines · pgup pgdn") != std::string::npos);
}

TEST_CASE("a large diff in a dialog is laid out once") {
  World world;
  PermissionAsked asked = command_asked(7);
  asked.diff = "@@ -0,0 +1,60000 @@\n";
  for (int i = 0; i < 60'000; ++i) asked.diff += "+line " + std::to_string(i) + " of a file\n";
  world.tell(asked);
  const auto frame_time =
      [&](int frames) {  // the thread's own time: what else the machine does makes no difference
        const auto now = [] {
          timespec at{};
          ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
          return at.tv_sec * 1'000'000'000LL + at.tv_nsec;
        };
        const auto begin = now();
        for (int i = 0; i < frames; ++i) bottom_part(world.shell, {80, 24});
        return now() - begin;
      };
  const auto first = frame_time(1);
  CHECK(frame_time(20) < 4 * first);  // before: twenty times as long
}

TEST_CASE("what concerns the terminal holds over every page and in every search") {
  World world;
  const auto works = [&] {
    world.press("ctrl-z");
    world.press("ctrl-l");
    return std::exchange(world.shell.suspend, false) && std::exchange(world.shell.repaint, false);
  };
  world.press("?");
  CHECK(works());
  world.press("/");
  CHECK(works());
  CHECK(world.shell.overlay->find == "");
  world.press("escape");
  world.press("escape");
  world.press("ctrl-r");
  CHECK(works());
  CHECK(world.shell.reverse == "");
}

TEST_CASE("a command with what it expands to is not said twice in its dialog") {
  World world;
  PermissionAsked asked;
  asked.id = 7;
  asked.tool = "Bash";
  asked.title = "Bash rm -rf build && make";
  asked.body = "rm -rf build && make\n  → rm -rf build";
  world.tell(asked);
  const std::string seen = world.look(80, 24);
  CHECK(seen.find("─ Run ─") != std::string::npos);
  CHECK(seen.find("Bash rm") == std::string::npos);
}

TEST_CASE("the history search goes to older prompts and back to newer ones") {
  World world;
  for (const char* said : {"make one", "make two", "list", "make three"}) world.shell.history.add(said);
  world.press("ctrl-r");
  world.type("make");
  CHECK(world.shell.composer.text() == "make three");
  world.press("ctrl-r");
  world.press("ctrl-r");
  CHECK(world.shell.composer.text() == "make one");
  world.press("ctrl-s");
  CHECK(world.shell.composer.text() == "make two");
  world.press("ctrl-s");
  world.press("ctrl-s");  // there is no newer one
  CHECK(world.shell.composer.text() == "make three");
  world.press("ctrl-r");
  CHECK(world.shell.composer.text() == "make two");
  world.press("enter");
  CHECK(world.shell.composer.text() == "make two");
}

TEST_CASE(
    "home and end go through the conversation while nothing is written, and through the line otherwise") {
  World world;
  for (int i = 0; i < 60; ++i) world.user("prompt " + std::to_string(i));
  world.look(80, 24);
  world.press("home");
  CHECK(world.look(80, 24).find("prompt 0\n") != std::string::npos);
  world.press("end");
  CHECK(world.look(80, 24).find("prompt 59") != std::string::npos);
  CHECK(world.shell.transcript.following());
  world.type("ab");
  world.press("home");
  world.type("c");
  CHECK(world.shell.composer.text() == "cab");
  CHECK(world.shell.transcript.following());
}

namespace {
PermissionAsked scoped_question() {
  PermissionAsked asked = command_asked(7);
  asked.grants = {{"any command that begins with `npm test`", false},
                  {"any command that begins with `npm test`", true},
                  {"the command `npm test -- one`", false},
                  {"the command `npm test -- one`", true}};
  return asked;
}
}  // namespace

TEST_CASE("every way to say always is offered, for the session or for the project") {
  World world;
  world.tell(scoped_question());
  wait_idle(world);
  const std::string session = world.look(100, 30);
  INFO(session);
  CHECK(session.find(
            "2. Yes, and don't ask again for any command that begins with `npm test` (this session)") !=
        session.npos);
  CHECK(session.find("3. Yes, and don't ask again for the command `npm test -- one` (this session)") !=
        session.npos);
  CHECK(session.find("4. No") != session.npos);
  CHECK(session.find("←→ for this project") != session.npos);
  world.press("right");
  const std::string project = world.look(100, 30);
  INFO(project);
  CHECK(project.find("3. Yes, and don't ask again for the command `npm test -- one` (this project)") !=
        project.npos);
  CHECK(project.find("(this session)") == project.npos);
  world.type("3");
  const auto answers = world.sent<Answer>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].verdict == Verdict::yes_remember);
  CHECK(answers[0].choice == 3);
}

TEST_CASE("the scope of always is chosen with the arrows alone") {
  World world;
  world.tell(scoped_question());
  wait_idle(world);
  world.look(100, 30);
  world.press("down");
  world.press("down");
  world.press("enter");
  const auto answers = world.sent<Answer>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].choice == 2);
}

TEST_CASE("alt-p goes to plan mode and back to the mode before it") {
  World world;
  const auto mode = [&](PermissionMode now) {
    Meters meters;
    meters.mode = now;
    world.tell(meters);
    world.press("alt-p");
    return world.sent<SetMode>().back().mode;
  };
  CHECK(mode(PermissionMode::plan) == PermissionMode::ask);
  CHECK(mode(PermissionMode::accept_edits) == PermissionMode::plan);
  CHECK(mode(PermissionMode::plan) == PermissionMode::accept_edits);
}
