#include "agent/lsp/lsp_desk.h"

#include <poll.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fstream>
#include <thread>

#include "tests/agent/lsp/fake_language_server.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace tern;
using test::FakeLanguage;
namespace fs = std::filesystem;

// A project with one file in the fake language, and a desk whose servers answer at once, or never.
struct Desk {
  test::TempDir dir;
  std::shared_ptr<test::Heard> heard = std::make_shared<test::Heard>();
  int started = 0;
  Workspace workspace{dir.path()};
  LspDesk desk;

  explicit Desk(FakeLanguage kind = {}, std::chrono::milliseconds patience = std::chrono::minutes(2))
      : desk(world(kind, patience)) {
    put("good\nbad one\n");
  }

  LspWorld world(FakeLanguage kind, std::chrono::milliseconds patience) {
    LspWorld world;
    world.servers = {{.name = "fake",
                      .command = {"/bin/sh"},
                      .extensions = {{".fk", "fake"}},
                      .marks = {"a.fk"},
                      .env = {}}};
    world.root = workspace.root();
    world.settle = std::chrono::milliseconds(0);
    world.patience = patience;
    world.long_patience = patience;
    world.make_link = [this, kind](ProcessSpec) {
      ++started;
      return std::make_unique<test::FakeLanguageServer>(kind, heard);
    };
    return world;
  }
  void put(const std::string& text, const std::string& name = "a.fk") const {
    std::ofstream(dir.path() / name) << text;
  }
  std::string edit(const std::string& text, std::stop_token stop = {}) {
    desk.expect(workspace, "a.fk");
    put(text);
    return desk.changed(workspace, "a.fk", stop).text;
  }
  std::string told(const std::string& rows) const {
    return "New errors in this file after the change:\n<diagnostics file=\"a.fk\">\n" + rows +
           "</diagnostics>";
  }
};

}  // namespace

TEST_CASE("after a change the model hears of the errors that are new", "[lsp]") {
  const bool pulls = GENERATE(false, true);
  Desk rig({.pulls = pulls});
  CHECK(rig.edit("new line\ngood\nbad one\n").empty());
  CHECK(rig.edit("bad two\ngood\nbad one\n") == rig.told("ERROR [1:1] wrong: bad two\n"));
  CHECK(rig.edit("bad two\ngood\nbad one\nbad two\n") == rig.told("ERROR [4:1] wrong: bad two\n"));
  CHECK(rig.edit("good\n").empty());
  CHECK(rig.edit("bad one\n") == rig.told("ERROR [1:1] wrong: bad one\n"));
  CHECK(rig.started == 1);
}

TEST_CASE("all errors of a new file are new", "[lsp]") {
  Desk rig;
  rig.desk.expect(rig.workspace, "b.fk");
  rig.put("bad\n", "b.fk");
  const LspNews news = rig.desk.changed(rig.workspace, "b.fk", {});
  CHECK(news.errors == 1);
  CHECK(news.text.find("New errors in this file") == 0);
}

TEST_CASE("what a server says of an older version is not believed", "[lsp]") {
  Desk rig({.stale = true});
  CHECK(rig.edit("good\n").empty());
}

TEST_CASE("a server that says nothing holds no change up for long, and nothing is made up", "[lsp]") {
  Desk rig({.mute = true}, std::chrono::milliseconds(200));
  CHECK(rig.edit("bad two\n").empty());
  const auto said = rig.desk.ask(rig.workspace, rig.workspace.locate("a.fk"), {});
  CHECK(said.is_error);
  CHECK(said.text == "The language server has not answered yet; ask again later.");
}

TEST_CASE("errors of a change that was not told of in time are told later", "[lsp]") {
  Desk rig;
  std::stop_source stop;
  stop.request_stop();
  CHECK(rig.edit("bad two\n", stop.get_token()).empty());
  CHECK(rig.edit("bad two\nbad three\n") ==
        "Errors in this file (some may have been there before the change):\n<diagnostics file=\"a.fk\">\n"
        "ERROR [1:1] wrong: bad two\nERROR [2:1] wrong: bad three\n</diagnostics>");
  CHECK(rig.edit("bad three\nbad four\n") == rig.told("ERROR [2:1] wrong: bad four\n"));
}

