// Slash commands as rows: what all of them keep, and those that choose between words.
#include <set>

#include "compression/plan/strategies.h"
#include "tests/ui/world.h"
#include "ui/shell/slash_command.h"
#include "ui/shell/words.h"

using namespace tern;

TEST_CASE("every command has a help line and names of its own") {
  std::set<std::string> taken;
  const CommandSet all = builtin_commands();
  for (const SlashCommand& command : all) {
    INFO(command.name);
    CHECK_FALSE(command.help.empty());
    CHECK(taken.insert(command.name).second);
    for (const std::string& alias : split_words(command.aliases)) CHECK(taken.insert(alias).second);
  }
}

TEST_CASE("a beginning is enough where it can mean one command only") {
  std::vector<std::string> meant;
  const CommandSet all = builtin_commands();
  for (const SlashCommand& command : all)
    for (std::size_t length = 1; length <= command.name.size(); ++length) {
      const std::string name = command.name.substr(0, length);
      INFO(name);
      const auto begins = [&](const SlashCommand& other) { return other.name.starts_with(name); };
      const auto so_called = [&](const SlashCommand& other) {
        return other.name == name || (" " + other.aliases + " ").find(" " + name + " ") != std::string::npos;
      };
      meant.clear();
      const SlashCommand* found = all.find(name, meant);
      if (const auto exact = std::find_if(all.begin(), all.end(), so_called); exact != all.end())
        CHECK(found == &*exact);
      else
        CHECK(found == (std::count_if(all.begin(), all.end(), begins) == 1 ? &command : nullptr));
    }
  meant.clear();
  const SlashCommand* quit = all.find("qui", meant);  // of an alias, too
  REQUIRE(quit);
  CHECK(quit->name == "exit");
  World world;
  world.tell(SessionOpened{});
  world.say("/c");
  CHECK(world.look(100, 24).find("/c could be /clear /compact") != std::string::npos);
  world.say("/nonsense");
  CHECK(world.look(100, 24).find("no command /nonsense") != std::string::npos);
}

TEST_CASE("what only looks or takes effect later runs during a turn, what changes the conversation waits") {
  for (const std::string_view name :
       {"status", "diff", "copy", "model", "permissions", "context", "cost", "help", "tasks", "stop", "theme",
        "memory", "recall", "summaries", "tools", "pin", "export", "keys", "config"}) {
    INFO(name);
    std::vector<std::string> meant;
    CHECK(builtin_commands().find(name, meant)->while_working);
  }
  for (const std::string name :
       {"clear", "compact", "rewind", "redo", "resume", "fork", "undo-compact", "doctor"}) {
    INFO(name);
    World world;
    world.tell(TurnStarted{1});
    world.say("/" + name);
    CHECK(world.commands.drain().empty());
    CHECK(world.look(100, 24).find("/" + name + " must wait until the turn ends") != std::string::npos);
  }
}

TEST_CASE("/compact offers every strategy and refuses one that does not exist") {
  World world;
  std::vector<std::string> meant;
  const SlashCommand* compact = world.shell.slash.find("compact", meant);
  REQUIRE(compact);
  const auto offered = compact->complete(world.shell);
  for (const Strategy* strategy : strategies())
    CHECK(std::find(offered.begin(), offered.end(), "--strategy " + std::string(strategy->name)) !=
          offered.end());
  world.say("/compact --strategy middel");
  CHECK(world.sent<Compact>().empty());
  CHECK(world.shell.hint.text.find("middel") != std::string::npos);
  world.user("first");
  world.answer("one");
  world.user("second");
  world.answer("two");
  for (const std::string line :
       {"--strategy", "--prevew", "--from 3", "--to x", "--from", "--from 2 --to 1", "--from 0"}) {
    INFO(line);
    world.shell.hint.text.clear();
    world.say("/compact " + line);
    CHECK(world.sent<Compact>().empty());
    CHECK_FALSE(world.shell.hint.text.empty());
  }
  world.say("/compact --strategy superseded --from 1 --to 1");  // whole turns
  const auto sent = world.sent<Compact>();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].strategy == "superseded");
  REQUIRE(sent[0].range);
  CHECK(sent[0].range->first == ItemId{1});
  CHECK(sent[0].range->last == ItemId{2});
}

TEST_CASE("/context hands its second word on") {
  World world;
  world.say("/context tune --apply");
  CHECK(world.sent<ApplyTuning>().size() == 1);
}

TEST_CASE("a command may speak of paths, and a path that opens a prompt is no command") {
  World world;
  world.say("/pin never touch src/api.h");
  CHECK(world.sent<PinThis>().at(0).what == "never touch src/api.h");
  world.say("/etc/hosts has a wrong line");
  CHECK(world.sent<Submit>().at(0).text == "/etc/hosts has a wrong line");
}

