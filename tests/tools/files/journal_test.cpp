#include "tools/files/journal.h"
#include "tests/support/places.h"

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <condition_variable>
#include <csignal>
#include <mutex>

#include "tests/tools/world.h"
#include "tools/exec/process.h"

using namespace tern;
using namespace tern::testing;

TEST_CASE("the changes of a turn are undone, and only they") {
  World world;
  put(world.root / "a", "one\n");
  put(world.root / "b", "b\n");
  world.journal.begin_turn(1);
  world.read("a");
  world.edit("a", "one", "two");
  world.journal.begin_turn(2);
  world.edit("a", "two", "three");
  world.write("new/c", "c\n");
  auto preview = world.journal.undo(world.workspace, 2, 2, true);
  CHECK(preview.restored.size() == 1);
  CHECK(get(world.root / "a") == "three\n");
  auto report = world.journal.undo(world.workspace, 2, 2);
  CHECK(report.restored == std::vector<fs::path>{world.root / "a"});
  CHECK(report.removed == std::vector<fs::path>{world.root / "new/c"});
  CHECK(get(world.root / "a") == "two\n");
  CHECK_FALSE(fs::exists(world.root / "new/c"));
  CHECK(get(world.root / "b") == "b\n");
  world.journal.undo(world.workspace, 1, 2);
  CHECK(get(world.root / "a") == "one\n");
}

TEST_CASE("an undo is taken back by its name, and only where nobody worked since") {
  World world;
  put(world.root / "a", "one\n");
  put(world.root / "run.sh", "echo\n");
  world.journal.begin_turn(1);
  world.read("a");
  world.edit("a", "one", "two");
  world.write("new/c", "c\n");
  const Scan scan = world.journal.before_command(world.workspace, world.files, "make");
  fs::permissions(world.root / "run.sh", fs::perms::owner_all);
  world.journal.after_command(world.workspace, scan, "c1");
  world.journal.begin_turn(2);
  world.edit("a", "two", "three");
  const auto mode = [&] {
    return static_cast<unsigned>(fs::status(world.root / "run.sh").permissions()) & 0100U;
  };
  REQUIRE(mode() != 0);
  world.journal.undo(world.workspace, 2, 2, false, "undo late");
  const auto report = world.journal.undo(world.workspace, 1, 2, false, "undo early");
  CHECK(report.diffs.at(world.root / "a").added == 1);
  CHECK(report.diffs.at(world.root / "new/c").removed == 1);
  CHECK(get(world.root / "a") == "one\n");
  CHECK(mode() == 0);
  CHECK(world.journal.redo(world.workspace, "undo late").refused.size() == 1);  // not their turn yet
  CHECK(world.journal.redo(world.workspace, "undo early", true).refused.empty());
  CHECK_FALSE(fs::exists(world.root / "new/c"));
  CHECK(world.journal.redo(world.workspace, "undo early").refused.empty());
  CHECK(get(world.root / "a") == "two\n");
  CHECK(get(world.root / "new/c") == "c\n");
  CHECK(mode() != 0);
  world.journal.redo(world.workspace, "undo late");
  CHECK(get(world.root / "a") == "three\n");
  CHECK(world.journal.undo(world.workspace, 1, 2).refused.empty());  // all of it is still known
  CHECK(get(world.root / "a") == "one\n");
  CHECK_FALSE(fs::exists(world.root / "new/c"));
  put(world.root / "a", "mine\n");
  CHECK(world.journal.redo(world.workspace, "undo early").refused.size() == 1);
  CHECK(get(world.root / "a") == "mine\n");
}

TEST_CASE("undo refuses what changed since") {
  World world;
  put(world.root / "a", "one\n");
  world.journal.begin_turn(1);
  world.read("a");
  world.edit("a", "one", "two");
  put(world.root / "a", "mine\n");
  auto report = world.journal.undo(world.workspace, 1, 1);
  REQUIRE(report.refused.size() == 1);
  CHECK(has(report.refused[0].second, "changed since"));
  CHECK(get(world.root / "a") == "mine\n");
}

