// What a user chooses while a session runs (a model, a key, the mode, settings), and what of it the next
// start knows.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "agent/protocol/asked_words.h"
#include "agent/store/store.h"
#include "app/config/user_config.h"
#include "app/session/session.h"
#include "tests/support/fake_llm.h"
#include "tests/support/temp_dir.h"

using namespace tern;
namespace fs = std::filesystem;

namespace {

struct ChoiceWorld {
  test::TempDir dir;
  const fs::path& root = dir.path();
  fs::path user_file = root / "home/config.json";
  std::map<std::string, std::string> variables;
  Config config;
  Mailbox<Command> commands;
  std::vector<Event> events;
  std::string model_at_end;
  std::function<void(const Event&)> heard;

  ChoiceWorld() {
    fs::create_directories(root / "project");
    fs::create_directories(root / "home");
  }
  SessionSetup setup(const std::string& model = "anthropic/claude-sonnet-4-5") {
    SessionSetup setup;
    setup.cwd = root / "project";
    setup.home = root / "home";
    setup.model = model;
    setup.trusted = {root};
    setup.local_patience = std::chrono::seconds(10);
    setup.user_file = user_file.string();
    setup.env = [this](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::string() : found->second;
    };
    setup.adjust_provider = [this](const ProviderKind& kind, ProviderConfig& wire) {
      const auto now = written();
      const auto kept = now.providers.find(std::string(kind.name));
      if (kept != now.providers.end() && wire.key.empty())
        wire.key = kept->second.key, wire.key_from = user_file.string();
    };
    setup.keep_setting = [this](std::string_view key, std::string_view value) {
      return tern::keep_setting(user_file, config, key, value);
    };
    setup.write = [this](std::string_view key, std::string_view json) {
      return write_setting(user_file, key, json);
    };
    return setup;
  }
  Config written() const {
    return load_config({.user_file = user_file, .env = [](const std::string&) { return std::string(); }});
  }

