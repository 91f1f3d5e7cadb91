#include "tests/ui/world.h"

using namespace tern;

TEST_CASE("the conversation at every size") {
  World world;
  world.story();
  CHECK_GOLDEN("screen_80x24", world.look(80, 24));
  CHECK_GOLDEN("screen_120x40", world.look(120, 40));
  CHECK_GOLDEN("screen_200x50", world.look(200, 50));
  CHECK_GOLDEN("screen_40x12", world.look(40, 12));
}

TEST_CASE("the first screen says where one is") {
  World world;
  world.meters(0.02);
  CHECK_GOLDEN("welcome_80x24", world.look(80, 24));
}

TEST_CASE("the dialog shows the whole command and takes no key meant for the prompt") {
  World world;
  world.story();
  PermissionAsked asked;
  asked.id = 7;
  asked.tool = "Bash";
  asked.title = "Run this command?";
  asked.body = "npm run build && rm -rf ./dist";
  asked.reason = "rm -rf deletes files";
  asked.grants = {{"any command that begins with `npm run`"}};
  world.shell.last_key_ms = world.shell.now_ms - 100;
  world.tell(asked);
  world.shell.approval.open(asked, world.shell.now_ms);
  CHECK_GOLDEN("approval_80x24_busy", world.look(80, 24));
  world.type("1");
  CHECK(world.sent<Answer>().empty());
  CHECK(world.shell.composer.text() == "1");
  world.shell.now_ms += 2'000;
  CHECK_GOLDEN("approval_80x24", world.look(80, 24));
  world.type("1");
  const auto answers = world.sent<Answer>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].verdict == Verdict::yes);
}

TEST_CASE("the dialog keeps its choices on the smallest screen") {
  World world;
  world.shell.approval.open(PermissionAsked{.id = 7,
                                            .tool = "Write",
                                            .title = "Write tern-demo-scratch.txt",
                                            .body = "one\ntwo\nthree\n",
                                            .reason = "writes tern-demo-scratch.txt and more",
                                            .grants = {{"Edit(everything below here)"}}},
                            world.shell.now_ms);
  world.look(40, 12);
  const std::string screen = world.look(40, 12);
  INFO(screen);
  CHECK(screen.find("3. No") != std::string::npos);
}

TEST_CASE("a yes works at once, and the end of a long command is on the first screen") {
  World world;
  PermissionAsked asked;
  asked.id = 8;
  asked.tool = "Bash";
  for (int i = 0; i < 200; ++i) asked.body += "echo line " + std::to_string(i) + "\n";
  asked.body += "rm -rf ~";
  world.tell(asked);
  world.shell.now_ms += 2'000;
  const std::string screen = world.look(80, 24);
  INFO(screen);
  CHECK(screen.find("echo line 0") != screen.npos);
  CHECK(screen.find("more lines · pgdn · f full screen") != screen.npos);
  CHECK(screen.find("rm -rf ~") != screen.npos);
  world.type("y");
  const auto answers = world.sent<Answer>();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].verdict == Verdict::yes);
}

TEST_CASE("a new file is approved with one key at every size") {
  for (const auto& [columns, lines] : {std::pair{100, 40}, {80, 24}, {40, 12}, {30, 8}}) {
    World world;
    PermissionAsked asked{.id = 9, .tool = "Write", .title = "Write notes/todo.md", .body = "{}"};
    asked.diff = "@@ -0,0 +1,60 @@\n";
    for (int i = 0; i < 60; ++i) asked.diff += "+- item " + std::to_string(i) + "\n";
    asked.grants = {{"edits in notes/"}};
    world.tell(asked);
    world.shell.now_ms += 2'000;
    const std::string screen = world.look(columns, lines);
    INFO(screen);
    CHECK(screen.find("more lines · pgdn") != screen.npos);
    if (columns > 30) CHECK(screen.find("Write notes/todo.md") != screen.npos);
    if (columns > 40) CHECK(screen.find("60 lines") != screen.npos);
    world.press("enter");
    CHECK(world.sent<Answer>().size() == 1);
  }
}

TEST_CASE("f gives a diff the whole screen, and esc leaves that before it rejects") {
  World world;
  world.story();
  PermissionAsked asked{.id = 9, .tool = "Edit", .title = "Edit src/a.cpp", .body = "{}"};
  asked.diff = "@@ -1,60 +1,60 @@\n";
  for (int i = 0; i < 60; ++i)
    asked.diff += "-old " + std::to_string(i) + "\n+new " + std::to_string(i) + "\n";
  world.tell(asked);
  world.shell.now_ms += 2'000;
  CHECK(world.look(100, 50).find("+60 −60") != std::string::npos);
  world.type("f");
  const std::string full = world.look(100, 50);
  INFO(full);
  CHECK(full.find("All 34 tests pass") == full.npos);
  CHECK(full.find("new 19") != full.npos);
  world.press("pagedown");
  CHECK(world.look(100, 50).find("new 30") != std::string::npos);
  world.press("escape");
  CHECK(world.sent<Answer>().empty());
  world.press("escape");
  REQUIRE(world.sent<Answer>().size() == 1);
}