TEST_CASE("undo refuses what somebody else changed between two turns") {
  World world;
  put(world.root / "a", "one\ntwo\n");
  world.journal.begin_turn(1);
  world.read("a");
  world.edit("a", "one", "ONE");
  put(world.root / "a", "ONE\ntwo\nMY OWN LINE\n");
  world.journal.begin_turn(2);
  world.read("a");
  world.edit("a", "two", "TWO");
  for (const bool preview : {true, false}) {
    const auto report = world.journal.undo(world.workspace, 1, 2, preview);
    CHECK(report.restored.empty());
    REQUIRE(report.refused.size() == 1);
    CHECK(has(report.refused[0].second, "something other than tern changed it in between"));
    CHECK(get(world.root / "a") == "ONE\nTWO\nMY OWN LINE\n");
  }
  CHECK(world.journal.undo(world.workspace, 2, 2).restored.size() == 1);
  CHECK(get(world.root / "a") == "ONE\ntwo\nMY OWN LINE\n");
  CHECK(world.journal.undo(world.workspace, 1, 2).refused.size() == 1);
  CHECK(get(world.root / "a") == "ONE\ntwo\nMY OWN LINE\n");
}

TEST_CASE("undo itself, what was put back by hand and changes of mode break no chain of changes") {
  World world;
  put(world.root / "a", "one\n");
  world.read("a");
  world.journal.begin_turn(1);
  world.edit("a", "one", "two");
  world.journal.begin_turn(2);
  world.edit("a", "two", "three");
  CHECK(world.journal.undo(world.workspace, 2, 2).restored.size() == 1);
  world.journal.begin_turn(3);
  world.read("a");
  world.edit("a", "two", "four");
  put(world.root / "a", "one\n");  // as git checkout would
  world.journal.begin_turn(4);
  const Scan scan = world.journal.before_command(world.workspace, world.files, "make");
  fs::permissions(world.root / "a", fs::perms(0755));
  world.journal.after_command(world.workspace, scan, "c");
  world.read("a");
  world.edit("a", "one", "five");
  CHECK(world.journal.undo(world.workspace, 1, 4).restored.size() == 1);
  CHECK(get(world.root / "a") == "one\n");
}

TEST_CASE("before-images go to the store before the file is written") {
  World world;
  put(world.root / "a", "one\n");
  std::vector<FileChange> saved;
  JournalStore store;
  store.save = [&](const FileChange& change) {
    CHECK(get(world.root / "a") == "one\n");
    saved.push_back(change);
  };
  store.load = [&](std::uint64_t, std::uint64_t) { return saved; };
  world.journal = Journal(store, world.temp.path() / "writes");
  world.journal.begin_turn(7);
  world.read("a");
  world.edit("a", "one", "two");
  REQUIRE(saved.size() == 1);
  CHECK(saved[0].turn == 7);
  CHECK(saved[0].before == "one\n");
  CHECK(saved[0].hash_after == content_hash("two\n"));
  store.save = nullptr;
  Journal later(store, world.temp.path() / "writes");  // another process, after a crash
  CHECK(later.undo(world.workspace, 7, 7).restored.size() == 1);
  CHECK(get(world.root / "a") == "one\n");
}

// Nothing in this process can write a file beyond `bytes`, as if the disk were full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

static bool edit_on_full_disk(World& world, const char* name, const char* old_text) {
  const FullDisk full(20000);
  return world.edit(name, old_text, std::string(30000, 'x')).is_error;
}

TEST_CASE("a change that could not be written is no change, and half of one is undone") {
  World world;
  const std::string text = "one\ntwo\n" + std::string(1000, '.');
  for (const char* name : {"whole", "half"}) put(world.root / name, text);
  fs::create_hard_link(world.root / "half", world.root / "other_name");
  for (const char* name : {"whole", "half"}) world.read(name);
  world.journal.begin_turn(1);
  world.edit("whole", "one", "ONE");
  CHECK(edit_on_full_disk(world, "whole", "two"));
  CHECK(edit_on_full_disk(world, "half", "two"));
  CHECK(get(world.root / "whole") == "ONE\ntwo\n" + std::string(1000, '.'));
  CHECK(get(world.root / "half") != text);
  CHECK(world.journal.changes(1, 1)[2].hash_after == content_hash(get(world.root / "whole")));
  const auto report = world.journal.undo(world.workspace, 1, 1);
  CHECK(report.refused.empty());
  for (const char* name : {"whole", "half", "other_name"}) CHECK(get(world.root / name) == text);
}

