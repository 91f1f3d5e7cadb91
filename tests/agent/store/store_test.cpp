#include "agent/store/store.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <csignal>
#include <filesystem>

#include "agent/store/sqlite.h"
#include "compression/values/check.h"
#include "compression/values/context_edit.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"
#include "tests/support/store_folder.h"
#include "tools/files/journal.h"
#include "tools/set/tool.h"

using namespace tern;

namespace {

using Folder = test::StoreFolder;

void append_all(Store& store, std::string_view lines, std::size_t from = 0) {
  const Conversation conversation = test::script(lines);
  for (std::size_t n = from; n < conversation.items.size(); ++n) store.append(conversation.items[n]);
}

constexpr const char* kTalk = R"(
user fix the parser
assistant I look.
call 1 Read a.cpp
result 1 30 lines
assistant Done, all green.
user 谢谢你，现在修复换行问题
assistant 好的
)";

Batch drop_first(std::uint64_t id) {
  Item summary;
  summary.id = {900 + id}, summary.synthetic = true;
  summary.blocks.push_back(Summary{"they fixed the parser", {{1}, {3}}});
  Batch batch{id, {}};
  batch.edits.push_back({{1}, Insert{make_item(std::move(summary))}, {Tier::compact, "summarize", "old"}, 0});
  for (std::uint64_t n : {1, 2, 3})
    batch.edits.push_back({{n}, Drop{}, {Tier::compact, "summarize", "old"}, 10});
  return batch;
}

CompactionRecord record_of(const Batch& batch) {
  CompactionRecord record;
  record.batch = batch.id, record.tier = Tier::compact, record.strategy = "sections",
  record.summary = "they fixed the parser";
  record.key_points = {"parser", "换行"}, record.before = 100, record.after = 40;
  return record;
}

std::string reopen(Store& store, const std::string& id) {
  std::string why;
  const auto opened = store.resume(id, why);
  return opened ? test::to_script(opened->conversation) : "not resumed: " + why;
}

// The old Store must be gone before the new one opens the same session.
std::string restart(std::unique_ptr<Store>& store, const Folder& folder, const std::string& id) {
  store.reset();
  store = folder.store();
  return reopen(*store, id);
}

}  // namespace

TEST_CASE("store: what was appended is there again after the process is gone") {
  Folder folder;
  std::string id, before;
  {
    auto store = folder.store();
    REQUIRE(store->notices().empty());
    id = store->create({.name = {}, .cwd = "/src", .model = "demo/demo"}).id;
    append_all(*store, kTalk);
    CHECK(store->unsaved().empty());
    before = test::to_script(store->conversation());
  }
  auto store = folder.store();
  CHECK(reopen(*store, id) == before);
  CHECK(store->next_item() == ItemId{7});
  std::string why;
  REQUIRE(store->newest(why));
  CHECK(store->session() == id);
}

TEST_CASE("store: a batch is undone and done again in place, later items stay") {
  Folder folder;
  auto store = folder.store();
  const std::string id = store->create({}).id;
  append_all(*store, kTalk);
  const std::string whole = test::to_script(store->conversation());
  const Batch batch = drop_first(store->next_batch());
  const std::string direct = test::to_script(tern::apply(store->conversation(), batch.edits));
  REQUIRE(store->log(batch, record_of(batch)));
  CHECK(test::to_script(store->conversation()) == direct);
  CHECK(restart(store, folder, id) == direct);
  CHECK(store->undoable() == std::vector<std::uint64_t>{1});
  REQUIRE(store->undo(1));
  CHECK_FALSE(store->undo(1));
  CHECK(restart(store, folder, id) == whole);
  CHECK(store->redoable() == std::vector<std::uint64_t>{1});
  REQUIRE(store->redo(1));
  CHECK(restart(store, folder, id) == direct);
  CHECK(store->compactions().at(0).key_points == std::vector<std::string>{"parser", "换行"});
  CHECK(store->next_item() > ItemId{901});
}