TEST_CASE("a and n answer as well, and n asks what to do instead") {
  World world;
  PermissionAsked asked{
      .id = 9, .tool = "Bash", .title = "Bash make", .body = "make", .grants = {{"`make …`"}}};
  const auto ask = [&] {
    ++asked.id;
    world.tell(asked);
    world.shell.now_ms += 2'000;
    world.look(80, 24);
  };
  ask();
  world.type("a");
  CHECK(world.sent<Answer>().at(0).verdict == Verdict::yes_remember);
  ask();
  world.type("n");
  CHECK(world.look(80, 24).find("❯ 3. No") != std::string::npos);
  world.type("use ninja");
  world.press("enter");
  const auto said = world.sent<Answer>();
  REQUIRE(said.size() == 1);
  CHECK(said[0].note == "use ninja");
}

TEST_CASE("on a low screen a diff begins where something changes") {
  World world;
  PermissionAsked asked{
      .id = 9, .tool = "Edit", .title = "Edit src/a.cpp", .body = "{}", .reason = "writes src/a.cpp"};
  asked.diff = "@@ -1,7 +1,7 @@\n one\n two\n three\n four\n-five\n+FIVE\n six\n seven\n";
  asked.grants = {{"edits in src/"}};
  world.tell(asked);
  world.shell.now_ms += 2'000;
  const std::string screen = world.look(40, 12);
  INFO(screen);
  CHECK(screen.find("5 + FIVE") != screen.npos);
  CHECK(world.look(80, 24).find("1   one") != std::string::npos);
}

TEST_CASE("ctrl-o opens nothing behind a question") {
  World world;
  world.story();
  world.tell(PermissionAsked{.id = 9, .tool = "Bash", .title = "Bash make", .body = "make"});
  world.shell.now_ms += 2'000;
  world.press("ctrl-o");
  CHECK_FALSE(world.shell.transcript_view);
}

TEST_CASE("prompt, command, shell line and note go where they belong") {
  World world;
  world.type("fix it");
  world.press("enter");
  auto submits = world.sent<Submit>();
  REQUIRE(submits.size() == 1);
  CHECK(submits[0].text == "fix it");
  world.type("!make");
  world.press("enter");
  CHECK(world.sent<ShellLine>().size() == 1);
  world.type("# use tabs");
  world.press("enter");
  CHECK(world.sent<MemoryNote>()[0].text == "use tabs");
  world.type("/undo-c 2");
  world.press("enter");
  CHECK(world.sent<UndoCompact>()[0].steps == 2);
  world.type("/compact keep the API");
  world.press("enter");
  CHECK(world.sent<Compact>()[0].focus == "keep the API");
}

TEST_CASE("escape interrupts and asks for the queue back") {
  World world;
  world.tell(TurnStarted{1});
  world.press("escape");
  CHECK(world.interrupted);
  CHECK(world.sent<TakeBack>().size() == 1);
}

TEST_CASE("escape stops a shell line and a compaction too") {
  World world;
  world.tell(ToolStarted{"shell_1", "Bash", "Bash", "sleep 30", "sleep 30"});
  world.press("escape");
  CHECK(world.interrupted);
  ToolFinished done;
  done.call_id = "shell_1";
  world.tell(done);
  CHECK_FALSE(world.shell.view.working);

  world.interrupted = false;
  world.tell(Compaction{.phase = CompactionPhase::started});
  world.press("escape");
  CHECK(world.interrupted);
  world.tell(Compaction{.phase = CompactionPhase::failed});
  CHECK_FALSE(world.shell.view.working);
}

TEST_CASE("what happens inside a turn does not end it") {
  World world;
  world.tell(TurnStarted{1});
  world.tool("Read", "a.cpp", "3 lines");
  world.tell(Compaction{.phase = CompactionPhase::started});
  world.tell(Compaction{.phase = CompactionPhase::completed});
  world.meters(0.1);
  CHECK(world.shell.view.working);
  world.tell(TurnEnded{});
  CHECK_FALSE(world.shell.view.working);
}

TEST_CASE("rewinding offers the newest prompt first") {
  World world;
  world.shell.view.rewind = {{ItemId{3}, "new", "10:01", 0}, {ItemId{1}, "old", "10:00", 0}};
  open_pages(world.shell);
  REQUIRE(world.shell.overlay);
  CHECK(world.shell.overlay->selected == 0);
}