TEST_CASE("what another wrote while tern was about to is not undone") {
  World world;
  put(world.root / "a", "one\n");
  world.read("a");
  world.journal.begin_turn(1);
  world.journal.record({.call_id = "c",
                        .path = world.root / "a",
                        .before = "one\n",
                        .hash_before = content_hash("one\n"),
                        .hash_after = content_hash("two\n")});  // killed before it was written
  put(world.root / "a", "mine\n");
  CHECK(world.journal.undo(world.workspace, 1, 1).refused.size() == 1);
  world.read("a");
  world.edit("a", "mine", "ours");
  CHECK(world.journal.undo(world.workspace, 1, 1).refused.size() == 1);
  CHECK(get(world.root / "a") == "ours\n");
}

TEST_CASE("what a command changed, made or removed is found and undone") {
  World world;
  put(world.root / "keep", "k\n");
  put(world.root / "changed", "before\n");
  put(world.root / "gone", "was here\n");
  fs::permissions(world.root / "gone", fs::perms(0750));
  put(world.root / ".gitignore", "*.o\n");
  world.journal.begin_turn(1);
  Scan scan = world.journal.before_command(world.workspace, world.files, "make");
  CHECK(scan.whole_tree);
  put(world.root / "changed", "after!\n");
  put(world.root / "made", "m\n");
  put(world.root / "x.o", "object");
  fs::remove(world.root / "gone");
  auto found = world.journal.after_command(world.workspace, scan, "call_1");
  CHECK(found.size() == 3);
  auto report = world.journal.undo(world.workspace, 1, 1);
  CHECK(report.refused.empty());
  CHECK(get(world.root / "changed") == "before\n");
  CHECK(get(world.root / "gone") == "was here\n");
  CHECK((fs::status(world.root / "gone").permissions() & fs::perms::mask) == fs::perms(0750));
  CHECK_FALSE(fs::exists(world.root / "made"));
  CHECK(fs::exists(world.root / "x.o"));
}

// File times move in ticks, which a busy machine takes late; what comes after this has a later time than this
// moment and than what was written before.
static void next_tick() {
  timespec begun{}, now{};
  ::clock_gettime(CLOCK_REALTIME, &begun);
  do {
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  } while (std::tie(now.tv_sec, now.tv_nsec) <= std::tie(begun.tv_sec, begun.tv_nsec));
}

static void fill_beyond_watching(const World& world) {
  for (std::size_t i = 0; i <= CommandScanner::most_watched; ++i)
    put(world.root / "many" / std::to_string(i % 50) / std::to_string(i), "x");
}

TEST_CASE("in a large tree undo removes nothing that may have been there before") {
  World world;
  fill_beyond_watching(world);
  world.journal.before_command(world.workspace, world.files, "make");  // finds out how large it is
  next_tick();
  for (const char* name : {"young", "replaced"}) put(world.root / name, "mine\n");
  world.journal.begin_turn(1);
  const Scan scan = world.journal.before_command(world.workspace, world.files, "make");
  next_tick();
  put(world.root / "young", "other\n");
  put(world.root / "sed1234", "other\n");
  fs::rename(world.root / "sed1234", world.root / "replaced");  // as sed -i does
  world.journal.after_command(world.workspace, scan, "c");
  const auto report = world.journal.undo(world.workspace, 1, 1);
  CHECK(report.removed.empty());
  CHECK(report.refused.size() == 2);
  for (const char* name : {"young", "replaced"}) CHECK(get(world.root / name) == "other\n");
}

TEST_CASE("what was only ignored before a command is not taken for its work") {
  World world;
  put(world.root / ".gitignore", ".env\n");
  put(world.root / ".env", "mine\n");
  next_tick();
  world.journal.begin_turn(1);
  const Scan scan = world.journal.before_command(world.workspace, world.files, "make");
  put(world.root / ".gitignore", "");
  put(world.root / "made", "m\n");
  world.journal.after_command(world.workspace, scan, "c");
  const auto report = world.journal.undo(world.workspace, 1, 1);
  CHECK(report.removed == std::vector<fs::path>{world.root / "made"});
  CHECK(get(world.root / ".env") == "mine\n");
}