TEST_CASE("/undo-compact takes a number, redo, or ids of originals") {
  World world;
  for (const char* said : {"/undo-compact", "/undo-compact 2", "/undo-compact redo", "/undo-compact redo 3",
                           "/undo-compact r4 r5"})
    world.say(said);
  const auto sent = world.sent<UndoCompact>();
  REQUIRE(sent.size() == 5);
  CHECK(sent[0].steps == 1);
  CHECK(sent[1].steps == 2);
  CHECK(sent[2].steps == -1);
  CHECK(sent[3].steps == -3);
  CHECK(sent[4].parts == std::vector<std::string>{"r4", "r5"});
}

TEST_CASE("/redo takes the last rewind back, its files too unless only the conversation is named") {
  World world;
  for (const char* said : {"/redo", "/redo conversation", "/redo-compact"}) world.say(said);
  const auto sent = world.commands.drain();
  REQUIRE(sent.size() == 3);
  CHECK(std::get<Redo>(sent[0]).files);
  CHECK_FALSE(std::get<Redo>(sent[1]).files);
  CHECK(std::get<UndoCompact>(sent[2]).steps == -1);
  world.say("/redo everything");
  CHECK(world.commands.drain().empty());
  CHECK(world.look(100, 24).find("say conversation, or nothing") != std::string::npos);
}

TEST_CASE("a number that is none is a usage error and does nothing") {
  for (const char* said : {"/copy abc", "/undo-compact 0", "/undo-compact 2x", "/redo-compact x"}) {
    INFO(said);
    World world;
    world.say(said);
    CHECK(world.commands.drain().empty());
    CHECK(world.look(100, 24).find("is not a number") != std::string::npos);
  }
}

TEST_CASE("an action answers to its new key and no longer to the old one") {
  World world;
  world.deps.keys = {{"transcript", "ctrl-x"}, {"todos", "ctrl-r"}};
  world.press("ctrl-o");
  CHECK_FALSE(world.shell.transcript_view);
  world.press("ctrl-r");  // taken from the history search
  CHECK(world.shell.show_todos);
  CHECK_FALSE(world.shell.reverse);
  world.press("ctrl-x");
  CHECK(world.shell.transcript_view);
  std::string sheet;
  for (const auto& row : key_rows(world.shell, 100)) sheet += row.text + "\n";
  CHECK(sheet.find("ctrl-x") != std::string::npos);
  CHECK(sheet.find("ctrl-o") == std::string::npos);
  world.press("ctrl-x");
  world.deps.keys = {{"send", "ctrl-enter"}, {"complete", "f2"}, {"background", "f6"}};
  world.type("two");
  world.press("enter");
  world.type("lines");
  CHECK(world.sent<Submit>().empty());
  world.press("ctrl-enter");
  const auto prompts = world.sent<Submit>();
  REQUIRE(prompts.size() == 1);
  CHECK(prompts[0].text == "two\nlines");
  world.tell(TurnStarted{1});
  world.press("f6");
  CHECK(world.sent<MoveToBackground>().size() == 1);
  world.type("later");
  world.press("f2");
  CHECK(world.sent<Submit>().at(0).when == When::after);
  CHECK(rebind_problem("transcript", "f5").empty());
  CHECK(rebind_problem("transcripts", "f5").find("transcript") != std::string::npos);
  for (const char* key :
       {"x", "escape", "up", "left", "ctrl-c", "ctrl-d", "ctrl-a", "ctrl-w", "alt-b", "backspace"})
    CHECK(rebind_problem("todos", key).find(std::string("\"") + key + "\" is reserved") == 0);
  for (const char* key : {"ctrl-x", "ctrl-r", "ctrl-b", "ctrl-enter", "shift-up", "f2", "alt-x"})
    CHECK(rebind_problem("todos", key).empty());
  CHECK(rebind_problem("transcript", "hyper-5").find("hyper-5") != std::string::npos);
}

TEST_CASE("a list that is longer than its popup says so") {
  World world;
  world.type("/");
  CHECK(world.look(80, 24).find(" more ") != std::string::npos);
  world.type("comp");
  CHECK(world.look(80, 24).find(" more ") == std::string::npos);
}

TEST_CASE("a todo list that is not there yet is no silence") {
  World world;
  world.press("ctrl-t");
  CHECK(world.look(80, 24).find("no tasks yet") != std::string::npos);
}