TEST_CASE("store: the fold equals replay(), with replaced blocks and pins") {
  Folder folder;
  auto store = folder.store();
  store->create({});
  std::vector<LogEntry> log;
  const auto items = test::script(kTalk).items;
  for (const ItemPtr& item : items) {
    store->append(item);
    log.emplace_back(item);
  }
  ToolResult stub;
  stub.call_id = "c1", stub.tool = "Read", stub.text = "[Read a.cpp, 30 lines]",
  stub.form = ResultForm::compacted;
  Batch pin{1, {{{4}, Pin{true}, {}, 0}}};
  Batch micro{2,
              {{{3}, Replace{0, stub}, {Tier::micro, "microcompact", "old"}, 9},
               {{4}, Drop{}, {Tier::micro, "x", "y"}, 1}}};
  for (const Batch& batch : {pin, micro}) {
    store->log(batch, {});
    log.emplace_back(batch);
  }
  CHECK(test::to_script(store->conversation()) == test::to_script(replay(log)));
  CHECK(store->conversation().items.at(3)->pinned);
  CHECK(store->item({3})->blocks == items.at(2)->blocks);
}

TEST_CASE("store: rewind leaves the fold, not the file; a fork shares what was before") {
  Folder folder;
  auto store = folder.store();
  const std::string id = store->create({}).id;
  append_all(*store, kTalk);
  const std::string short_talk = test::to_script(store->rewind({5}));
  CHECK(store->conversation().items.size() == 4);
  CHECK(store->next_item() == ItemId{7});
  CHECK(test::to_script(store->fork("other way").conversation) == short_talk);
  append_all(*store, "user 10 only in the fork");
  CHECK(restart(store, folder, id) == short_talk);
  CHECK(reopen(*store, "other way").find("only in the fork") != std::string::npos);
  CHECK(store->rewind_points().size() == 2);
}

TEST_CASE("store: a rewind is taken back until something is said or compacted, also after a restart") {
  Folder folder;
  auto store = folder.store();
  const std::string id = store->create({}).id;
  append_all(*store, kTalk);
  const std::string whole = test::to_script(store->conversation());
  CHECK_FALSE(store->rewound());
  store->rewind({{5}, true, "undo 7"});
  store->rewind({{1}, false, "undo 8"});  // files only: nothing leaves
  store->rewind({{1}});
  CHECK(store->conversation().items.empty());
  CHECK(store->undoable().empty());
  restart(store, folder, id);
  CHECK(store->rewound()->item == ItemId{1});
  CHECK(store->unrewind().items.size() == 4);
  CHECK(store->rewound()->files == "undo 8");
  CHECK_FALSE(store->rewound()->conversation);
  CHECK(store->unrewind().items.size() == 4);
  store->remember(Notice{Level::info, "a word on the screen"});
  restart(store, folder, id);
  REQUIRE(store->rewound());
  CHECK(store->rewound()->files == "undo 7");
  CHECK(test::to_script(store->unrewind()) == whole);
  CHECK_FALSE(store->rewound());
  CHECK(restart(store, folder, id) == whole);
  CHECK(store->rewind_points().size() == 2);
  CHECK(std::holds_alternative<Notice>(store->screen().back()));
  store->rewind({{5}});
  append_all(*store, "user 10 another way");
  CHECK_FALSE(store->rewound());
  CHECK(restart(store, folder, id).find("another way") != std::string::npos);
  CHECK_FALSE(store->rewound());
}

TEST_CASE("store: a compaction on the shorter conversation ends the way back, a pin does not") {
  Folder folder;
  auto store = folder.store();
  store->create({});
  append_all(*store, kTalk);
  store->rewind({{5}});
  CompactionRecord quiet;
  quiet.tier = Tier::none;
  store->log(Batch{1, {{{1}, Pin{true}, {}, 0}}}, quiet);
  CHECK(store->rewound());
  const Batch batch = drop_first(2);
  store->log(batch, record_of(batch));
  CHECK_FALSE(store->rewound());
}

