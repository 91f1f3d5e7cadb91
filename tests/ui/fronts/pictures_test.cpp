// What every cell, dialog and panel looks like, at four sizes in one picture each.
#include "agent/store/compaction_text.h"
#include "tests/ui/world.h"

using namespace tern;

namespace {

constexpr std::pair<int, int> sizes[] = {{80, 24}, {120, 40}, {200, 50}, {40, 12}};

std::string at_every_size(World& world) {
  std::string all;
  for (const auto& [columns, lines] : sizes) {
    world.shell.transcript.to_end();
    all += "== " + std::to_string(columns) + "x" + std::to_string(lines) + "\n" + world.look(columns, lines);
  }
  return all;
}

Compaction compaction(CompactionPhase phase, Tier tier) {
  Compaction made;
  made.phase = phase;
  made.tier = tier;
  made.items = 14;
  made.originals = 12;
  made.before = 145'000;
  made.after = 71'300;
  made.audit = "41 of 47 details kept, 6 on recall, none lost";
  made.cost = "costs $0.02 now, saves $0.11 per turn · pays after 1 turn · cache cold";
  made.pause_ms = tier == Tier::compact ? 1'240 : 0;
  return made;
}

ContextReport report(World& world) {
  world.meters(0.61);
  ContextReport made;
  made.meters = world.shell.view.meters;
  made.top = {"31k  Read  src/tokenizer.cpp (r17)", "18k  Bash  ctest -R tokenizer (r22)",
              "4.1k  you  The tokenizer drops the …", "2.2k  !  make -j8"};
  made.tiers = {"snip: 4× · 61k tokens freed", "microcompact: 1× · 43k tokens freed"};
  made.lines = {
      "forecast: about 9 turns to the next tier (6.1k a turn)",
      "compacting to half now: costs $0.11 now, saves $0.02 per turn · pays after 6 turns · cache warm",
      "pinned sentence: never touch the 公共 API"};
  return made;
}

PermissionAsked edit_question() {
  PermissionAsked asked;
  asked.id = 3;
  asked.tool = "Edit";
  asked.title = "Edit src/词法.cpp";
  asked.body = "{}";
  asked.diff =
      "@@ -201,3 +201,4 @@\n   if (at_end()) {\n-    return Token::eof();\n+    if (!line_.empty()) return "
      "行();  // 👍🏽\n"
      "+    return Token::eof();\n   }\n";
  asked.reason = "writes src/词法.cpp";
  asked.grants = {{"edits in src/"}};
  return asked;
}

void ask(World& world, const PermissionAsked& asked) {
  world.tell(asked);
  world.shell.approval.open(asked, world.shell.now_ms);
  world.shell.last_key_ms = world.shell.now_ms - 10'000;
  world.shell.now_ms += 2'000;
}

void open(World& world, Event event) {
  world.tell(std::move(event));
  open_pages(world.shell);
  REQUIRE(world.shell.overlay);
}

}  // namespace

TEST_CASE("pictures: what is said") {
  World world;
  world.meters(0.2);
  world.user(
      "读一下 src/词法.cpp，然后修 bug 👩‍👩‍👧 "
      "(a line long enough to be wrapped where the screen is not that wide at all)");
  world.tell(Delta{DeltaKind::thinking, "The person wants the tokenizer fixed.\nI should read it first."});
  world.answer(
      "# A heading\n\nText with **bold**, *italic*, ~~gone~~ and `code`, and [a "
      "link](https://example.com/a).\n\n1. one\n2. "
      "two\n   - "
      "nested 中文\n\n> quoted\n\n| 名字 | value |\n|:--|--:|\n| 甲 | 1 |\n| emoji 👍🏽 | 22 "
      "|\n\n```python\ndef "
      "f(x):\n "
      " "
      " "
      " "
      "return \"s\"  # "
      "why\n```\n\n---\n");
  world.tell(Delta{DeltaKind::text, "still being wri"});
  world.tell(TurnStarted{1});
  CHECK_GOLDEN("said", at_every_size(world));
}

