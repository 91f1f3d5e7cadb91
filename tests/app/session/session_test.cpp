// A whole session with the demo model and no screen: what commands get for an answer.
#include "app/session/session.h"
#include "agent/protocol/asked_words.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <thread>

#include "agent/models/redact.h"
#include "agent/store/store.h"
#include "tests/support/fake_llm.h"
#include "tests/support/headless.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"
#include "tools/exec/process.h"
#include "ui/commands/builtin_commands.h"
#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

struct World {
  test::TempDir dir;
  const fs::path& root = dir.path();
  Mailbox<Command> commands;
  std::vector<Event> events;

  SessionSetup setup() {
    fs::create_directories(root / "project");
    fs::create_directories(root / "home");
    SessionSetup setup;
    setup.cwd = root / "project";
    setup.home = root / "home";
    setup.model = "demo";
    setup.keep = false;
    setup.trusted = {root};
    setup.env = [](const std::string&) { return std::string(); };
    return setup;
  }
  // Everything that was said, until the session has nothing more to do.
  void run(SessionSetup setup, std::vector<Command> said) {
    Session session(std::move(setup), commands, [this](Event event) { events.push_back(std::move(event)); });
    REQUIRE(session.open());
    for (Command& command : said) commands.push(std::move(command));
    commands.push(Quit{});
    session.run();
  }
  std::string notices() const {
    std::string all;
    for (const Event& event : events)
      if (const auto* notice = std::get_if<Notice>(&event)) all += notice->text + "\n";
    return all;
  }
};

}  // namespace

TEST_CASE("every question that a slash command asks is answered") {
  World world;
  Mailbox<Command> asked;
  Mailbox<Event> none;
  UiDeps deps{.commands = asked,
              .events = none,
              .interrupt = [] {},
              .on_wake = [](std::function<void()>) {},
              .list_files = [](std::stop_token) { return std::vector<std::string>{}; }};
  Shell shell{deps, builtin_commands(), [] {}};
  for (const SlashCommand& command : builtin_commands()) {
    command.run(shell, "");
    command.run(shell, "x");
  }
  std::vector<Command> questions;
  for (Command& command : asked.drain())
    if (is_asked(command)) questions.push_back(std::move(command));
  REQUIRE(questions.size() > 15);
  auto setup = world.setup();
  setup.doctor = [](std::stop_token) { return std::string("well"); };
  std::size_t heard = 0;
  setup.on_live_done = [&](const Command& command) {
    INFO("question " << std::visit([](const auto& one) { return typeid(one).name(); }, command));
    CHECK((!is_asked(command) || world.events.size() > heard));
    heard = world.events.size();
  };
  world.run(std::move(setup), std::move(questions));
  CHECK(world.notices().find("Unknown request") == std::string::npos);
}

TEST_CASE("folders, rules and settings can be changed by word") {
  World world;
  fs::create_directories(world.root / "more");
  auto setup = world.setup();
  setup.configure = [](const fs::path&, const std::string& written, CompressionConfig&) {
    return "changed " + written;
  };
  world.run(std::move(setup),
            {asked_words("add-dir", (world.root / "more").string()), asked_words("add-dir", "nowhere"),
             asked_words("permissions", "deny Edit(secret/**)"), asked_words("permissions", "deny Edit("),
             asked_words("permissions"), asked_words("config", "compression.microAt 0.5"),
             asked_words("config", "theme dark")});
  const auto said = world.notices();
  INFO(said);
  CHECK(said.find("may work in " + (world.root / "more").string()) != std::string::npos);
  CHECK(said.find("no folder nowhere") != std::string::npos);
  CHECK(said.find("deny Edit(secret/**)") != std::string::npos);
  CHECK(said.find(R"(changed {"microAt":0.5})") != std::string::npos);
  CHECK(said.find("keeps no configuration") != std::string::npos);
  bool listed = false;
  for (const Event& event : world.events)
    if (const auto* list = std::get_if<ListShown>(&event))
      for (const auto& row : list->rows) listed |= row.id == "Edit(secret/**)";
  CHECK(listed);
}

