// The items of the context as a list: what the keys send, what stands in the title.
#include "tests/ui/world.h"
#include "ui/fronts/screen.h"

using namespace tern;

namespace {

ListShown items() {
  ListShown list{
      .what = ListShown::What::context, .title = "Context items", .empty = "The context is empty."};
  list.rows = {{"r3", "Read  src/parser.cpp", "", 12'300},
               {"r7", "Bash  ctest", "shortened", 4'100},
               {"r1", "you  Fix the parser", "", 40},
               {"r5", "Read  src/old.cpp", "dropped", 0}};
  list.used = 78'000, list.limit = 180'000;
  return list;
}

}  // namespace

TEST_CASE("the items of the context show what each takes, and space marks several with the total") {
  World world;
  world.tell(items());
  CHECK_GOLDEN("context_items", world.look(100, 16));
  world.type(" ");
  world.type(" ");
  const auto screen = world.look(100, 16);
  INFO(screen);
  CHECK(screen.find("2 marked: 78k → 62k") != screen.npos);
  world.type("d");
  const auto sent = world.sent<EditContext>();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].what == EditContext::What::drop);
  CHECK(sent[0].ids == std::vector<std::string>{"r3", "r7"});
}

TEST_CASE("without a mark a key means the row it stands on, and u takes the last back") {
  World world;
  world.tell(items());
  world.press("down");
  world.type("f");
  world.press("down");
  world.press("down");
  world.type("r");
  world.type("u");
  std::vector<EditContext> sent;
  std::size_t undone = 0;
  for (const Command& command : world.commands.drain()) {
    if (const auto* edit = std::get_if<EditContext>(&command)) sent.push_back(*edit);
    undone += std::holds_alternative<UndoCompact>(command);
  }
  CHECK(undone == 1);
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].what == EditContext::What::fold);
  CHECK(sent[0].ids == std::vector<std::string>{"r7"});
  CHECK(sent[1].what == EditContext::What::back);
  CHECK(sent[1].ids == std::vector<std::string>{"r5"});
}

TEST_CASE("a compaction may be told a stretch in words, and other words stay a focus") {
  World world;
  for (int i = 0; i < 3; ++i) world.user("prompt"), world.answer("done");
  world.say("/compact to 2");
  world.say("/compact to here");
  world.say("/compact from 3");
  world.say("/compact to make room for the parser");
  const auto sent = world.sent<Compact>();
  REQUIRE(sent.size() == 4);
  CHECK(sent[0].range == ItemRange{ItemId{1}, ItemId{4}});
  CHECK(sent[1].range == ItemRange{ItemId{1}, ItemId{4}});
  CHECK(sent[2].range->first == ItemId{5});
  CHECK_FALSE(sent[3].range);
  CHECK(sent[3].focus == "to make room for the parser");
}

TEST_CASE("what was dropped by hand is said so, and its cell is marked") {
  World world;
  world.user("Fix it");
  Compaction dropped{
      .phase = CompactionPhase::completed, .tier = Tier::micro, .cause = Cause::dropped, .batch = 1};
  dropped.before = 78'000, dropped.after = 61'000, dropped.items = 1, dropped.touched = {ItemId{1}};
  world.tell(dropped);
  auto screen = world.look(100, 24);
  INFO(screen);
  CHECK(screen.find("dropped by hand · 78k → 61k tokens · /undo-compact") != screen.npos);
  CHECK(screen.find("dropped from context") != screen.npos);
  dropped.phase = CompactionPhase::undone;
  std::swap(dropped.before, dropped.after);
  world.tell(dropped);
  screen = world.look(100, 24);
  CHECK(screen.find("undid what was dropped by hand") != screen.npos);
  CHECK(screen.find("◇ dropped from context") == screen.npos);
}

