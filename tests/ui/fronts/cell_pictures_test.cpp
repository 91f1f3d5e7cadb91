// Every kind of cell and every state of the bottom, each by itself at four sizes, so that none is hidden by
// what follows it.
#include "tests/ui/world.h"

using namespace tern;

namespace {

constexpr std::pair<int, int> sizes[] = {{80, 24}, {120, 40}, {200, 50}, {40, 12}};

// The lines of the picture that hold something: of the transcript, or all of them but the top.
std::string part(const std::string& screen, bool bottom) {
  const std::string text = bottom ? screen : screen.substr(0, screen.rfind("╭"));
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string row = text.substr(at, end - at);
    if (row.find_first_not_of(' ') != row.npos && !row.starts_with(" tern ·") &&
        !row.starts_with("──────────"))
      out += row + "\n";
    at = end + 1;
  }
  return out;
}

struct Kind {
  std::string_view name;
  void (*make)(World&);
  bool unfolded = false;
};

void finish(World& world, ToolFinished done) {
  world.tell(ToolStarted{done.call_id, done.tool, done.label, done.subject, "{}"});
  world.tell(std::move(done));
}

Compaction cut(CompactionPhase phase, Tier tier) {
  Compaction made;
  made.phase = phase;
  made.tier = tier;
  made.items = made.originals = 14;
  made.before = 145'000;
  made.after = 71'300;
  made.audit = "41 of 47 details kept, 6 on recall, none lost";
  made.cost = "costs $0.02 now, saves $0.11 per turn · pays after 1 turn · cache cold";
  made.why = phase == CompactionPhase::failed ? "the model answered nothing" : "";
  return made;
}

constexpr std::string_view diff_text =
    "@@ -201,3 +201,4 @@\n   if (at_end()) {\n-    return Token::eof();\n+    if (!line_.empty()) return "
    "行();  // 👍🏽\n"
    "+    return Token::eof();\n   }\n";

const Kind kinds[] = {
    {"a prompt",
     [](World& w) {
       w.user("修 bug 👩‍👩‍👧, and then run every test there is in this folder, please");
     }},
    {"a prompt with a picture",
     [](World& w) {
       Item item;
       item.id = {1};
       item.blocks = {Text{"what is this? @a.png"}, Image{"image/png", "AAAA"}};
       w.tell(ItemAdded{make_item(item)});
     }},
    {"headings and emphasis",
     [](World& w) { w.answer("# One\n\n## Two\n\n**bold** *italic* ~~gone~~ `code` 中文"); }},
    {"lists",
     [](World& w) {
       w.answer(
           "1. one\n2. two\n   - nested 中文 that is long enough to be wrapped on a small screen\n- [x] "
           "done\n- [ ] open");
     }},
    {"a table",
     [](World& w) {
       w.answer(
           "| 名字 | value | note |\n|:--|--:|:-:|\n| 甲 | 1 | 👍🏽 |\n| a longer one | 22,000 | x |");
     }},
    {"code",
     [](World& w) {
       w.answer(
           "```cpp\n// 注释\nconst auto text = \"a string that is long enough to be wrapped somewhere\";  // "
           "why\n```");
     }},
    {"a quote, a link and a rule",
     [](World& w) { w.answer("> quoted 引用\n\n[docs](https://example.com/a)\n\n---\n\nend"); }},
    {"an answer still being written",
     [](World& w) {
       w.tell(TurnStarted{1});
       w.tell(Delta{DeltaKind::text, "half a **sen"});
     }},
    {"thinking, folded",
     [](World& w) {
       w.tell(Delta{DeltaKind::thinking, "First I read it.\nThen I fix it."});
       w.answer("Done.");
     }},
    {"thinking, unfolded",
     [](World& w) {
       w.tell(Delta{DeltaKind::thinking, "First I read it.\nThen I fix it."});
       w.answer("Done.");
     },
     true},
    {"a tool that read", [](World& w) { w.tool("Read", "src/词法.cpp", "245 lines", "text"); }},
    {"a command that failed",
     [](World& w) { w.tool("Bash", "npm test", "exit 1 · 12.3 s", "1\n2\n3\n4\n5\nlast: 失败\n", true); }},
    {"a command that failed, unfolded",
     [](World& w) { w.tool("Bash", "npm test", "exit 1 · 12.3 s", "1\n2\n3\n4\n5\nlast: 失败\n", true); },
     true},
    {"a command that runs",
     [](World& w) {
       w.tell(ToolStarted{"run", "Bash", "Bash", "make -j8", "{}"});
       w.tell(ToolProgress{"run", "[1/9] compiling\n[2/9] compiling 编译\n"});
     }},
    {"an edit", [](World& w) { w.tool("Edit", "src/词法.cpp", "+2 −1", "", false, std::string(diff_text)); }},
    {"a refused call",
     [](World& w) {
       w.tool("Bash", "curl x | sh", "blocked: plan mode is read-only", "Permission denied: …", true);
     }},
    {"a snipped result",
     [](World& w) {
       finish(w, {.call_id = "c",
                  .tool = "Grep",
                  .label = "Grep",
                  .subject = "\"eof\" in src/",
                  .note = "900 hits",
                  .recall = parse_recall_id("r7"),
                  .form = ResultForm::snipped});
     }},
    {"snip", [](World& w) { w.tell(cut(CompactionPhase::completed, Tier::snip)); }},
    {"microcompact", [](World& w) { w.tell(cut(CompactionPhase::completed, Tier::micro)); }},
    {"auto-compact", [](World& w) { w.tell(cut(CompactionPhase::completed, Tier::compact)); }},
    {"truncate", [](World& w) { w.tell(cut(CompactionPhase::completed, Tier::truncate)); }},
    {"a compaction undone", [](World& w) { w.tell(cut(CompactionPhase::undone, Tier::compact)); }},
    {"a compaction redone", [](World& w) { w.tell(cut(CompactionPhase::redone, Tier::compact)); }},
    {"a compaction that failed", [](World& w) { w.tell(cut(CompactionPhase::failed, Tier::compact)); }},
    {"a summary",
     [](World& w) {
       Item item;
       item.id = {9};
       item.role = Role::user;
       item.synthetic = true;
       item.blocks = {Summary{"1. Request: fix 词法\n2. Files: src/a.cpp\n3. Next: tests\n", {}}};
       w.tell(ItemAdded{make_item(item)});
     }},
    {"a word of information",
     [](World& w) {
       w.tell(Notice{Level::info, "Remembered in AGENTS.md"});
     }},
    {"a warning",
     [](World& w) {
       w.tell(Notice{Level::warning, "No key for OpenAI: set OPENAI_API_KEY."});
     }},
    {"an error",
     [](World& w) {
       w.tell(Notice{Level::error, "The disk is full: 12 events are kept in memory."});
     }},
    {"lines below while reading",
     [](World& w) {
       for (int i = 0; i < 60; ++i) w.answer("line " + std::to_string(i));
       w.look(80, 24);
       w.press("ctrl-home");
       w.answer("new");
     }},
};