TEST_CASE("in a large tree what was seen or is named comes back, and the rest is said to be lost") {
  World world;
  fill_beyond_watching(world);
  for (const char* name : {"seen", "named", "src/in_named_directory", "unseen"})
    put(world.root / name, "before\n");
  world.read("seen");
  world.journal.begin_turn(1);
  world.journal.before_command(world.workspace, world.files, "make");  // finds out how large it is
  next_tick();
  Scan scan = world.journal.before_command(world.workspace, world.files, "sed -i 's/n/m/' named src");
  CHECK_FALSE(scan.whole_tree);
  CHECK(scan.files.size() == 3);
  next_tick();
  for (const char* name : {"seen", "named", "src/in_named_directory", "unseen", "made"})
    put(world.root / name, "other\n");
  CHECK(world.journal.after_command(world.workspace, scan, "c").size() == 5);
  const auto report = world.journal.undo(world.workspace, 1, 1);
  for (const char* name : {"seen", "named", "src/in_named_directory"})
    CHECK(get(world.root / name) == "before\n");
  REQUIRE(report.refused.size() == 2);
  CHECK(report.refused[0].first == world.root / "made");  // nobody looked before
  CHECK(report.refused[1].first == world.root / "unseen");
  CHECK(report.refused[1].second == "no copy of it was kept before the command");
}

TEST_CASE("in a large tree what lies beside what was seen, or where a pattern looks, comes back too") {
  World world;
  fill_beyond_watching(world);
  for (const char* name : {"lib/seen", "lib/beside", "lib/deep/er", "gen/a.c", "gen/b.c"})
    put(world.root / name, "before\n");
  world.read("lib/seen");
  world.journal.begin_turn(1);
  next_tick();
  const Scan scan = world.journal.before_command(world.workspace, world.files, "clang-format -i gen/*.c");
  CHECK_FALSE(scan.whole_tree);
  next_tick();
  for (const char* name : {"lib/beside", "lib/deep/er", "gen/a.c", "gen/b.c"})
    put(world.root / name, "other\n");
  CHECK(world.journal.after_command(world.workspace, scan, "c").size() == 4);
  CHECK(world.journal.undo(world.workspace, 1, 1).refused.empty());
  for (const char* name : {"lib/beside", "lib/deep/er", "gen/a.c", "gen/b.c"})
    CHECK(get(world.root / name) == "before\n");
}

TEST_CASE("what a scan has no time to copy, a later one copies") {
  World world;
  for (int i = 0; i < 3000; ++i)
    put(world.root / std::to_string(i % 30) / std::to_string(i), std::string(2000, 'x'));
  std::size_t copies = 0;
  for (int round = 0; round < 2000 && copies < 3000; ++round) {
    const Scan scan = world.journal.before_command(world.workspace, world.files, "make");
    const auto copied = [](const auto& entry) { return entry.second.copy.has_value(); };
    const auto now = static_cast<std::size_t>(std::count_if(scan.files.begin(), scan.files.end(), copied));
    CHECK(scan.files.size() == 3000);
    CHECK(now > copies);
    copies = now;
  }
  CHECK(copies == 3000);
}

TEST_CASE("modes, and files that took the place of directories, are put back") {
  World world;
  put(world.root / "script", "#!/bin/sh\n");
  put(world.root / "file", "f\n");
  put(world.root / "directory/a", "a\n");
  put(world.root / "directory/b/c", "c\n");
  put(world.root / "gone/deep/d", "d\n");
  fs::permissions(world.root / "script", fs::perms(0640));
  world.journal.begin_turn(1);
  const Scan scan = world.journal.before_command(world.workspace, world.files, "make");
  fs::permissions(world.root / "script", fs::perms(0755));
  fs::remove(world.root / "file");
  put(world.root / "file/now/a_directory", "x\n");
  fs::remove_all(world.root / "directory");
  put(world.root / "directory", "now a file\n");
  fs::remove_all(world.root / "gone");
  world.journal.after_command(world.workspace, scan, "c");
  fs::remove(world.root / "file/now/a_directory");  // what is left empty is no reason to refuse
  fs::remove(world.root / "file/now");
  const auto report = world.journal.undo(world.workspace, 1, 1);
  for (const auto& [path, why] : report.refused) UNSCOPED_INFO(path.string() << ": " << why);
  CHECK(report.refused.empty());
  CHECK((fs::status(world.root / "script").permissions() & fs::perms::mask) == fs::perms(0640));
  CHECK(get(world.root / "file") == "f\n");
  CHECK(get(world.root / "directory/a") == "a\n");
  CHECK(get(world.root / "directory/b/c") == "c\n");
  CHECK(get(world.root / "gone/deep/d") == "d\n");
}