TEST_CASE("a task list is shown as soon as the model writes one, and goes when it is done") {
  World world;
  world.tell(TurnStarted{1});
  world.tell(Todos{{"☒ read it", "◐ fix 词法", "☐ test"}});
  const std::string screen = world.look(80, 24);
  INFO(screen);
  CHECK(screen.find("Tasks 1/3") != screen.npos);
  CHECK(screen.find("▸ fix 词法") != screen.npos);
  world.press("ctrl-t");
  CHECK(world.look(80, 24).find("Tasks") == std::string::npos);
  world.tell(Todos{{"☒ read it", "☒ fix 词法", "◐ test"}});
  CHECK(world.look(80, 24).find("Tasks") ==
        std::string::npos);  // hidden by hand: an update does not bring it back
  world.press("ctrl-t");
  world.tell(Todos{{"☒ read it", "☒ fix 词法", "☒ test"}});
  CHECK(world.look(80, 24).find("Tasks 3/3") != std::string::npos);
  world.say("now something else");
  CHECK(world.look(80, 24).find("Tasks") == std::string::npos);
  world.tell(Todos{{"☐ another"}});
  CHECK(world.look(80, 24).find("Tasks 0/1") != std::string::npos);
  CHECK(world.look(40, 12).find("▸ another") != std::string::npos);
}

TEST_CASE("/theme begins at the theme in force, and /unpin alone runs at once") {
  World world;
  world.deps.theme = "light";
  world.say("/theme");
  REQUIRE(world.shell.overlay);
  CHECK(world.shell.overlay->items[world.shell.overlay->selected] == "light");
  world.press("escape");
  world.type("/unpin");
  world.press("enter");
  CHECK(world.sent<PinThis>().size() == 1);
}

TEST_CASE("/login takes the providers it is given, and never a key") {
  World world;
  world.deps.keyed = {"anthropic", "acme"};
  world.tell(SessionOpened{});
  world.type("/login ac");
  CHECK(world.look(100, 24).find("acme") != std::string::npos);
  world.say("/login acme");
  REQUIRE(world.shell.overlay);
  CHECK(world.shell.overlay->title == "Add a key for acme");
  world.shell.overlay.reset();
  world.say("/login sk-0123456789");
  CHECK_FALSE(world.shell.overlay);
  CHECK(world.shell.hint.text.find("never a key") != std::string::npos);
}

TEST_CASE("the theme of a fresh configuration takes the designed colours once the background is known") {
  World world;
  Shell shell(world.deps, builtin_commands(), [] {});
  shell.depth = ColourDepth::truecolor;
  for (const Background background : {Background::dark, Background::light}) {
    shell.background = background;
    shell.use_theme(UiDeps{.commands = world.commands, .events = world.events}.theme);
    CHECK(shell.hint.text.empty());
    const Theme designed =
        make_theme(background == Background::dark ? "dark" : "light", ColourDepth::truecolor, background);
    CHECK(shell.theme[Colour::accent] == designed[Colour::accent]);
    CHECK(shell.theme[Colour::added_tint] == designed[Colour::added_tint]);
  }
}

TEST_CASE("a command added at run time is completed, helped with, run and gone again") {
  World world;
  std::string got;
  world.shell.slash.add({.name = "review:deep",
                         .usage = "[path]",
                         .help = "review a path with care",
                         .run = [&](Shell&, std::string_view arguments) { got = arguments; }});
  world.type("/revi");
  CHECK(world.look(100, 24).find("review a path with care") != std::string::npos);
  world.say("/review:deep src/a");
  CHECK(got == "src/a");
  CHECK(world.shell.slash.remove("review:deep"));
  world.tell(SessionOpened{});
  world.say("/review:deep");
  CHECK(world.look(100, 24).find("no command /review:deep") != std::string::npos);
}

TEST_CASE(
    "brought commands are in the menu with their file, and one with a built-in name gets a longer one") {
  World world;
  world.say("/early bird");  // the list has not come: the owner knows
  CHECK(world.sent<RunCommand>().size() == 1);
  const CommandList list{
      {{"compact", "", "Theirs", ".claude/commands/compact.md", true},
       {"git:commit", "[issue]", "Commit well", "~/.claude/commands/git/commit.md", false}}};
  world.tell(list);
  world.tell(SessionOpened{});
  world.meters(0.1);
  const auto seen = world.look(100, 24);
  CHECK(seen.find("/compact is built in. .claude/commands/compact.md is /project:compact.") !=
        std::string::npos);
  world.type("/git");
  const auto menu = world.look(110, 24);
  CHECK(menu.find("/git:commit") != std::string::npos);
  CHECK(menu.find("Commit well · ~/.claude/commands/git/commit.md") != std::string::npos);
  CHECK(menu.find("[issue]") != std::string::npos);
  world.say("/git:commit 12 now");
  world.say("/project:compact");
  const auto sent = world.sent<RunCommand>();
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].name == "git:commit");
  CHECK(sent[0].arguments == "12 now");
  CHECK(sent[1].name == "compact");
  world.tell(CommandList{});
  world.say("/git:commit");
  CHECK(world.sent<RunCommand>().empty());
}