  // What follows a prompt is said when its turn has ended. With `heard` the test says when it is over.
  void run(SessionSetup setup, std::vector<Command> said) {
    events.clear();
    auto next = said.begin();
    const auto go_on = [&] {
      while (next != said.end()) {
        commands.push(*next);
        if (std::holds_alternative<Submit>(*next++)) return;
      }
      if (!heard) commands.push(Quit{});
    };
    Session session(std::move(setup), commands, [&](Event event) {
      if (heard) heard(event);
      const bool ended = std::holds_alternative<TurnEnded>(event);
      events.push_back(std::move(event));
      if (ended) go_on();
    });
    REQUIRE(session.open());
    go_on();
    session.run();
    model_at_end = session.context().model.provider + "/" + session.context().model.name;
  }
  std::string notices() const {
    std::string all;
    for (const Event& event : events)
      if (const auto* notice = std::get_if<Notice>(&event)) all += notice->text + "\n";
    return all;
  }
  template <class T>
  const T* last() const {
    for (auto event = events.rbegin(); event != events.rend(); ++event)
      if (const auto* found = std::get_if<T>(&*event)) return found;
    return nullptr;
  }
};

bool says(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

constexpr const char* kOk = R"({"default": {"text": "ok"}})";
constexpr const char* kRefused =
    R"({"default": {"fault": {"kind": "status", "status": 401, "message": "invalid x-api-key"}}})";

}  // namespace

TEST_CASE(
    "/model lists the current model first, then those of a local server, and those without a key last") {
  ChoiceWorld world;
  const test::FakeLlm ollama(kOk);
  world.variables = {{"OLLAMA_HOST", ollama.url()}, {"ANTHROPIC_API_KEY", "test-key"}};
  world.run(world.setup("ollama/fake-model"), {SetModel{}});
  const auto* list = world.last<ModelList>();
  REQUIRE(list);
  REQUIRE(list->models.size() > 10);
  CHECK(list->models[0].name == "ollama/fake-model");
  CHECK(list->models[0].current);
  CHECK(list->models[0].served);
  CHECK(list->models[1].name == "ollama/fake-small");
  CHECK(list->models[1].served);
  CHECK_FALSE(list->models.back().ready);
  CHECK(says(list->models.back().missing, "set "));
  bool without = false;
  for (const ModelChoice& model : list->models) {
    if (model.name.starts_with("anthropic/")) CHECK(model.ready);
    if (model.name.starts_with("openai/")) CHECK_FALSE(model.ready);
    without = without || !model.ready;
    CHECK(without != model.ready);  // none that can be used comes after one that cannot
  }
}

TEST_CASE("the name of a local server alone stands for the model it serves") {
  ChoiceWorld world;
  const test::FakeLlm server(kOk);
  world.variables = {{"LLAMACPP_BASE_URL", server.url()}, {"VLLM_BASE_URL", "http://127.0.0.1:1"}};
  world.run(world.setup("llamacpp"), {});
  CHECK(world.model_at_end == "llamacpp/fake-model");
  world.run(world.setup("llamacpp"), {SetModel{"vllm"}, Submit{"still there?", {}, When::after}});
  CHECK(says(world.notices(),
             "No model is served at http://127.0.0.1:1: start the server, set VLLM_BASE_URL, or name the "
             "model: vllm/NAME."));
  CHECK(server.requests().back().body.find("still there?") != std::string::npos);
}

TEST_CASE("a local model has the window its server was started with, unless the configuration says another") {
  ChoiceWorld world;
  const test::FakeLlm server(kOk);
  world.variables = {{"VLLM_BASE_URL", server.url()}};
  const auto window = [&](const char* model, Tokens set = 0) {
    auto setup = world.setup(model);
    setup.window = set;
    world.run(std::move(setup), {});
    return world.last<Meters>()->window;
  };
  CHECK(window("vllm/fake-cpp") == 20'000);
  CHECK(window("vllm/fake-small") == 24'000);
  CHECK(window("vllm/fake-model") == 32'768);
  CHECK(window("vllm/fake-small", 9'000) == 9'000);
}

TEST_CASE("a model that was chosen is the next start's, unless its key is gone") {
  ChoiceWorld world;
  const test::FakeLlm server(kOk);
  world.variables = {{"ANTHROPIC_API_KEY", "test-key"}, {"ANTHROPIC_BASE_URL", server.url()}};
  world.run(world.setup(), {SetModel{"anthropic/claude-haiku-5-5"}, asked_words("effort", "high")});
  CHECK(world.written().model == "anthropic/claude-haiku-5-5");
  CHECK(world.written().thinking == 24'000);
  world.run(world.setup(), {asked_words("effort"), asked_words("effort", "much")});
  CHECK(says(world.notices(), "Effort: off"));
  CHECK(says(world.notices(), "not \"much\""));

  world.variables = {{"OPENAI_API_KEY", "test-key"}, {"OPENAI_BASE_URL", server.url()}};
  auto setup = world.setup(world.written().model);
  setup.model_kept = true;
  world.run(std::move(setup), {});
  CHECK(world.model_at_end.starts_with("openai/"));
  CHECK(says(world.notices(), "there is no key for it"));
}

TEST_CASE("a pasted key is recognised, tried, kept for its owner only and used at once; /logout forgets it") {
  ChoiceWorld world;
  test::FakeLlm server(kOk);
  world.variables = {{"ANTHROPIC_BASE_URL", server.url()}};
  world.run(world.setup("demo"), {Login{"", " sk-ant-test-0123456789\n"}});
  INFO(world.notices());
  CHECK(server.requests().size() == 1);
  CHECK(world.written().providers.at("anthropic").key == "sk-ant-test-0123456789");
  CHECK((fs::status(world.user_file).permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(world.model_at_end.starts_with("anthropic/"));
  CHECK(says(world.notices(), "The key works with anthropic/"));
  CHECK_FALSE(says(world.notices(), "0123456789"));

  world.variables.clear();
  world.run(world.setup(), {Logout{}});
  INFO(world.notices());
  CHECK(world.written().providers["anthropic"].key.empty());
  CHECK(world.model_at_end == "demo/demo");
  CHECK(world.last<LoginAsked>());
}

TEST_CASE("a key given for a model is tried with that model, which is then in use") {
  ChoiceWorld world;
  test::FakeLlm server(kOk);
  world.variables = {{"ANTHROPIC_BASE_URL", server.url()}};
  world.run(world.setup("demo"), {Login{"anthropic/claude-opus-4-1", "sk-ant-test-0123456789"}});
  INFO(world.notices());
  CHECK(world.model_at_end == "anthropic/claude-opus-4-1");
  REQUIRE(server.requests().size() == 1);
}

TEST_CASE("a key that is refused or of no known form is not kept") {
  ChoiceWorld world;
  const test::FakeLlm server(kRefused);
  world.variables = {{"ANTHROPIC_BASE_URL", server.url()}};
  world.run(world.setup("demo"),
            {Login{"", "sk-ant-wrong-0123456789"}, Login{"", "whatever"}, Login{"", ""}});
  INFO(world.notices());
  CHECK(says(world.notices(), "The key was not kept"));
  CHECK(says(world.notices(), "invalid x-api-key"));
  CHECK(says(world.notices(), "Name its provider"));
  CHECK(says(world.notices(), "That is not a key"));
  CHECK_FALSE(fs::exists(world.user_file));
  CHECK(world.model_at_end == "demo/demo");
}

TEST_CASE("a refused key is looked for in the variable it came from") {
  ChoiceWorld world;
  const test::FakeLlm server(kRefused);
  world.variables = {{"ANTHROPIC_API_KEY", "test-key"}, {"ANTHROPIC_BASE_URL", server.url()}};
  world.run(world.setup(), {Submit{"hi", {}, When::after}});
  REQUIRE(world.last<TurnEnded>());
  CHECK(says(world.last<TurnEnded>()->error, "check the key in ANTHROPIC_API_KEY"));
}

TEST_CASE("a start without a model offers the ways to one") {
  ChoiceWorld world;
  for (const char* host : {"OLLAMA_HOST", "LLAMACPP_BASE_URL", "LMSTUDIO_BASE_URL", "VLLM_BASE_URL"})
    world.variables[host] = "http://127.0.0.1:1";
  world.run(world.setup(""), {});
  const auto* asked = world.last<LoginAsked>();
  REQUIRE(asked);
  CHECK(asked->first);
  CHECK(asked->served.empty());
}

TEST_CASE("modes that a key only passes by are not told to the model") {
  ChoiceWorld world;
  const test::FakeLlm server(kOk);
  world.variables = {{"ANTHROPIC_API_KEY", "test-key"}, {"ANTHROPIC_BASE_URL", server.url()}};
  const SetMode plan{PermissionMode::plan}, ask{PermissionMode::ask};
  world.run(world.setup(), {plan, ask, Submit{"first", {}, When::after}});
  REQUIRE(server.requests().size() == 1);
  CHECK_FALSE(says(server.requests()[0].body, "Plan mode"));

  world.run(world.setup(), {plan, ask, plan, Submit{"second", {}, When::after}, ask, plan,
                            Submit{"third", {}, When::after}});
  REQUIRE(server.requests().size() == 3);
  const std::string body = server.requests()[2].body;
  const auto note = body.find("Plan mode is on");
  CHECK(note != body.npos);
  CHECK(body.find("Plan mode", note + 1) == body.npos);
}

TEST_CASE("a rule is listed once, with where it comes from") {
  ChoiceWorld world;
  world.run(world.setup("demo"),
            {asked_words("permissions", "allow Edit(notes/**)"), asked_words("permissions")});
  const auto* list = world.last<ListShown>();
  REQUIRE(list);
  REQUIRE(list->rows.size() == 1);
  CHECK(list->rows[0].id == "Edit(notes/**)");
  CHECK(list->rows[0].text == "allow");
  CHECK(list->rows[0].note == "/permissions");
}

TEST_CASE("a memory note is on the page of memory files at once") {
  ChoiceWorld world;
  world.heard = [&](const Event& event) {
    const auto* notice = std::get_if<Notice>(&event);
    if (!notice || !says(notice->text, "Remembered")) return;
    world.commands.push(asked_words("memory"));
    world.commands.push(Quit{});
  };
  world.run(world.setup("demo"), {MemoryNote{"always use tabs"}});
  REQUIRE(world.last<Page>());
  CHECK(says(world.last<Page>()->text, "AGENTS.md"));
  CHECK_FALSE(says(world.last<Page>()->text, "No AGENTS.md"));
}

TEST_CASE("a rule of the session can be kept for the project, and deleted") {
  ChoiceWorld world;
  world.variables = {{"XDG_CONFIG_HOME", (world.root / "home").string()}};
  world.run(world.setup("demo"),
            {asked_words("permissions", "allow Bash(make)"), asked_words("permissions", "scope Bash(make)"),
             asked_words("permissions")});
  REQUIRE(world.last<ListShown>());
  CHECK(world.last<ListShown>()->rows.at(0).note == "this project");
  CHECK(says(world.notices(), "Bash(make) is kept for this project."));
  world.run(world.setup("demo"),
            {asked_words("permissions", "remove Bash(make)"), asked_words("permissions")});
  CHECK(world.last<ListShown>()->rows.empty());
}

TEST_CASE("effort goes up and down by steps") {
  ChoiceWorld world;
  world.run(world.setup("demo"), {asked_words("effort", "low"), asked_words("effort", "more"),
                                  asked_words("effort", "more"), asked_words("effort", "more")});
  CHECK(says(world.notices(), "Effort: medium"));
  CHECK(says(world.notices(), "Effort: high"));
  world.run(world.setup("demo"),
            {asked_words("effort", "low"), asked_words("effort", "less"), asked_words("effort", "less")});
  CHECK(says(world.notices(), "Effort: off"));
}
