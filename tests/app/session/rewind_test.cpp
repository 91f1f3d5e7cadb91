// Rewinds through a whole session, and what takes them back: files on the disk, the conversation in the log.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <functional>

#include "agent/store/store.h"
#include "app/session/session.h"
#include "tests/support/fake_llm.h"
#include "tests/support/temp_dir.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

// Two prompts: the first writes a.txt, the second changes it and adds b.txt.
constexpr const char* kTwoTurns = R"({"replies": [
  {"calls": [{"name": "Write", "arguments": {"file_path": "a.txt", "content": "one\ntwo\n"}}]}, {"text": "Written."},
  {"calls": [{"name": "Edit", "arguments": {"file_path": "a.txt", "old_string": "two", "new_string": "TWO"}},
             {"name": "Write", "arguments": {"file_path": "b.txt", "content": "b\n"}}]}, {"text": "Changed."},
  {"text": "Something else."}]})";

struct RewindTalk {
  test::FakeLlm server{kTwoTurns};
  test::TempDir dir;
  Mailbox<Command> commands;
  std::vector<Event> events;
  std::vector<ItemId> prompts;
  std::function<void(const std::string&)> heard;  // each notice, between two commands

  RewindTalk() {
    fs::create_directories(dir.path() / "project");
    fs::create_directories(dir.path() / "home");
  }
  SessionSetup setup() {
    SessionSetup setup;
    setup.cwd = dir.path() / "project";
    setup.home = dir.path() / "home";
    setup.model = "anthropic/claude-sonnet-4-5";
    setup.trusted = {dir.path()};
    setup.mode = PermissionMode::accept_edits;
    setup.env = [this](const std::string& name) {
      return name == "ANTHROPIC_API_KEY"    ? "test-key"
             : name == "ANTHROPIC_BASE_URL" ? server.url()
                                            : std::string();
    };
    return setup;
  }
  // Both prompts, then what `then` says of the number of turns that have ended; what holds no prompt is the
  // last.
  void run(const std::function<std::vector<Command>(std::size_t)>& then) {
    std::size_t turns = 0;
    bool runs = false;
    Session session(setup(), commands, [&](Event event) {
      const auto* added = std::get_if<ItemAdded>(&event);
      if (added && !added->replayed && added->item->role == Role::user && !added->item->synthetic &&
          std::holds_alternative<Text>(added->item->blocks.front()))
        prompts.push_back(added->item->id);
      if (const auto* notice = std::get_if<Notice>(&event); notice && heard) heard(notice->text);
      if (std::holds_alternative<TurnStarted>(event)) runs = true;
      if (std::holds_alternative<TurnEnded>(event) &&
          std::exchange(runs, false)) {  // not one that is replayed
        auto next = ++turns == 1 ? std::vector<Command>{Submit{"second", {}, When::after}} : then(turns);
        const bool goes_on = std::holds_alternative<Submit>(next.back());
        for (Command& command : next) commands.push(std::move(command));
        if (!goes_on) commands.push(Quit{});
      }
      events.push_back(std::move(event));
    });
    REQUIRE(session.open());
    commands.push(Submit{"first", {}, When::after});
    session.run();
  }
  std::string file(const char* name) const {
    std::ifstream in(dir.path() / "project" / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string said() const {
    std::string all;
    for (const Event& event : events) {
      if (const auto* notice = std::get_if<Notice>(&event)) all += notice->text + "\n";
      if (const auto* page = std::get_if<Page>(&event)) all += page->text + "\n";
    }
    return all;
  }
  // The prompts of the conversation as a later start finds it.
  std::size_t prompts_kept() const {
    auto store = Store::open({.folder = dir.path() / "project" / ".compression"});
    std::string why;
    return store->newest(why) ? store->rewind_points().size() : 0;
  }
};

}  // namespace

TEST_CASE("a rewind is taken back: conversation and files") {
  RewindTalk talk;
  std::string between;
  talk.heard = [&](const std::string& text) {
    if (text.find("/redo undoes this") == text.npos) return;
    between =
        talk.file("a.txt") + (fs::exists(talk.dir.path() / "project" / "b.txt") ? "b.txt is there" : "");
  };
  talk.run([&](std::size_t) { return std::vector<Command>{Rewind{talk.prompts.at(1), true, true}, Redo{}}; });
  INFO(talk.said());
  CHECK(between == "one\ntwo\n");
  CHECK(talk.file("a.txt") == "one\nTWO\n");
  CHECK(talk.file("b.txt") == "b\n");
  CHECK(talk.prompts_kept() == 2);
  CHECK(talk.said().find("restored       a.txt  +1 −1") != std::string::npos);
  CHECK(talk.said().find("removed        b.txt  +0 −1") != std::string::npos);
  CHECK(talk.said().find("The conversation is back") != std::string::npos);
}

TEST_CASE("the meters follow a rewind and its way back at once") {
  RewindTalk talk;
  talk.run([&](std::size_t) { return std::vector<Command>{Rewind{talk.prompts.at(1), true, true}, Redo{}}; });
  std::vector<Tokens> used;  // as last said before the rewind, after it, and after the way back
  Tokens now = 0;
  for (const Event& event : talk.events) {
    const auto* notice = std::get_if<Notice>(&event);
    if (const auto* meters = std::get_if<Meters>(&event)) now = meters->used;
    if (notice && (notice->text.find("/redo undoes this") != std::string::npos ||
                   notice->text.find("conversation is back") != std::string::npos))
      used.push_back(now);
  }
  used.push_back(now);
  REQUIRE(used.size() == 3);
  CHECK(used[1] < used[0]);
  CHECK(used[2] > used[1]);
}

TEST_CASE("a rewind of files alone is taken back, too, and rewinds come back one by one") {
  RewindTalk talk;
  talk.run([&](std::size_t) {
    const Rewind files{talk.prompts.at(1), false, true}, all{talk.prompts.at(0), true, true};
    return std::vector<Command>{files, all, Redo{}, Redo{}, Redo{}};
  });
  INFO(talk.said());
  CHECK(talk.file("a.txt") == "one\nTWO\n");
  CHECK(talk.file("b.txt") == "b\n");
  CHECK(talk.prompts_kept() == 2);
  CHECK(talk.said().find("The files are as they were before the rewind") != std::string::npos);
  CHECK(talk.said().find("Nothing to redo") != std::string::npos);  // the third
}

TEST_CASE(
    "a redo does nothing by halves: a file changed since stops it, unless only the conversation is wanted") {
  RewindTalk talk;
  talk.heard = [&](const std::string& text) {
    if (text.find("/redo undoes this") != text.npos)
      std::ofstream(talk.dir.path() / "project" / "a.txt") << "mine\n";
  };
  talk.run([&](std::size_t) {
    return std::vector<Command>{Rewind{talk.prompts.at(1), true, true}, Redo{}, Redo{false}};
  });
  INFO(talk.said());
  CHECK(talk.said().find("Nothing was undone, because of these files:\na.txt: it changed since") !=
        std::string::npos);
  CHECK(talk.said().find("/redo conversation") != std::string::npos);
  CHECK(talk.file("a.txt") == "mine\n");
  CHECK_FALSE(fs::exists(talk.dir.path() / "project" / "b.txt"));
  CHECK(talk.prompts_kept() == 2);
}

TEST_CASE("once something new was said a rewind stays") {
  RewindTalk talk;
  talk.run([&](std::size_t turns) {
    if (turns == 2)
      return std::vector<Command>{Rewind{talk.prompts.at(1), true, false}, Submit{"third", {}, When::after}};
    return std::vector<Command>{Redo{}};
  });
  INFO(talk.said());
  CHECK(talk.said().find("Nothing to redo: there was no rewind, or you have sent a message since") !=
        std::string::npos);
  CHECK(talk.prompts_kept() == 2);
  CHECK(talk.prompts.size() == 3);
  CHECK(talk.file("a.txt") == "one\nTWO\n");
}

TEST_CASE("the preview of a rewind shows what each file would become") {
  RewindTalk talk;
  talk.run([&](std::size_t) { return std::vector<Command>{Rewind{talk.prompts.at(1), true, true, true}}; });
  INFO(talk.said());
  const Page* page = nullptr;
  for (const Event& event : talk.events)
    if (const auto* one = std::get_if<Page>(&event)) page = one;
  REQUIRE(page);
  CHECK(page->form == Page::Form::diffs);
  CHECK(page->text.find("--- a.txt  would be restored  +1 −1\n@@") != std::string::npos);
  CHECK(page->text.find("\n-TWO\n+two\n") != std::string::npos);
  CHECK(page->text.find("--- b.txt  would be removed  +0 −1\n") != std::string::npos);
  CHECK(talk.file("a.txt") == "one\nTWO\n");
  CHECK(talk.prompts_kept() == 2);
}

TEST_CASE("a rewind in a fork restores the files that its parent changed") {
  RewindTalk talk;
  talk.run([&](std::size_t) {
    return std::vector<Command>{Sessions{Sessions::What::fork, "copy"},
                                Rewind{talk.prompts.at(1), true, true}};
  });
  INFO(talk.said());
  CHECK(talk.file("a.txt") == "one\ntwo\n");
  CHECK_FALSE(fs::exists(talk.dir.path() / "project" / "b.txt"));
  CHECK(talk.said().find("restored       a.txt  +1 −1") != std::string::npos);
}