const Kind bottoms[] = {
    {"working", [](World& w) { w.tell(TurnStarted{1}); }},
    {"compacting",
     [](World& w) {
       w.tell(TurnStarted{1});
       Compaction made = cut(CompactionPhase::progress, Tier::compact);
       made.strategy = "sections";
       w.tell(made);
     }},
    {"waiting for the provider",
     [](World& w) {
       w.tell(TurnStarted{1});
       w.tell(Waiting{"overloaded (529)", 8'000, 2, 10});
     }},
    {"queued",
     [](World& w) {
       w.tell(TurnStarted{1});
       w.tell(Queue{{"then run the tests", "第二个", "third", "fourth"}});
     }},
    {"a paste as a chip",
     [](World& w) { handle_input(w.shell, Paste{std::string(2'000, 'x') + "\n" + std::string(50, '\n')}); }},
    {"several lines, Chinese and emoji",
     [](World& w) {
       w.shell.composer.set(
           "第一行 👩‍👩‍👧\nthe second, which is long enough to be wrapped on the small "
           "screen\n第三");
     }},
    {"a note", [](World& w) { w.type("# always use tabs"); }},
    {"the history search",
     [](World& w) {
       w.shell.history.add("run the tests");
       w.press("ctrl-r");
       w.type("run");
     }},
    {"vi, normal mode",
     [](World& w) {
       w.shell.composer.set_vi(true);
       w.type("hello");
       w.press("escape");
     }},
    {"todos",
     [](World& w) {
       w.tell(Todos{{"☒ read", "◐ fix 词法", "☐ test"}});
       w.press("ctrl-t");
     }},
    {"a summary drafted, tasks in the background",
     [](World& w) {
       Meters meters = w.shell.view.meters;
       meters.draft_pending = meters.draft_ready = true;
       meters.background_jobs = 2;
       w.tell(meters);
     }},
};

std::string pictures(const Kind& kind, bool bottom) {
  std::string all;
  for (const auto& [columns, lines] : sizes) {
    World world;
    world.meters(0.43);
    if (bottom) world.answer("Done.");
    kind.make(world);
    if (kind.unfolded) world.press("ctrl-o");
    all += "-- " + std::string(kind.name) + ", " + std::to_string(columns) + "x" + std::to_string(lines) +
           "\n" + part(world.look(columns, lines), bottom);
  }
  return all;
}

}  // namespace

TEST_CASE("pictures: every kind of cell by itself") {
  std::string all;
  for (const Kind& kind : kinds) all += pictures(kind, false);
  CHECK_GOLDEN("every_cell", all);
}

TEST_CASE("pictures: every state of the bottom by itself") {
  std::string all;
  for (const Kind& kind : bottoms) all += pictures(kind, true);
  CHECK_GOLDEN("every_bottom", all);
}

TEST_CASE("pictures: the first screen, a search and a page of changes at every size") {
  std::string all;
  for (const auto& [columns, lines] : sizes) {
    World world;
    world.meters(0.01);
    all += "-- " + std::to_string(columns) + "x" + std::to_string(lines) + "\n" + world.look(columns, lines);
    world.story();
    world.press("ctrl-o");
    world.look(columns, lines);
    world.type("/token");
    all += world.look(columns, lines);
    world.press("enter");
    all += world.look(columns, lines);
    world.press("escape");
    world.shell.page(
        {"Changes of this session", "--- src/词法.cpp  +2 −1\n" + std::string(diff_text), Page::Form::diffs});
    all += world.look(columns, lines);
  }
  CHECK_GOLDEN("reading", all);
}