TEST_CASE("store: a crash in mid-call leaves a result that says so, finished ones are kept") {
  Folder folder;
  auto store = folder.store();
  const std::string id = store->create({}).id;
  append_all(*store, "user go\ncall 1 Bash rm x\ncall 2 Bash sleep 9\ncall 3 Bash ls");
  store->started({"c1", "Bash", "Bash", "rm x", "{}"});
  ToolResult done;
  done.call_id = "c1", done.tool = "Bash", done.text = "removed";
  ToolFinished cell;
  cell.call_id = "c1", cell.tool = cell.label = "Bash";
  store->finished(cell, done);
  store->started({"c2", "Bash", "Bash", "sleep 9", "{}"});
  store.reset();
  store = folder.store();
  std::string why;
  const auto opened = store->resume(id, why);
  REQUIRE(opened);
  CHECK(check(opened->conversation).empty());
  const auto& blocks = opened->conversation.items.back()->blocks;
  REQUIRE(blocks.size() == 3);
  CHECK(std::get<ToolResult>(blocks[0]).text == "removed");
  CHECK(std::get<ToolResult>(blocks[1]).text.find("effect is unknown") != std::string::npos);
  CHECK(std::get<ToolResult>(blocks[2]).text.find("not run") != std::string::npos);
  CHECK(opened->notices.size() == 1);
  CHECK(restart(store, folder, id) == test::to_script(opened->conversation));
}

TEST_CASE("store: a cut answer is kept as an interrupted one") {
  Folder folder;
  auto store = folder.store();
  const std::string id = store->create({}).id;
  append_all(*store, "user go");
  store->partial("I was just ab", "");
  const std::string mended = restart(store, folder, id);
  REQUIRE(store->conversation().items.size() == 2);
  CHECK(store->conversation().items[1]->interrupted);
  CHECK(restart(store, folder, id) == mended);
}

TEST_CASE("store: a cut answer is not taken for one to a later prompt") {
  Folder folder;
  std::string why;
  {
    auto store = folder.store();
    store->create({});
    store->append(test::message(1, 300));
    store->partial("half of an answer to the first", {});
    store->append(test::message(2, 300));
  }
  auto store = folder.store();
  const auto opened = store->newest(why);
  REQUIRE(opened);
  CHECK(opened->conversation.items.size() == 2);
  CHECK(opened->notices.empty());
}

