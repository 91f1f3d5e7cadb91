// kill -9 in each way of making a context shorter that no tier planned: by hand, by a fresh window, for a
// cold cache, for too many pictures, and their undo. What is on disk is the context before that step or after
// it. TERN_KILLS=500 for the long run.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>

#include "agent/compactor/hand_edits.h"
#include "tests/agent/turn/long_work.h"
#include "tests/support/script.h"
#include "tests/support/temp_dir.h"

using namespace tern;
using test::Rig;
namespace fs = std::filesystem;

namespace {

std::string picture_of(const Conversation& conversation) { return test::to_script(conversation, 40); }

// A session as it is taken up again: a priced model whose cache was warm when it was last used.
struct Work : Rig {
  explicit Work(const fs::path& folder) : Rig(200'000, folder) {
    context.model.provider = "anthropic";
    context.model.priced = context.model.caching = true;
    context.model.input = 3, context.model.output = 15, context.model.cache_read = 0.3,
    context.model.cache_write = 3.75;
  }

  void request_answered() {
    const auto all = context.estimated();
    context.gauges.reported(all, {.input = 100, .cache_read = all}, context.model, now());
  }

  std::string result(std::size_t n) const {
    std::vector<std::string> ids;
    for (const auto& unit : hand_units(context.conversation))
      if (unit.result && !unit.shortened) ids.push_back(unit.id);
    return ids.at(n);
  }
};

struct Step {
  const char* name;
  std::function<void(Work&)> run;
};

const std::vector<Step>& steps() {
  using What = EditContext::What;
  const auto undo = [](Work& work) { work.compactor.undo(work.context, {1, {}}); };
  static const std::vector<Step> all = {
      {"cold cache",
       [](Work& w) {
         w.request_answered();
         w.clock += std::chrono::minutes(6);
         w.compactor.make_room(w.context, {});
       }},
      {"drop",
       [](Work& w) {
         w.compactor.edit(w.context, {What::drop, {w.result(0), w.result(2)}});
       }},
      {"fold",
       [](Work& w) {
         w.compactor.edit(w.context, {What::fold, {w.result(0)}});
       }},
      {"undo of the fold", undo},
      {"undo of the drop", undo},
      {"fresh",
       [](Work& w) {
         w.compactor.compact(w.context, {.focus = "done", .strategy = kFresh, .preview = false, .range = {}},
                             {});
       }},
      {"undo of the fresh window", undo},
      {"pictures come",
       [](Work& w) {
         Item item{.role = Role::user};
         for (int i = 0; i < 101; ++i)
           item.blocks.push_back(Image{"image/png", "picture " + std::to_string(i)});
         append(w.agent, std::move(item));
       }},
      {"pictures go",
       [](Work& w) {
         w.request_answered();
         w.compactor.make_room(w.context, {});
       }},
  };
  return all;
}

// The contexts before the first step and after each.
std::vector<std::string> all_pictures(const fs::path& folder) {
  Work work(folder);
  std::vector<std::string> pictures = {picture_of(work.context.conversation)};
  for (const auto& step : steps()) {
    step.run(work);
    INFO(step.name);
    CHECK(picture_of(work.context.conversation) == picture_of(work.store->conversation()));
    pictures.push_back(picture_of(work.store->conversation()));
  }
  return pictures;
}

// How many steps it had said were done when it was killed.
std::size_t run_and_kill(const fs::path& folder, std::mt19937& random) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::close(ends[0]);
    Work work(folder);
    for (const auto& step : steps()) {
      step.run(work);
      if (::write(ends[1], "s", 1) != 1) ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  const std::size_t wanted = random() % steps().size();
  std::size_t seen = 0;
  char byte = 0;
  while (seen < wanted && ::read(ends[0], &byte, 1) == 1) ++seen;
  for (volatile unsigned spin = random() % 3'000'000; spin > 0;) spin = spin - 1;
  ::kill(child, SIGKILL);
  while (::read(ends[0], &byte, 1) == 1) ++seen;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return seen;
}

}  // namespace

TEST_CASE("kill -9 while a context is shortened leaves it as it was or as it was to be") {
  const test::TempDir made, played;
  {
    Work rig(made.path());
    test::work(rig, 14, 1'500);
  }
  fs::copy(made.path(), played.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  const auto pictures = all_pictures(played.path());
  for (std::size_t i = 1; i < pictures.size(); ++i) {
    INFO(steps()[i - 1].name);
    CHECK(pictures[i] != pictures[i - 1]);  // each step does something
  }
  CHECK(pictures[5] == pictures[1]);
  CHECK(pictures[7] == pictures[1]);
  const char* more = std::getenv("TERN_KILLS");
  const int kills = more ? std::atoi(more) : 30;
  std::mt19937 random(std::random_device{}());
  for (int n = 0; n < kills; ++n) {
    const test::TempDir folder;
    fs::copy(made.path(), folder.path(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const auto said = run_and_kill(folder.path(), random);
    INFO("kill " << n << " after " << said << " steps, in "
                 << (said < steps().size() ? steps()[said].name : "the end"));
    const auto store = Store::open({.folder = folder.path()});
    REQUIRE(store->integrity() == "ok");
    std::string why;
    const auto opened = store->newest(why);
    REQUIRE(opened);
    const auto picture = picture_of(store->conversation());
    INFO(picture << "\n---- expected one of\n"
                 << pictures[said] << "\n----\n"
                 << pictures[std::min(said + 1, steps().size())]);
    CHECK((picture == pictures[said] || (said + 1 < pictures.size() && picture == pictures[said + 1])));
    CHECK(check(repair(opened->conversation)).empty());
  }
}