TEST_CASE("the bar says that the cache is cold when its time is up, before the next prompt is sent") {
  World world;
  world.user("Fix it");
  Meters m;
  m.model = "claude-sonnet-4-5";
  m.window = 200'000, m.effective = m.limit = 180'000, m.used = 90'000;
  m.cold_in_ms = 60'000, m.cold_dollars = 0.84, m.cold_compacted = 0.19;
  world.tell(m);
  CHECK(world.look(140, 24).find("cache cold") == std::string::npos);
  const auto drawn_ms = world.shell.now_ms;
  CHECK(stale_at_ms(world.shell, drawn_ms) == drawn_ms + 60'000);  // it turns by itself, without a key
  world.shell.now_ms += 61'000;
  const auto screen = world.look(140, 24);
  CHECK(stale_at_ms(world.shell, world.shell.now_ms) < 0);
  INFO(screen);
  CHECK(screen.find("cache cold · next turn $0.84 · after compacting $0.19") != screen.npos);
  CHECK(world.look(80, 24).find("cache cold · $0.84 → $0.19") != std::string::npos);
  world.tell(TurnStarted{1});
  CHECK(world.look(140, 24).find("cache cold") == std::string::npos);
}

namespace {

// Two prompts with a read each, as the log has them: r1 the prompt, r3 the result, r4 the answer, …
void two_turns(World& world) {
  std::uint32_t n = 0;
  for (const char* file : {"a.cpp", "b.cpp"}) {
    const auto tell_item = [&](Item item) {
      item.id = {++n};
      item.recall = {n};
      world.tell(ItemAdded{make_item(std::move(item))});
    };
    tell_item({.role = Role::user, .blocks = {Text{"Look at " + std::string(file)}}});
    const std::string call = "c" + std::to_string(n);
    world.tell(ToolStarted{call, "Read", "Read", file, "{}"});
    ToolFinished done;
    done.call_id = call, done.tool = done.label = "Read", done.subject = file;
    done.text = std::string(4'000, 'x') + "\n";
    world.tell(done);
    ++n;
    ToolResult result{.call_id = call, .tool = "Read", .text = done.text};
    result.recall = {n + 1};
    tell_item({.role = Role::user, .blocks = {std::move(result)}});
    tell_item({.role = Role::assistant, .blocks = {Text{"Seen " + std::string(file)}}});
  }
}

}  // namespace

TEST_CASE("in the transcript a cell is picked with keys and dropped, folded, brought back or pinned") {
  World world;
  world.meters(0.4);
  two_turns(world);
  world.look(100, 24);
  world.press("ctrl-o");
  world.look(100, 24);
  world.type("e");  // the newest: the answer
  CHECK(world.look(100, 24).find("r8 answer") != std::string::npos);
  world.type("k");
  const auto screen = world.look(100, 24);
  INFO(screen);
  CHECK(screen.find("r7 Read b.cpp · ~") != screen.npos);
  CHECK(screen.find("d drop") != screen.npos);
  world.type("d");
  auto sent = world.sent<EditContext>();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].what == EditContext::What::drop);
  CHECK(sent[0].ids == std::vector<std::string>{"r7"});
  world.type("kk");  // over the prompt to the answer before it
  world.type("p");
  CHECK(world.sent<PinThis>().at(0).what == "r4");
  world.type("u");
  CHECK(world.sent<UndoCompact>().size() == 1);
  world.press("escape");
  CHECK(world.shell.transcript_view);
  CHECK(world.look(100, 24).find("/ search") != std::string::npos);
}

TEST_CASE("space marks several cells of the transcript, the line tells the total, one key acts on all") {
  World world;
  world.meters(0.4);
  two_turns(world);
  world.look(100, 24);
  world.press("ctrl-o");
  world.look(100, 24);
  world.type("ekkkkk");
  world.type("jk");
  world.look(100, 24);
  world.type(" ");
  world.type("j");
  world.type(" ");
  const auto screen = world.look(100, 40);
  INFO(screen);
  CHECK(screen.find("2 marked: 72k → ") != screen.npos);
  CHECK(screen.find("◆") != screen.npos);
  world.type("f");
  const auto sent = world.sent<EditContext>();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].what == EditContext::What::fold);
  CHECK(sent[0].ids.size() == 2);
}

TEST_CASE("s summarizes from the picked cell on, but not while the model works") {
  World world;
  two_turns(world);
  world.look(100, 24);
  world.press("ctrl-o");
  world.look(100, 24);
  world.type("ekk");  // the second prompt
  world.type("s");
  const auto sent = world.sent<Compact>();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].range == ItemRange{ItemId{5}, ItemId{~0ull}});
  world.tell(TurnStarted{3});
  world.type("s");
  CHECK(world.sent<Compact>().empty());
  CHECK(world.look(100, 24).find("must wait until the turn ends") != std::string::npos);
}