TEST_CASE("around commands that only look nothing is scanned") {
  for (const char* line :
       {"ls -la", "cat a | grep x | head -3", "git status", "git log --oneline; ls", "rg -n foo src"}) {
    INFO(line);
    CHECK(only_looks(line));
  }
  for (const char* line :
       {"make", "ls > a", "ls; rm a", "cat a | tee b", "echo $(rm a)", "git checkout .",
        "git diff --output=a", "ls\nrm a", "ls & rm a", "lsof", "cat a|sh", "find . -delete", ""}) {
    INFO(line);
    CHECK_FALSE(only_looks(line));
  }
}

TEST_CASE("Bash puts what it changed into the journal") {
  set_supervisor(places::supervisor());
  World world;
  put(world.root / "a", "one\n");
  world.journal.begin_turn(1);
  world.run("Bash", {{"command", "echo two > a; echo new > made; rm -f none"}});
  CHECK(get(world.root / "a") == "two\n");
  CHECK(world.journal.changes(1, 1).size() == 2);
  world.journal.undo(world.workspace, 1, 1);
  CHECK(get(world.root / "a") == "one\n");
  CHECK_FALSE(fs::exists(world.root / "made"));
}

namespace {

// Background commands which wait for a word, and whose ends are waited for without polling.
struct Background {
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  World world;  // ends first: its jobs may still tell
  const fs::path gate = world.outside / "gate";

  Background() {
    set_supervisor(places::supervisor());
    REQUIRE(::mkfifo(gate.c_str(), 0600) == 0);
    world.jobs.on_end = [this](const JobInfo&) {
      const std::lock_guard lock(mutex);
      ended = true;
      changed.notify_all();
    };
  }
  bool let_go() {
    put(gate, "go\n");
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(20), [&] { return ended; });
  }
};

}  // namespace

TEST_CASE("what a background command changed is undone with the turn that started it") {
  Background background;
  World& world = background.world;
  for (const char* name : {"a", "b", "mine"}) put(world.root / name, "one\n");
  world.read("b");
  world.journal.begin_turn(1);
  world.run("Bash", {{"command", "read x < " + background.gate.string() +
                                     "; echo two > a; echo two > b; echo new > made"},
                     {"run_in_background", true}});
  world.journal.begin_turn(2);
  world.edit("b", "one", "edited");
  world.journal.settle(world.workspace, world.jobs);  // it still runs
  CHECK(world.journal.changes(1, 2).size() == 1);
  REQUIRE(background.let_go());
  next_tick();
  put(world.root / "mine", "my own\n");
  CHECK(has(world.run("BashOutput", {{"bash_id", "bash_1"}}).text, "exit 0"));
  CHECK(world.journal.changes(1, 1).size() == 2);
  const auto report = world.journal.undo(world.workspace, 1, 2);
  CHECK(report.refused.size() == 1);  // b: nobody can tell whose it is
  CHECK(get(world.root / "a") == "one\n");
  CHECK(get(world.root / "b") == "two\n");
  CHECK_FALSE(fs::exists(world.root / "made"));
  CHECK(get(world.root / "mine") == "my own\n");
}

TEST_CASE("what a command changed before and after it moved to the background is undone") {
  Background background;
  World& world = background.world;
  for (const char* name : {"a", "b"}) put(world.root / name, "one\n");
  world.journal.begin_turn(1);
  world.run("Bash", {{"command", "echo two > a; read x < " + background.gate.string() +
                                     "; echo three > a; echo two > b"},
                     {"timeout", 50}});
  world.journal.begin_turn(2);
  REQUIRE(background.let_go());
  CHECK(get(world.root / "a") == "three\n");
  world.journal.settle(world.workspace, world.jobs);
  CHECK(world.journal.undo(world.workspace, 2, 2).empty());
  CHECK(world.journal.undo(world.workspace, 1, 2).refused.empty());
  for (const char* name : {"a", "b"}) CHECK(get(world.root / name) == "one\n");
}