TEST_CASE("Esc ends the wait for a language server", "[lsp]") {
  Desk rig({.mute = true}, std::chrono::hours(1));
  std::stop_source stop;
  std::thread user([&] {
    while (rig.heard->text().find("didOpen") == std::string::npos) ::poll(nullptr, 0, 2);
    stop.request_stop();
  });
  CHECK(rig.edit("bad two\n", stop.get_token()).empty());
  user.join();
}

TEST_CASE("a server that crashes is started again, but not for ever", "[lsp]") {
  Desk rig({.dies = true});
  for (int i = 0; i < 6; ++i) CHECK(rig.edit("bad " + std::to_string(i) + "\n").empty());
  CHECK(rig.started == 3);
  const auto said = rig.desk.ask(rig.workspace, rig.workspace.locate("a.fk"), {});
  CHECK(said.text == "fake is not running: it crashed.");
  CHECK(rig.desk.command("").find("✗ fake            failed: it crashed; /lsp restart") == 0);
}

TEST_CASE("what a server asks is answered, so that it goes on", "[lsp]") {
  Desk rig({.asks = true});
  CHECK(rig.edit("bad two\nbad one\n") == rig.told("ERROR [1:1] wrong: bad two\n"));
  CHECK(rig.heard->text().find("answer [null,null]\nanswer null\n") != std::string::npos);
}

TEST_CASE("a file that a command changed meanwhile is shown to the server anew", "[lsp]") {
  Desk rig;
  CHECK(rig.edit("good\n").empty());
  rig.put("x\n", "b.fk");
  rig.desk.expect(rig.workspace, "b.fk");
  rig.put("changed by a command\n");
  rig.put("y\n", "b.fk");
  CHECK(rig.desk.changed(rig.workspace, "b.fk", {}).text.empty());
  const std::string heard = rig.heard->text();
  const auto count = [&](const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = heard.find(what); at != heard.npos; at = heard.find(what, at + 1)) ++n;
    return n;
  };
  CHECK(count("textDocument/didOpen") == 2);
  CHECK(count("textDocument/didChange") == 3);
  fs::remove(rig.dir.path() / "b.fk");
  CHECK(rig.edit("better\n").empty());
  CHECK(rig.heard->text().find("textDocument/didClose") != std::string::npos);
}

TEST_CASE("nothing starts for other files, other projects, or when it is turned off", "[lsp]") {
  Desk rig;
  rig.desk.expect(rig.workspace, "a.txt");
  rig.desk.expect(rig.workspace, "/etc/x.fk");
  CHECK(rig.started == 0);
  CHECK(rig.desk.useful());
  CHECK(rig.desk.command("off").find("Off in this session. /lsp on") != std::string::npos);
  CHECK(rig.edit("bad two\n").empty());
  CHECK(rig.started == 0);
  rig.desk.command("on");
  CHECK(rig.edit("bad three\n").empty() == false);
  fs::remove(rig.dir.path() / "a.fk");
  CHECK_FALSE(rig.desk.useful());
}

TEST_CASE("Diagnostics tells what is wrong in a file", "[lsp]") {
  Desk rig;
  const auto said = rig.desk.ask(rig.workspace, rig.workspace.locate("a.fk"), {});
  CHECK(said.text == "ERROR [2:1] wrong: bad one\n");
  CHECK(said.note == "1 error, 0 warnings");
  CHECK(rig.edit("bad one\n").empty());  // that is known now
  CHECK(rig.desk.ask(rig.workspace, rig.workspace.locate("a.txt"), {}).text ==
        "No language server is known for files like a.txt.");
  CHECK(rig.desk.command("restart").find("○ fake") == 0);
  CHECK(rig.desk.command("sideways").find("/lsp takes on, off or restart.") == 0);
}