TEST_CASE("what there is nothing of is said") {
  World world;
  auto setup = world.setup();
  setup.keep = true;
  world.run(std::move(setup), {asked_words("rewind"), AskSessions{"teapot"}, StopJob{}});
  const auto said = world.notices();
  INFO(said);
  CHECK(said.find("No prompts to rewind to yet.") != std::string::npos);
  CHECK(said.find("No conversation here contains \"teapot\".") != std::string::npos);
  CHECK(said.find("No command runs in the background") != std::string::npos);
}

TEST_CASE(
    "a model can be changed in the middle of a turn and between turns: each wire gets a body it takes") {
  test::FakeLlm server(R"({"replies": [
    {"thinking": "let me look", "signature": "c2lnbmF0dXJlLW9uZQ==", "text": "Looking.",
     "calls": [{"id": "toolu_first_1", "name": "Read", "arguments": {"file_path": "a.txt"}}]},
    {"text": "Read it."}, {"thinking": "again", "text": "Still there."},
    {"calls": [{"id": "call_second_2", "name": "Read", "arguments": {"file_path": "b.txt"}}]}, {"text": "Both read."}, {"text": "End."}]})");
  World world;
  auto setup = world.setup();
  std::ofstream(setup.cwd / "a.txt") << "alpha\n";
  std::ofstream(setup.cwd / "b.txt") << "beta\n";
  setup.model = test::wires()[0].model;
  setup.env = [&](const std::string& name) {
    for (const auto& wire : test::wires()) {
      if (name == wire.key) return std::string("test-key");
      if (name == wire.url) return server.url() + wire.path;
    }
    return std::string();
  };
  // While the first call runs the next request of the same turn is sent to the other service; after that,
  // between turns.
  const std::vector<std::vector<Command>> after_turn = {
      {SetModel{test::wires()[3].model}, Submit{"and b.txt?", {}, When::steer}},
      {SetModel{test::wires()[2].model}, Submit{"both?", {}, When::steer}},
      {SetModel{test::wires()[0].model}, Submit{"end", {}, When::steer}},
      {Quit{}}};
  std::size_t turns = 0, tools = 0;
  std::vector<TurnEnded> ends;
  Session session(std::move(setup), world.commands, [&](Event event) {
    if (std::holds_alternative<ToolStarted>(event) && tools++ == 0)
      world.commands.push(SetModel{test::wires()[1].model});
    if (const auto* ended = std::get_if<TurnEnded>(&event)) {
      ends.push_back(*ended);
      if (turns < after_turn.size())
        for (const Command& command : after_turn[turns++]) world.commands.push(command);
    }
    world.events.push_back(std::move(event));
  });
  REQUIRE(session.open());
  world.commands.push(Submit{"read a.txt", {}, When::steer});
  session.run();
  INFO(world.notices());
  REQUIRE(ends.size() == 4);
  for (const auto& end : ends) CHECK(end.how == TurnEnded::How::done);
  const auto requests = server.requests();
  std::vector<std::string> apis;
  for (const auto& request : requests) apis.push_back(request.api);
  CHECK(apis ==
        std::vector<std::string>{"anthropic", "chat", "gemini", "responses", "responses", "anthropic"});
  CHECK(server.shape_problems().empty());
  REQUIRE(requests.size() == 6);
  const auto count = [&](std::size_t request, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = requests[request].body.find(part, at)) != std::string::npos;
         at += part.size())
      ++found;
    return found;
  };
  CHECK(count(1, "toolu_first_1") == 2);  // the call, and the result that answers it
  for (std::size_t other : {1, 2, 3, 4}) CHECK(count(other, "c2lnbmF0dXJlLW9uZQ==") == 0);
  CHECK(count(4, "toolu_first_1") == 2);
  CHECK(count(5, "toolu_first_1") == 2);  // and back: every call still has its result
  CHECK(count(5, "alpha") == 1);
  CHECK(count(5, "beta") == 1);
}