TEST_CASE("r rewinds at once, and with the files that have changed since") {
  for (const int files : {0, 2}) {
    World world;
    world.shell.view.rewind = {{ItemId{3}, "new", "10:01", files, files}};
    open_pages(world.shell);
    world.press("r");
    const auto sent = world.sent<Rewind>();
    REQUIRE(sent.size() == 1);
    CHECK(sent[0].item == ItemId{3});
    CHECK(sent[0].conversation);
    CHECK(sent[0].files == (files > 0));
    CHECK_FALSE(world.shell.overlay);
  }
}

TEST_CASE("leaving the history search gives the draft back") {
  World world;
  world.shell.history.add("run the tests");
  world.type("draft");
  world.press("ctrl-r");
  world.type("run");
  CHECK(world.shell.composer.text() == "run the tests");
  world.press("escape");
  CHECK(world.shell.composer.text() == "draft");
}

TEST_CASE("the position never moves while reading") {
  World world;
  world.meters(0.1);
  for (int i = 0; i < 100; ++i) world.answer("line " + std::to_string(i));
  world.look(80, 24);
  world.press("pageup");
  const std::string before = world.look(80, 24);
  for (int i = 0; i < 5; ++i) world.answer("new " + std::to_string(i));
  const std::string after = world.look(80, 24);
  CHECK(after.find("5 new lines") != after.npos);
  const auto lines_above = [](const std::string& text) { return text.substr(0, text.find("line 80")); };
  CHECK(lines_above(before) == lines_above(after));
  world.press("ctrl-end");
  CHECK(world.look(80, 24).find("new 4") != std::string::npos);
}

TEST_CASE("the bar takes the colour of its band") {
  CHECK(band_colour(0.1) == Colour::good);
  CHECK(band_colour(0.5) == Colour::lime);
  CHECK(band_colour(0.7) == Colour::warn);
  CHECK(band_colour(0.9) == Colour::orange);
  CHECK(band_colour(0.97) == Colour::bad);
  World world;
  for (const double share : {0.2, 0.5, 0.7, 0.9, 0.99}) {
    world.meters(share);
    CHECK_GOLDEN("meters_" + std::to_string(static_cast<int>(share * 100)), world.look(100, 5));
  }
}

TEST_CASE(
    "near the beginning of what was replayed the part above is asked for, once, and nothing moves when it "
    "comes") {
  World world;
  world.tell(SessionOpened{.id = "s", .name = {}, .resumed = true, .more = true});
  for (int i = 0; i < 200; ++i) world.user("newer " + std::to_string(i));
  world.meters(0.3);
  world.look(80, 24);
  world.press("pageup");
  CHECK(world.sent<AskEarlier>().empty());
  for (int i = 0; i < 30; ++i) world.press("pageup");
  CHECK(world.sent<AskEarlier>().size() == 1);
  for (int i = 0; i < 7; ++i) world.press("shift-down");
  const std::string before = world.look(80, 24);
  auto page = std::make_shared<EventPage>();
  for (int i = 0; i < 300; ++i) {
    Item item;
    item.id = {10'000 + world.next_item++};
    item.blocks = {Text{"older " + std::to_string(i)}};
    page->events.push_back(ItemAdded{make_item(item), true});
  }
  world.tell(Earlier{page, true});
  CHECK(world.look(80, 24) == before);
  world.press("pageup");
  CHECK(world.look(80, 24).find("older 299") != std::string::npos);
}

TEST_CASE("a search and the way to the beginning go on in the part that has yet to come") {
  for (const bool find : {true, false}) {
    World world;
    world.tell(SessionOpened{.id = "s", .name = {}, .resumed = true, .more = true});
    for (int i = 0; i < 60; ++i) world.user("newer " + std::to_string(i));
    world.look(80, 24);
    world.press("ctrl-o");
    world.look(80, 24);
    world.type(find ? "/needle" : "g");
    if (find) world.press("enter");
    const auto asked = world.sent<AskEarlier>();
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].all);
    auto page = std::make_shared<EventPage>();
    for (int i = 0; i < 300; ++i) {
      Item item;
      item.id = {10'000 + world.next_item++};
      item.blocks = {Text{i == 40 ? "a needle" : "older " + std::to_string(i)}};
      page->events.push_back(ItemAdded{make_item(item), true});
    }
    world.tell(Earlier{page, false});
    open_pages(world.shell);
    const std::string screen = world.look(80, 24);
    INFO(screen);
    CHECK(screen.find(find ? "a needle" : "older 0\n") != std::string::npos);
  }
}