TEST_CASE("pictures: what tools do") {
  World world;
  world.meters(0.5);
  world.tool("Read", "src/a.cpp", "245 lines", "text");
  world.tool("Bash", "npm test", "exit 1 · 12.3 s", "1\n2\n3\n4\n5\nlast: 失败\n", true);
  world.tool("Edit", "src/a.cpp", "+2 −1", "", false,
             "@@ -9,3 +9,4 @@\n one\n-two old words\n+two new words\n+three\n four\n");
  world.tool("Write", "very/long/path/that/does/not/fit/on/a/small/screen/at/all/for/sure.txt", "1 line", "",
             false, "@@ -0,0 +1 @@\n+hello\n");
  world.tool("Edit", "src/b.cpp", "rejected", "The user doesn't want to proceed with this tool use.", true);
  world.tool("Bash", "curl x | sh", "blocked: plan mode is read-only", "Permission denied: …", true);
  world.tell(ToolStarted{"run", "Bash", "Bash", "make -j8", "{}"});
  world.tell(ToolProgress{"run", "[1/9] compiling\n[2/9] compiling\n"});
  ToolFinished snipped;
  snipped.call_id = "snipped";
  snipped.tool = snipped.label = "Grep";
  snipped.subject = "\"eof\" in src/";
  snipped.note = "900 hits";
  snipped.form = ResultForm::snipped;
  snipped.recall = parse_recall_id("r7");
  world.tell(ToolStarted{"snipped", "Grep", "Grep", "\"eof\" in src/", "{}"});
  world.tell(snipped);
  CHECK_GOLDEN("tools", at_every_size(world));
}

TEST_CASE("pictures: notices of every tier and level") {
  World world;
  world.meters(0.36);
  for (const Tier tier : {Tier::snip, Tier::micro, Tier::compact, Tier::truncate})
    world.tell(compaction(CompactionPhase::completed, tier));
  world.tell(compaction(CompactionPhase::undone, Tier::compact));
  world.tell(compaction(CompactionPhase::redone, Tier::compact));
  auto failed = compaction(CompactionPhase::failed, Tier::compact);
  failed.why = "the model answered nothing";
  failed.audit = failed.cost = "";
  world.tell(failed);
  Item summary;
  summary.id = {77};
  summary.role = Role::user;
  summary.synthetic = true;
  summary.blocks = {
      Summary{"1. Primary request: fix 词法\n2. Files: src/a.cpp\n3. Errors: none\n4. Next: tests\n", {}}};
  world.tell(ItemAdded{make_item(summary)});
  world.tell(Notice{Level::info, "Remembered in AGENTS.md"});
  world.tell(Notice{Level::warning, "No key for OpenAI: set OPENAI_API_KEY."});
  world.tell(Notice{Level::error, "The disk is full: 12 events are kept in memory."});
  world.tell(Waiting{"overloaded (529)", 8'000, 2, 10});
  CHECK_GOLDEN("notices", at_every_size(world));
}

TEST_CASE("pictures: the context panel") {
  World world;
  open(world, report(world));
  CHECK_GOLDEN("panel_context", at_every_size(world));
}

TEST_CASE("pictures: a compaction before it is made, and its audit") {
  World world;
  world.meters(0.82);
  PreviewReady preview;
  preview.id = 1;
  preview.strategy = "sections";
  preview.range = "61 messages, from \"The tokenizer drops …\" to \"Bash ctest\"";
  preview.kept = "12 messages";
  preview.draft =
      "1. Primary request and intent:\n   - fix the tokenizer\n2. Files:\n   - `src/tokenizer.cpp`\n";
  preview.before = 147'000;
  preview.after = 52'000;
  preview.cost = "$0.11 now, saves $0.03 a turn";
  open(world, preview);
  CHECK_GOLDEN("panel_preview", at_every_size(world));
  world.shell.overlay.reset();
  world.shell.view.preview.reset();
  const Fact names{FactKind::ident, "Token::eof", {}, 1, true, 1},
      file{FactKind::file, "src/tokenizer.cpp:202", {}, 1, true, 1};
  const Fact error{FactKind::error, "error: unexpected end of input", RecallId{22}, 1, false, 1};
  const Fact test{FactKind::file, "tests/eof_test.cpp", RecallId{17}, 1, false, 1};
  const LossReport loss{2, 2, 0, {{Fate::reachable, error}, {Fate::reachable, test}}, {file, names}};
  open(world, Page{"What compactions kept and lost", "No. 3 · " + loss.line() + "\n\n" + full_audit(loss)});
  CHECK_GOLDEN("panel_audit", at_every_size(world));
}

TEST_CASE("pictures: lists to choose from") {
  World world;
  world.meters(0.1);
  open(world, RewindPoints{{{ItemId{3}, "now the same for CRLF files", "11-18 10:01", 2, 2},
                            {ItemId{1}, "修 bug", "11-18 09:58", 0, 2}}});
  CHECK_GOLDEN("list_rewind", at_every_size(world));
  world.press("enter");
  CHECK_GOLDEN("list_rewind_how", at_every_size(world));
  world.shell.overlay.reset();
  open(world, SessionList{{{"qn7q", "parser", "2026-11-18 10:01", "fix it", 12},
                           {"b2xz", "", "2026-11-17 18:40", "读一下 README", 1}}});
  CHECK_GOLDEN("list_sessions", at_every_size(world));
  world.shell.overlay.reset();
  open(world, ModelList{{{.name = "ollama/qwen3:8b", .current = true, .served = true},
                         {.name = "anthropic/claude-sonnet-4-5",
                          .alias = "sonnet",
                          .window = 200'000,
                          .input = 3,
                          .output = 15,
                          .priced = true},
                         {.name = "openai/gpt-5", .ready = false, .missing = "no key: set OPENAI_API_KEY"}}});
  CHECK_GOLDEN("list_models", at_every_size(world));
  world.press("down");
  world.press("enter");
  CHECK(world.sent<SetModel>().back().name == "anthropic/claude-sonnet-4-5");
}

TEST_CASE("a model without a key is chosen by pasting the key") {
  World world;
  open(world, ModelList{{{.name = "openai/gpt-5", .ready = false, .missing = "no key: set OPENAI_API_KEY"}}});
  world.press("enter");
  REQUIRE(world.shell.overlay);
  CHECK(world.shell.overlay->title == "Add a key for openai");
  handle_input(world.shell, Paste{.text = "sk-0123456789"});
  world.press("enter");
  const auto sent = world.sent<Login>();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].provider == "openai/gpt-5");
}

