// A writer is killed at random moments. What it had acknowledged over a pipe must be there when the store is
// opened again, and the context must be exactly that of some whole prefix of its script, never a mixture.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "agent/store/store.h"
#include "compression/values/check.h"
#include "compression/values/context_edit.h"
#include "compression/values/tokens.h"
#include "tests/support/script.h"
#include "tests/support/store_folder.h"

using namespace tern;

namespace {

constexpr std::uint64_t kSteps = 60;

using Folder = test::StoreFolder;

ItemPtr prompt(std::uint64_t id) {
  Item item;
  item.id = {id}, item.blocks.push_back(Text{"prompt " + std::to_string(id)});
  return make_item(std::move(item));
}

ItemPtr call(std::uint64_t id) {
  Item item;
  item.id = {id}, item.role = Role::assistant,
  item.blocks.push_back(ToolCall{"c" + std::to_string(id), "Bash", "{}", {}});
  return make_item(std::move(item));
}

std::string output(std::uint64_t id) {
  return std::string(6'000 + 100 * id, static_cast<char>('a' + id % 26)) + std::to_string(id);
}

ItemPtr answer(std::uint64_t id, RecallId recall) {
  ToolResult result;
  result.call_id = "c" + std::to_string(id - 1), result.tool = "Bash",
  result.text = "short " + std::to_string(id), result.recall = recall;
  result.form = ResultForm::snipped;
  Item item;
  item.id = {id}, item.blocks.push_back(result);
  return make_item(std::move(item));
}

ItemPtr done(std::uint64_t id) {
  Item item;
  item.id = {id}, item.role = Role::assistant, item.blocks.push_back(Text{"done " + std::to_string(id)});
  return make_item(std::move(item));
}

// Drops the oldest ten items for a summary, as a compaction does.
Batch compaction(std::uint64_t batch, std::uint64_t first) {
  Item summary;
  summary.id = {10'000 + batch}, summary.synthetic = true;
  summary.blocks.push_back(Summary{"summary " + std::to_string(batch), {{first}, {first + 7}}});
  Batch edits{batch, {{{first}, Insert{make_item(std::move(summary))}, {Tier::compact, "kill", ""}, 0}}};
  for (std::uint64_t id = first; id < first + 8; ++id)
    edits.edits.push_back({{id}, Drop{}, {Tier::compact, "kill", ""}, 1});
  return edits;
}

// Four steps make a turn; after each fifth turn two turns are compacted. Acknowledged means: append() said it
// is on disk.
template <class Acknowledge>
void play(Store& store, Acknowledge acknowledge) {
  std::uint64_t batch = 0, id = 0;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    ++id;
    bool saved = false;
    switch (step % 4) {
      case 0: saved = store.append(prompt(id)); break;
      case 1:
        saved = store.transact([&] {
          store.append(call(id));
          store.started({"c" + std::to_string(id), "Bash", "Bash", "make", "{}"});
        });
        break;
      case 2:
        saved =
            store.transact([&] { store.append(answer(id, store.put_original(output(id), "Bash", "make"))); });
        break;
      case 3: saved = store.append(done(id)); break;
    }
    if (saved) acknowledge(step);
    if (step % 20 == 19) {
      ++batch;
      const Batch edits = compaction(batch, 1 + (batch - 1) * 8);
      CompactionRecord record;
      record.tier = Tier::compact, record.summary = "s";
      if (store.log(edits, record)) acknowledge(1'000 + batch);
    }
  }
}

// The pictures of the context after each event of an undisturbed run.
std::vector<std::string> all_pictures() {
  auto store = Store::open({});
  store->create({});
  std::vector<std::string> pictures = {""};
  play(*store, [&](std::uint64_t) { pictures.push_back(test::to_script(store->conversation(), 20)); });
  return pictures;
}

[[noreturn]] void writer(const std::filesystem::path& folder, int out) {
  auto store = Store::open({.folder = folder});
  store->create({});
  play(*store, [&](std::uint64_t step) {
    if (::write(out, &step, sizeof step) != sizeof step) ::_exit(1);
  });
  ::_exit(0);
}

// Lets the writer run until it has acknowledged `events` of them plus a little, then kills it. Returns how
// many were.
std::uint64_t run_and_kill(const std::filesystem::path& folder, std::mt19937& random) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::close(ends[0]);
    writer(folder, ends[1]);
  }
  ::close(ends[1]);
  const std::uint64_t wanted = random() % (kSteps + 4);
  std::uint64_t seen = 0, step = 0;
  while (seen < wanted && ::read(ends[0], &step, sizeof step) == sizeof step) ++seen;
  for (volatile unsigned spin = random() % 400'000; spin > 0;) spin = spin - 1;
  ::kill(child, SIGKILL);
  while (::read(ends[0], &step, sizeof step) == sizeof step) ++seen;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return seen;
}

}  // namespace

TEST_CASE("store: kill -9 at random moments loses nothing that was acknowledged") {
  const std::vector<std::string> pictures = all_pictures();
  const char* more = std::getenv("TERN_KILLS");
  const int kills = more ? std::atoi(more) : 100;
  std::mt19937 random(std::random_device{}());
  for (int n = 0; n < kills; ++n) {
    Folder folder;
    const std::uint64_t acknowledged = run_and_kill(folder.path, random);
    INFO("kill " << n << " after " << acknowledged << " acknowledged events");
    auto store = Store::open({.folder = folder.path});
    REQUIRE(store->notices().empty());
    REQUIRE(store->integrity() == "ok");
    std::string why;
    const auto rows = store->sessions();
    if (rows.empty()) {
      REQUIRE(acknowledged == 0);
      continue;
    }
    // Before anything is mended: the context is that after `acknowledged` events, or after the one that was
    // being written.
    auto look = Store::open({.folder = folder.path, .read_only = true});
    const auto raw = look->resume(rows[0].id, why);
    REQUIRE(raw);
    const std::string picture = test::to_script(look->conversation(), 20);
    const bool exact = picture == pictures.at(acknowledged) ||
                       (acknowledged + 1 < pictures.size() && picture == pictures[acknowledged + 1]);
    REQUIRE(exact);
    const auto opened = store->resume(rows[0].id, why);
    REQUIRE(opened);
    REQUIRE(check(opened->conversation).empty());
    for (const Original& original : store->originals())
      REQUIRE(store->text(original.id) == output(original.item.value));
  }
}