TEST_CASE("a turn whose model was changed on the way stops like any other") {
  test::FakeLlm server(R"({"replies": [
    {"calls": [{"id": "toolu_first_1", "name": "Read", "arguments": {"file_path": "a.txt"}}]},
    {"calls": [{"id": "toolu_second_2", "name": "Read", "arguments": {"file_path": "a.txt"}}]}, {"text": "Never said."}]})");
  World world;
  auto setup = world.setup();
  std::ofstream(setup.cwd / "a.txt") << "alpha\n";
  const auto& wire = test::wires()[0];
  setup.model = wire.model;
  setup.window = 5'000'000;  // the model's own is smaller: the change makes room first
  setup.env = [&](const std::string& name) {
    return name == wire.key   ? std::string("test-key")
           : name == wire.url ? server.url() + wire.path
                              : std::string();
  };
  std::size_t tools = 0;
  std::optional<TurnEnded> end;
  Session* running = nullptr;
  Session session(std::move(setup), world.commands, [&](Event event) {
    if (std::holds_alternative<ToolStarted>(event) && ++tools == 1) world.commands.push(SetModel{wire.model});
    if (std::holds_alternative<ToolStarted>(event) && tools == 2) running->interrupt();
    if (const auto* ended = std::get_if<TurnEnded>(&event)) {
      end = *ended;
      world.commands.push(Quit{});
    }
    world.events.push_back(std::move(event));
  });
  running = &session;
  REQUIRE(session.open());
  world.commands.push(Submit{"read a.txt", {}, When::steer});
  session.run();
  INFO(world.notices());
  CHECK(world.notices().find("Model: ") != std::string::npos);
  CHECK(tools == 2);
  REQUIRE(end);
  CHECK(end->how == TurnEnded::How::interrupted);
}