TEST_CASE("pictures: the ways to a model, and the line a key is pasted into") {
  World world;
  world.meters(0.1);
  open(world, LoginAsked{{}, true});
  CHECK_GOLDEN("list_login", at_every_size(world));
  world.press("1");
  handle_input(world.shell, Paste{.text = "sk-ant-api03-0123456789\n"});
  CHECK_GOLDEN("panel_key", at_every_size(world));
  CHECK(world.sent<Login>().empty());
  world.press("enter");
  const auto sent = world.sent<Login>();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].key == "sk-ant-api03-0123456789");
  CHECK_FALSE(world.shell.overlay);
  open(world, LoginAsked{{"ollama/qwen3:8b"}, false});
  world.press("r");
  CHECK(world.sent<AskLogin>().size() == 1);
  open(world, LoginAsked{{"ollama/qwen3:8b"}, false});
  world.press("2");
  CHECK(world.sent<SetModel>().back().name == "ollama/qwen3:8b");
}

TEST_CASE("pictures: help and keys") {
  World world;
  world.meters(0.1);
  world.type("/help");
  world.press("enter");
  CHECK_GOLDEN("panel_help", at_every_size(world));
  world.shell.overlay.reset();
  world.type("?");
  CHECK_GOLDEN("panel_keys", at_every_size(world));
}

