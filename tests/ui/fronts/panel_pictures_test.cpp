// Every list and page that a command opens, and the shown_dialogs that no other picture has, each by itself
// at four sizes. What depends on the machine is told by hand here.
#include <functional>

#include "tests/ui/world.h"

using namespace tern;

namespace {

using What = ListShown::What;

ListShown context_item_list() {
  ListShown list{What::context,
                 "Context",
                 "",
                 {{"r17", "Read  src/词法.cpp", "412 lines", 12'400},
                  {"r21", "Bash  ctest -R tokenizer", "exit 8", 8'100},
                  {"m3", "you   The tokenizer drops the last line", "", 34}}};
  list.used = 78'000;
  list.limit = 180'000;
  return list;
}

std::vector<std::pair<std::string_view, Event>> command_panels() {
  return {
      {"/tasks",
       ListShown{What::tasks,
                 "Background commands",
                 "",
                 {{"bash_1", "running · 184 s · 1,204 lines", "npm run dev -- --port 3000 --host 0.0.0.0"},
                  {"bash_2", "exit 0 · 9 s · 12 lines", "make"}}}},
      {"/permissions", ListShown{What::rules,
                                 "Permissions · mode ask",
                                 "",
                                 {{"Bash(npm run build:*)", "allow", "this session"},
                                  {"Edit(src/**)", "allow", "this project"},
                                  {"Bash(git push:*)", "deny", "~/.config/tern/config.json"}}}},
      {"/recall",
       ListShown{What::originals,
                 "Originals",
                 "",
                 {{"r7", "  12.4K  Read  src/tokenizer.cpp", "// The tokenizer reads a line at a time."},
                  {"r6", "  310 B  Bash  make", "Rejected: use ninja"},
                  {"r5", "   61 B  \"读一下 src/词法.cpp，然后修 bug\"", ""}}}},
      {"/config",
       ListShown{What::settings,
                 "Configuration",
                 "",
                 {{"theme", "\"auto\"", "colours: auto, dark, light, default, …"},
                  {"compression.autoCompactAt", "0.8", "share of the window at which a summary is made"},
                  {"model", "\"anthropic/claude-sonnet-4-5\"", "what the next start takes"}}}},
      {"/context items", context_item_list()},
      {"/summaries", ListShown{What::summaries,
                               "Summaries",
                               "",
                               {{"2", "11-18 10:01 · turns 4–9 · 145,000 → 71,300 tokens",
                                 "41 of 47 details kept, 6 on recall, none lost"},
                                {"1", "11-18 09:40 · turns 1–3 · 121,000 → 52,000 tokens · undone",
                                 "30 of 35 details kept, 5 on recall, none lost"}}}},
      {"/resume", SessionList{{{"qn7q", "parser", "2 h ago",
                                "fix the tokenizer so that it keeps the last line of each file", 12},
                               {"b2xz", "", "yesterday", "读一下 README", 1}}}},
      {"/status",
       Page{
           "Status",
           "session   qn7q  parser\nversion   0.1\nmodel     anthropic/claude-sonnet-4-5\nmode      ask\n"
           "folder    /home/ann/src/parser  git: main*\nhistory   /home/ann/src/parser/.compression  412 KB\n"
           "trusted   yes\nsandbox   namespaces, seccomp\n"}},
      {"/mcp",
       Page{"MCP servers",
            "● github      ready · 41 tools · 3 prompts · .mcp.json\n● playwright  ready · 21 tools · "
            "network granted\n"
            "○ memory      not running: exit 1 · /mcp restart memory\n"}},
      {"/hooks", Page{"Hooks",
                      "PreToolUse  Bash   ./guard.sh   ~/.config/tern/config.json\nStop               notify "
                      "done  .claude/settings.json\n"}},
      {"/lsp", Page{"Language servers",
                    "● clangd    running · 12 files · 3 errors\n○ pyright   starts at the first .py file\n"}},
      {"/memory",
       Page{"Memory files",
            "/home/ann/.config/tern/AGENTS.md  120 tokens\n/home/ann/src/parser/AGENTS.md  1,204 tokens\n"}},
      {"/tools", Page{"Tools",
                      "● Bash        Runs a command.\n● Read        Reads a file or a folder.\n○ WebSearch   "
                      "Searches the web.\n\n"
                      "● offered to the model   ○ off: \"tools.extra\" in the configuration adds it\n"}},
      {"/cost", Page{"Cost",
                     "12 requests · 145000 tokens in (92% from the cache), 3400 out · $0.41\n\n"
                     "spent on                          tokens  dollars\nanswers                          "
                     "121,000    $0.31\n"
                     "summaries                         24,000    $0.10\ntogether                         "
                     "145,000    $0.41\n\n"
                     "no limits: /cost limit turn|session|day|TOOL|mcp__SERVER DOLLARS sets one\n"}},
      {"/diff", Page{"Changes of this session",
                     "--- src/词法.cpp  +1 −1\n@@ -202,1 +202,1 @@\n-    return Token::eof();\n+    return "
                     "行();  // 👍🏽\n",
                     Page::Form::diffs}},
  };
}

std::string panel_at_every_size(const std::function<void(World&)>& make) {
  std::string all;
  for (const auto& [columns, lines] : {std::pair{80, 24}, {120, 40}, {200, 50}, {40, 12}}) {
    World world;
    world.meters(0.43);
    world.user("fix it");
    make(world);
    all += "== " + std::to_string(columns) + "x" + std::to_string(lines) + "\n" + world.look(columns, lines);
  }
  return all;
}

std::string without_empty_rows(const std::string& picture) {
  std::string out;
  for (std::size_t at = 0; at < picture.size();) {
    const std::size_t end = std::min(picture.find('\n', at), picture.size());
    const std::string row = picture.substr(at, end - at);
    if (row.find_first_not_of(' ') != row.npos) out += row + "\n";
    at = end + 1;
  }
  return out;
}

QuestionAsked shown_question() {
  QuestionAsked asked;
  asked.id = 5;
  asked.text = "Which **cache** should the parser use?";
  asked.options = {
      {"LRU in memory", "fast, lost on restart"}, {"SQLite", "survives, one more dependency"}, {"None", ""}};
  return asked;
}

void ask_permission(World& world, const PermissionAsked& asked) {
  world.tell(asked);
  world.shell.now_ms += 2'000;
}

const std::pair<std::string_view, void (*)(World&)> shown_dialogs[] = {
    {"a new file",
     [](World& w) {
       PermissionAsked asked{.id = 9, .tool = "Write", .title = "Write notes/todo.md", .body = "{}"};
       asked.diff = "@@ -0,0 +1,60 @@\n";
       for (int i = 1; i <= 60; ++i) asked.diff += "+- item " + std::to_string(i) + "\n";
       asked.grants = {{"edits in notes/"}};
       ask_permission(w, asked);
     }},
    {"danger",
     [](World& w) {
       ask_permission(w,
                      {.id = 9,
                       .tool = "Bash",
                       .title = "Bash git push --force origin main",
                       .body = "git push --force origin main",
                       .reason = "Destructive: `git push --force` rewrites history others may have pulled.",
                       .danger = true});
     }},
    {"a tool of a server",
     [](World& w) {
       ask_permission(w, {.id = 9,
                          .tool = "mcp__github__create_issue",
                          .title = "github: create_issue",
                          .body = "title: The tokenizer drops the last line\nlabels: bug",
                          .reason = "tools of servers ask"});
     }},
    {"a question",
     [](World& w) {
       w.tell(shown_question());
       w.shell.now_ms += 2'000;
     }},
    {"a question, answered in own words",
     [](World& w) {
       w.tell(shown_question());
       w.shell.now_ms += 2'000;
       w.look(80, 24);
       w.press("tab");
       w.type("redis, please");
     }},
    {"a plan",
     [](World& w) {
       QuestionAsked asked;
       asked.kind = QuestionAsked::Kind::plan;
       asked.id = 6;
       asked.text = "# Cache\n\n1. Add `src/cache.h`\n2. Test it\n";
       w.tell(asked);
       w.shell.now_ms += 2'000;
     }},
};

}  // namespace

TEST_CASE("pictures: every list and page that a command opens") {
  std::string all;
  for (const auto& [name, event] : command_panels()) {
    all += "-- " + std::string(name) + "\n";
    all += without_empty_rows(panel_at_every_size([&event](World& world) {
      world.tell(event);
      CHECK(world.shell.overlay);
    }));
  }
  CHECK_GOLDEN("every_panel", all);
}

TEST_CASE("pictures: every dialog by itself") {
  std::string all;
  for (const auto& [name, make] : shown_dialogs)
    all += "-- " + std::string(name) + "\n" + without_empty_rows(panel_at_every_size(make));
  CHECK_GOLDEN("every_dialog", all);
}