TEST_CASE("a draft that ends while nothing happens is ready in the status line at once") {
  test::FakeLlm server(
      R"({"default": {"text": "Read."}, "summary": {"first_delay_ms": 300, "text": "<summary>\n1. all was read\n</summary>"}})");
  World world;
  auto setup = world.setup();
  setup.model = test::wires()[0].model;
  setup.window = 20'000;
  setup.compression.draft_at = 0.4;
  setup.env = [&](const std::string& name) {
    if (name == test::wires()[0].key) return std::string("test-key");
    return name == test::wires()[0].url ? server.url() + test::wires()[0].path : std::string();
  };
  std::vector<std::string> seen;
  Session session(std::move(setup), world.commands, [&](Event event) {
    const auto* meters = std::get_if<Meters>(&event);
    const std::string draft = !meters                 ? ""
                              : meters->draft_ready   ? "ready"
                              : meters->draft_pending ? "pending"
                                                      : "none";
    if (!draft.empty() && (seen.empty() || seen.back() != draft)) seen.push_back(draft);
    if (draft == "ready") world.commands.push(Quit{});
    world.events.push_back(std::move(event));
  });
  REQUIRE(session.open());
  for (int n = 0; n < 7; ++n)
    world.commands.push(Submit{std::to_string(n) + std::string(4'000, 'x') + " words", {}, When::after});
  const std::jthread watch(
      [&](std::stop_token done) {  // a line that never changes ends the test all the same
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_for(lock, done, std::chrono::seconds(20), [] { return false; });
        world.commands.push(Quit{});
        session.interrupt();
      });
  session.run();
  INFO(world.notices());
  CHECK(seen == std::vector<std::string>{"none", "pending", "ready"});
}

TEST_CASE(
    "a setting that does not exist is named with the nearest, and a changed one moves the meters at once") {
  World world;
  auto setup = world.setup();
  setup.configure = [](const fs::path&, const std::string& written, CompressionConfig& now) {
    if (written.find("microAt") != std::string::npos) now.micro_at = 0.5;
    if (written.find("autoCompress") != std::string::npos) now.auto_compress = false;
    return "changed " + written;
  };
  world.run(std::move(setup),
            {asked_words("config", "bogus 3"), asked_words("config", "keepRecnt 17"),
             asked_words("config", "keepRecent 17"), asked_words("config", "compression.microAt 0.5")});
  const auto said = world.notices();
  INFO(said);
  CHECK(said.find("No setting is called \"bogus\"") != std::string::npos);
  CHECK(said.find("did you mean compression.keepRecent?") != std::string::npos);
  CHECK(said.find(R"(changed {"keepRecent":17})") != std::string::npos);
  double last = 0;
  for (const Event& event : world.events)
    if (const auto* meters = std::get_if<Meters>(&event); meters && meters->micro_at > 0)
      last = meters->micro_at;
  CHECK(last == 0.5);
}

TEST_CASE("settings that change while nothing happens are in force at once, and wrong ones are named") {
  World world;
  auto setup = world.setup();
  setup.keep = true;
  const auto file = world.root / "project/.compression/config.json";
  setup.project_config = [&](const fs::path&, CompressionConfig& now) {
    std::ifstream in(file);
    std::string mark;
    in >> mark;
    if (mark.empty()) return std::vector<std::string>();
    now.micro_at = 0.5;
    return std::vector<std::string>{"wrong: " + mark};
  };
  bool named = false, moved = false;
  Session session(std::move(setup), world.commands, [&](Event event) {
    if (const auto* notice = std::get_if<Notice>(&event)) named |= notice->text == "wrong: much";
    if (const auto* meters = std::get_if<Meters>(&event)) moved |= meters->micro_at == 0.5;
    if (named && moved) world.commands.push(Quit{});
  });
  REQUIRE(session.open());
  std::ofstream(file) << "much";
  const std::jthread watch(
      [&](std::stop_token done) {  // settings that nobody follows end the test all the same
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_for(lock, done, std::chrono::seconds(20), [] { return false; });
        world.commands.push(Quit{});
      });
  session.run();
  CHECK(named);
  CHECK(moved);
}

TEST_CASE("what is said at the end is of the whole run, and a prompt said while another runs is a turn") {
  World world;
  auto setup = world.setup();
  setup.keep = true;
  bool steered = false;
  std::vector<std::string> sessions;
  Session session(std::move(setup), world.commands, [&](Event event) {
    if (std::holds_alternative<TurnStarted>(event) && !std::exchange(steered, true))
      world.commands.push(Submit{"and this", {}, When::steer});
    if (const auto* opened = std::get_if<SessionOpened>(&event)) sessions.push_back(opened->id);
    if (std::holds_alternative<TurnEnded>(event))
      for (Command next : {Command(Sessions{Sessions::What::fresh, ""}), Command(Quit{})})
        world.commands.push(std::move(next));
    world.events.push_back(std::move(event));
  });
  REQUIRE(session.open());
  world.commands.push(Submit{"hello", {}, When::steer});
  session.run();
  const auto rows = session.store().sessions();
  INFO(world.notices());
  REQUIRE(rows.size() == 1);
  const auto* goodbye = std::get_if<Goodbye>(&world.events.back());
  REQUIRE(goodbye);
  INFO(goodbye->text);
  CHECK(rows[0].turns == 2);
  CHECK(goodbye->text.find("2 turns · ") == 0);
  CHECK(goodbye->text.find(" · 0 tokens in") == std::string::npos);
  CHECK(goodbye->text.find("tern --resume " + sessions[0]) != std::string::npos);
}

TEST_CASE("what its help promises is on the status page, and a wrong number is a usage error") {
  World world;
  world.run(world.setup(), {asked_words("status"), asked_words("summaries", "abc"), asked_words("context")});
  std::string status;
  std::vector<std::string> context;
  for (const Event& event : world.events) {
    if (const auto* page = std::get_if<Page>(&event); page && page->title == "Status") status = page->text;
    if (const auto* report = std::get_if<ContextReport>(&event)) context = report->lines;
  }
  INFO(status);
  for (const char* row : {"version   ", "sandbox   ", "max turns: 50 (a summary takes older ones)"})
    CHECK(status.find(row) != std::string::npos);
  CHECK(world.notices().find("\"abc\" is not a number of summaries") != std::string::npos);
  bool little = false;
  for (const auto& line : context)
    little |= line.find("compacting to half now: there is too little") != std::string::npos;
  CHECK(little);
}

TEST_CASE("the count of background commands is right when one begins and when it ends") {
  World world;
  set_supervisor(places::program());
  auto setup = world.setup();
  const fs::path pipe = setup.cwd / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int end = ::open(pipe.c_str(), O_RDWR);
  REQUIRE(end >= 0);
  std::vector<int> counts;
  bool told = false;
  Session session(std::move(setup), world.commands, [&](Event event) {
    if (std::holds_alternative<ToolProgress>(event)) world.commands.push(MoveToBackground{});
    if (const auto* notice = std::get_if<Notice>(&event))
      told |= notice->text.find("has ended") != std::string::npos;
    const auto* meters = std::get_if<Meters>(&event);
    if (!meters || (!counts.empty() && counts.back() == meters->background_jobs)) return;
    counts.push_back(meters->background_jobs);
    if (counts.size() == 2) REQUIRE(::write(end, "go\n", 3) == 3);
    if (counts.size() == 3) world.commands.push(Quit{});
  });
  REQUIRE(session.open());
  world.commands.push(ShellLine{"echo it runs; read line < pipe", false});
  const std::jthread watch(
      [&](std::stop_token done) {  // a count that never changes ends the test all the same
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_for(lock, done, std::chrono::minutes(1), [] { return false; });
        world.commands.push(Quit{});
        session.interrupt();
      });
  session.run();
  ::close(end);
  CHECK(counts == std::vector<int>{0, 1, 0});
  CHECK(told);
}

TEST_CASE(
    "a command that a person ran comes back as it stood: its end, also when it was hidden from the model") {
  World world;
  set_supervisor(places::program());
  register_secret("canary-of-the-shell-line-1");
  const auto cells = [&] {
    std::vector<ToolFinished> list;
    for (const Event& event : world.events)
      if (const auto* cell = std::get_if<ToolFinished>(&event)) list.push_back(*cell);
    return list;
  };
  auto setup = world.setup();
  setup.keep = true;
  std::vector<Command> next{Quit{}, Submit{"hello", {}, When::after}, ShellLine{"seq 1 400000", false},
                            ShellLine{"echo only for me", true}};
  {
    Session session(setup, world.commands, [&](Event event) {
      const bool ended =
          std::holds_alternative<ToolFinished>(event) || std::holds_alternative<TurnEnded>(event);
      world.events.push_back(std::move(event));
      if (!ended || next.empty()) return;
      world.commands.push(std::move(next.back()));
      next.pop_back();
    });
    REQUIRE(session.open());
    world.commands.push(ShellLine{"echo canary-of-the-shell-line-1; exit 3", false});
    session.run();
  }
  const auto before = cells();
  REQUIRE(before.size() >= 3);
  world.events.clear();
  setup.open = SessionSetup::Open::newest;
  world.run(setup, {});
  const auto after = cells();
  REQUIRE(after.size() == before.size());
  for (std::size_t n = 0; n < 3; ++n) {
    CHECK(after[n].subject == before[n].subject);
    CHECK(after[n].note == before[n].note);
    CHECK(after[n].exit_status == before[n].exit_status);
    CHECK(after[n].recall == before[n].recall);
    CHECK_FALSE(holds_secret(after[n].subject + after[n].text));
  }
  CHECK(after[0].exit_status == 3);
  CHECK(after[0].text.find("[secret]") != std::string::npos);
  CHECK(after[1].text.find("only for me") != std::string::npos);
  const auto store = Store::open({.folder = world.root / "project/.compression", .read_only = true});
  CHECK(store->lines(after[2].recall, 200'000, 200'000) == "200000\n");  // nothing of it is gone
}