TEST_CASE("pictures: questions") {
  World world;
  world.meters(0.43);
  world.user("fix it");
  ask(world, edit_question());
  CHECK_GOLDEN("question_edit", at_every_size(world));
  world.type("3");
  world.type("use spaces");
  CHECK_GOLDEN("question_why", at_every_size(world));
  PermissionAsked bash;
  bash.id = 4;
  bash.tool = "Bash";
  bash.title = "Bash npm run build && rm -rf ./dist";
  bash.body = "npm run build && rm -rf ./dist";
  bash.reason = "rm -rf deletes files";
  bash.grants = {{"any command that begins with `npm run build`"}};
  ask(world, bash);
  CHECK_GOLDEN("question_bash", at_every_size(world));
  TrustAsked trust{5, "/home/ann/src/解析器",
                   "AGENTS.md: instructions for the model\n.git/hooks: commands git runs"};
  world.tell(PermissionSettled{4, Verdict::no});
  world.tell(trust);
  world.shell.approval.open(trust, world.shell.now_ms);
  world.shell.now_ms += 2'000;
  CHECK_GOLDEN("question_trust", at_every_size(world));
}

TEST_CASE("pictures: the composer at work") {
  World world;
  world.meters(0.43);
  world.tell(TurnStarted{1});
  world.tell(Queue{{"then run the tests", "第二个"}});
  world.type("!make -j8");
  CHECK_GOLDEN("composer_shell", at_every_size(world));
  world.shell.composer.set("");
  world.type("/co");
  CHECK_GOLDEN("composer_commands", at_every_size(world));
}

TEST_CASE("pictures: the meters in every band at every width") {
  World world;
  std::string all;
  for (const int columns : {40, 80, 120, 200})
    for (const double share : {0.2, 0.5, 0.7, 0.9, 0.99}) {
      world.meters(share);
      all += status_line(world.shell.view.meters, columns).text + "\n";
    }
  CHECK_GOLDEN("meters", all);
}

TEST_CASE("tier marks stay visible where the bar has passed them") {
  World world;
  world.meters(0.99);
  const std::string bar = context_bar(world.shell.view.meters, 40).text;
  std::size_t marks = 0;
  for (std::size_t at = bar.find("╎"); at != bar.npos; at = bar.find("╎", at + 1)) ++marks;
  CHECK(marks == 3);
}

TEST_CASE("a screen too low for the top line still says the mode and the model") {
  World world;
  world.meters(0.2);
  auto meters = world.shell.view.meters;
  meters.mode = PermissionMode::plan;
  world.tell(meters);
  const std::string screen = world.look(60, 12);
  INFO(screen);
  CHECK(screen.find("plan") != screen.npos);
  CHECK(screen.find("claude-sonnet-4-5") != screen.npos);
}

TEST_CASE("enter runs a command that is complete as it stands") {
  World world;
  world.type("/context tune");
  world.press("enter");
  CHECK(world.sent<AskTuning>().size() == 1);
}

TEST_CASE("the sign of a shell line is shown once and the caret stands behind the text") {
  World world;
  world.meters(0.2);
  world.type("!seq 3");
  Canvas canvas;
  const Caret caret = draw(world.shell, {80, 24}, canvas);
  const std::string screen = picture(canvas.screen());
  CHECK(screen.find("! seq 3") != screen.npos);
  CHECK(screen.find("!seq") == screen.npos);
  CHECK(caret.x == 4 + 5);
  world.shell.composer.set("");
  world.type("# a note");  // the blank behind the sign is the glyph's
  const Caret behind = draw(world.shell, {80, 24}, canvas);
  CHECK(picture(canvas.screen()).find("# a note") != std::string::npos);
  CHECK(behind.x == 4 + 6);
}

TEST_CASE("a refused call says so in one line; what the model was told is not for people") {
  World world;
  world.tool("Edit", "src/b.cpp", "rejected", "The user doesn't want to proceed with this tool use.", true);
  CHECK(world.look(80, 24).find("doesn't want") == std::string::npos);
  CHECK(world.look(80, 24).find("Edit      src/b.cpp · rejected") != std::string::npos);
  world.press("ctrl-o");
  CHECK(world.look(80, 24).find("Edit      src/b.cpp · rejected") != std::string::npos);
  CHECK(world.look(80, 24).find("doesn't want") == std::string::npos);
}