TEST_CASE("store: originals come back byte for byte, by range and by line") {
  Folder folder;
  auto store = folder.store();
  store->create({});
  std::string big;
  for (int n = 1; n <= 60'000; ++n)
    big += "line " + std::to_string(n) + (n % 7 ? "\n" : " \x1b[31mred\x1b[0m\r\n");
  const RecallId first = store->put_original(big, "Bash", "make"),
                 again = store->put_original(big, "Bash", "make");
  const auto spill = folder.path / "spill";
  FILE* out = std::fopen(spill.c_str(), "wb");
  std::fwrite(big.data(), 1, big.size(), out);
  std::fclose(out);
  const RecallId spilled = store->put_original_file(spill, "Bash", "make");
  store.reset();
  store = folder.store();
  CHECK(first != again);
  CHECK(store->text(first) == big);
  CHECK(store->text(spilled) == big);
  CHECK(store->bytes(again, 262'000, 1'000) == big.substr(262'000, 1'000));
  CHECK(store->bytes(again, static_cast<std::int64_t>(big.size()) - 3, 100) == big.substr(big.size() - 3));
  CHECK(store->lines(first, 1, 2) == "line 1\nline 2\n");
  for (std::size_t n : {29'990U, 30'001U, 45'123U, 59'997U}) {
    const std::size_t at = big.find("line " + std::to_string(n)),
                      end = big.find("line " + std::to_string(n + 2));
    CHECK(store->lines(first, n, n + 1) == big.substr(at, end - at));
  }
  CHECK(store->original(first)->bytes == static_cast<std::int64_t>(big.size()));
  CHECK_FALSE(store->text({4'000}));
  CHECK(store->size_on_disk() < 2 * static_cast<std::int64_t>(big.size()));
}

TEST_CASE("store: a result that entered whole is its own original") {
  Folder folder;
  auto store = folder.store();
  store->create({});
  append_all(*store, "user go\ncall 1 Read a.cpp\nresult 1 = int main() {}\\n// Hello\nassistant ok");
  CHECK(store->text({1}) == "int main() {}\n// Hello");
  const auto hits = store->search_originals("hello");
  REQUIRE(hits.size() == 1);
  CHECK(hits[0].line_number == 2);
}

TEST_CASE("store: text of all sessions is found, in Chinese and in two letters too") {
  Folder folder;
  auto store = folder.store();
  const std::string first = store->create({}).id;
  append_all(*store, kTalk);
  store->create({.name = "second", .cwd = {}, .model = {}});
  append_all(*store, "user something else entirely");
  for (bool indexed : {false, true}) {
    if (indexed) store->idle();
    CHECK(store->search("修复换行").at(0).session == first);
    CHECK(store->search("换行").at(0).session == first);
    CHECK(store->search("ALL GREEN").at(0).item == ItemId{4});
    CHECK(store->search("no such words").empty());
    CHECK(store->search("\"else* OR").empty());
  }
  REQUIRE(store->sessions().size() == 2);
  CHECK(store->sessions("换行").size() == 1);
  CHECK(store->sessions("换行").at(0).name == "fix the parser");
  std::string why;
  CHECK_FALSE(store->resume("zzz", why));
  CHECK(why.find("tern sessions") != std::string::npos);
  CHECK(store->resume("parser", why)->id == first);
  CHECK(store->resume(first.substr(0, 4), why)->id == first);
  CHECK(store->resume("something else", why)->name == "second");
}

TEST_CASE("store: the screen is shown again with its cells and notices") {
  Folder folder;
  auto store = folder.store();
  const std::string id = store->create({}).id;
  append_all(*store, "user go\ncall 1 Edit a.cpp");
  store->started({"c1", "Edit", "Edit", "a.cpp", "{}"});
  ToolFinished cell;
  cell.call_id = "c1", cell.tool = cell.label = "Edit", cell.subject = "a.cpp", cell.note = "+2 −1",
  cell.diff = "@@ -1 +1 @@";
  cell.milliseconds = 42, cell.exit_status = 3;
  store->transact([&] {
    store->finished(cell, {});
    append_all(*store, "user go\ncall 1 Edit a.cpp\nresult 1 = done\n", 2);
  });
  store->remember(Notice{Level::warning, "careful"});
  restart(store, folder, id);
  const std::vector<Event> screen = store->screen();
  const auto finished = std::find_if(screen.begin(), screen.end(),
                                     [](const Event& e) { return std::holds_alternative<ToolFinished>(e); });
  REQUIRE(finished != screen.end());
  const auto& shown = std::get<ToolFinished>(*finished);
  CHECK(shown.diff == cell.diff);
  CHECK(shown.note == cell.note);
  CHECK(shown.exit_status == 3);
  CHECK(shown.milliseconds == 42);
  CHECK(shown.text == "done");
  CHECK(shown.replayed);
  CHECK(std::get<Notice>(screen.back()).text == "careful");
}

TEST_CASE("store: a long log is shown in parts that begin at a prompt and join without a seam") {
  Folder folder;
  auto store = folder.store();
  store->create({});
  std::string lines;
  for (int turn = 1; turn <= 40; ++turn) {
    const std::string n = std::to_string(turn);
    lines += "user go " + n + "\ncall " + n + " Read a.cpp\nresult " + n + " = done " + n +
             "\nassistant ok " + n + "\n";
  }
  append_all(*store, lines);
  const auto brief = [](const std::vector<Event>& events) {
    std::string text;
    for (const Event& event : events) {
      text += std::to_string(event.index()) + ' ';
      if (const auto* item = std::get_if<ItemAdded>(&event))
        text += std::to_string(item->item->id.value) + ' ';
      if (const auto* call = std::get_if<ToolStarted>(&event)) text += call->call_id + call->arguments + ' ';
    }
    return text;
  };
  std::vector<std::string> parts;
  for (std::size_t end = SIZE_MAX; end > 0;) {
    const std::size_t begin = store->screen_begin(end, 30);
    const auto events = store->screen({.begin = begin, .end = end});
    REQUIRE_FALSE(events.empty());
    const auto* first = std::get_if<ItemAdded>(&events.front());
    REQUIRE(first);
    CHECK(std::holds_alternative<Text>(first->item->blocks.front()));
    CHECK(first->item->role == Role::user);
    parts.insert(parts.begin(), brief(events));
    end = begin;
  }
  CHECK(parts.size() > 3);
  std::string joined;
  for (const std::string& part : parts) joined += part;
  CHECK(joined == brief(store->screen()));
}

TEST_CASE("store: small things beside the log survive") {
  Folder folder;
  auto store = folder.store();
  const std::string id = store->create({}).id;
  append_all(*store, "user go");
  UsageRow usage;
  usage.turn = 1, usage.provider = usage.model = "demo", usage.purpose = "turn", usage.input = 10,
  usage.dollars = 0.25;
  store->add_usage(usage);
  store->put_draft(
      {.covers = {{1}, {4}}, .answer = "draft", .model = "m", .strategy = "s", .prefix_hash = "h"});
  store->grant("Bash(git status)", true);
  store->grant("Bash(make)", false);
  for (const char* prompt : {"one", "two", "one"}) store->add_prompt(prompt);
  store->add_pin({.id = 0, .kind = "sentence", .what = "last", .text = "never use tabs", .item = {1}});
  store->set_todos({{"write", "completed", "writing"}, {"test", "pending", ""}});
  store->add_change({1, "c1", "/src/a", "old bytes", 0644, "h1", "h2", false});
  store->add_change({1, "c1", "/src/new", std::nullopt, 0, "", "h3", true});
  restart(store, folder, id);
  CHECK(store->usage_total().input == 10);
  CHECK(store->draft()->answer == "draft");
  CHECK(store->grants().size() == 2);
  CHECK(store->prompts() == std::vector<std::string>{"two", "one"});
  CHECK(store->pins().at(0).text == "never use tabs");
  CHECK(store->todos().at(1).content == "test");
  const auto changes = store->changes(1, 1);
  REQUIRE(changes.size() == 2);
  CHECK(changes[0].before == "old bytes");
  CHECK_FALSE(changes[1].before);
  store->create({});
  CHECK(store->grants().size() == 1);
}

TEST_CASE("store: a long audit takes little room and comes back whole") {
  Folder folder;
  auto store = folder.store();
  const std::string id = store->create({}).id;
  append_all(*store, "user go");
  CompactionRecord record{.batch = store->next_batch(), .tier = Tier::compact, .summary = "It is done"};
  for (int i = 0; i < 40'000; ++i)
    record.audit_full += "- kept: src/part" + std::to_string(i % 97) + ".cpp\n";
  store->log({record.batch, {}}, record);
  restart(store, folder, id);
  REQUIRE(store->summaries().size() == 1);
  CHECK(store->summaries().front().record.audit_full == record.audit_full);
  CHECK(store->compactions().size() == 1);
  store.reset();
  CHECK(std::filesystem::file_size(folder.db()) < record.audit_full.size() / 2);
}

TEST_CASE("store: two on one project both work, one session has one holder, ids never meet") {
  Folder folder;
  auto first = folder.store(), second = folder.store();
  const std::string id = first->create({}).id;
  second->create({});
  for (std::uint64_t n = 1; n <= 50; ++n) {
    append_all(*first, "user " + std::to_string(n) + " from the first");
    append_all(*second, "user " + std::to_string(n) + " from the second");
    CHECK(first->next_recall() != second->next_recall());
  }
  CHECK(first->unsaved().empty());
  CHECK(second->unsaved().empty());
  std::string why;
  CHECK_FALSE(second->resume(id, why));
  CHECK(why.find("another tern") != std::string::npos);
  first.reset();
  CHECK(second->resume(id, why)->turns == 50);
}

TEST_CASE("store: a child that outlives its killed tern for a moment does not keep the session") {
  Folder folder;
  const std::string id = folder.store()->create({}).id;
  const pid_t killed = ::fork();
  if (killed == 0) {
    auto store = folder.store();
    std::string why;
    store->resume(id, why);
    if (::fork() == 0) {  // it has the lock, too, until it would exec
      ::poll(nullptr, 0, 50);
      ::_exit(0);
    }
    ::raise(SIGKILL);
  }
  ::waitpid(killed, nullptr, 0);
  std::string why;
  CHECK(folder.store()->resume(id, why));
  CHECK(why.empty());
}

TEST_CASE("store: everything made is private, whatever the umask") {
  Folder folder;
  const mode_t old = ::umask(0);
  auto store = folder.store();
  store->create({});
  append_all(*store, kTalk);
  ::umask(old);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    struct stat info {};
    REQUIRE(::stat(entry.path().c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
    ++files;
  }
  CHECK(files >= 3);
}

TEST_CASE("store: the linked SQLite is sound") { CHECK(sqlite_unsound().empty()); }
