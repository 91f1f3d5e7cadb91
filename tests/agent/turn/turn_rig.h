// A worker without a screen or a network: a real store in memory, a real workspace in a temporary folder, the
// real tools, a scripted model, and every event remembered.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "agent/turn/agent.h"
#include "agent/turn/context_tools.h"
#include "agent/turn/turn.h"
#include "compression/values/check.h"
#include "tests/support/scripted_provider.h"
#include "tools/builtin/builtin_tools.h"
#include "tools/exec/jobs.h"
#include "tools/files/file_memory.h"
#include "tools/files/journal.h"
#include "tools/workspace/workspace.h"

namespace tern::test {

// Streams of one script, shared by the turn's provider and the summaries' ones.
class Shared : public Provider {
 public:
  explicit Shared(ScriptedProvider& script) : script_(script) {}
  void stream(const Request& request, const Sink& sink, std::stop_token stop) override {
    script_.stream(request, sink, stop);
  }

 private:
  ScriptedProvider& script_;
};

inline std::filesystem::path fresh_folder() {
  auto pattern = (std::filesystem::temp_directory_path() / "tern-turn-XXXXXX").string();
  return std::filesystem::canonical(::mkdtemp(pattern.data()));
}

struct Rig {
  explicit Rig(Tokens window = 200'000, std::filesystem::path store_folder = {})
      : store(Store::open({.folder = store_folder})) {
    std::string why;
    if (auto before = store->newest(why))
      opened = std::move(*before);
    else
      opened = store->create({"test", root.string(), "test/model"});
    context.conversation = repair(opened.conversation);
    agent.turn = opened.turns;
    context.model.provider = "test";
    context.model.name = "model";
    context.model.window = window;
    context.model.max_output = 8'000;
    context.prompt.text = "You are a test.";
    context.prompt.system = 10;
    hands.offered = builtin_tools();
    hands.policy.mode = PermissionMode::bypass;
    hands.policy.bypass_by_flag = true;
    hands.may_ask = false;
    hands.spill_dir = root;
    hands.recall = [this](const RecallQuery& query) { return answer_recall(*store, query); };
    hands.context = [this](const ContextQuery& query) { return answer_context(agent, query, {}); };
    inbox.set_attending(false);
  }
  ~Rig() {
    std::error_code error;
    std::filesystem::remove_all(root, error);
  }

  TurnEnded turn(const std::string& text, std::stop_token stop = {}) {
    compactor.new_turn(agent.turn + 1);
    return run_turn(agent, Submit{text, {}, When::steer}, stop);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(root / name) << text; }

  template <class T>
  std::vector<T> seen() const {
    std::vector<T> found;
    for (const auto& event : events)
      if (const auto* one = std::get_if<T>(&event)) found.push_back(*one);
    return found;
  }
  // Every request so far has the shape providers insist on.
  std::string bad_request() const {
    for (const auto& request : script.requests())
      if (auto problems = check(request.conversation); !problems.empty()) return problems.front().what;
    return {};
  }

  std::filesystem::path root = fresh_folder();
  std::unique_ptr<Store> store;
  OpenedSession opened;
  ScriptedProvider script;
  std::vector<Event> events;
  Models models;
  Mailbox<Command> commands;
  Context context;
  Workspace workspace{root};
  FileMemory files;
  Journal journal;
  Jobs jobs;
  ToolEnvironment hands{
      .workspace = workspace, .files = files, .journal = journal, .jobs = jobs, .sandbox = {}};
  bool keep_events = true;
  std::mutex events_mutex;
  std::function<void(Event)> emit = [this](Event event) {
    const std::lock_guard lock(events_mutex);  // calls tell their progress from threads of their own
    if (keep_events) events.push_back(std::move(event));
  };
  std::function<std::unique_ptr<Provider>()> connect = [this] { return std::make_unique<Shared>(script); };
  std::function<std::unique_ptr<Provider>(const ModelInfo&)>
      connect_to;  // for summaries, where it matters by whom
  Inbox inbox{commands, emit};
  TimePoint clock{std::chrono::milliseconds(1'700'000'000'000)};
  std::function<TimePoint()> now = [this] { return clock += std::chrono::seconds(1); };
  Compactor compactor{CompactorWorld{
      .store = *store,
      .models = models,
      .files = files,
      .todos = hands.todos,
      .emit = [this](Event event) { emit(std::move(event)); },
      .connect = [this](const ModelInfo& model) { return connect_to ? connect_to(model) : connect(); },
      .now = now,
      .attend = [](const std::function<void()>& work) { work(); },
      .append = [this](Item item) { return append(agent, std::move(item)); },
      .root = root}};
  ToolCalls calls{hands, context, *store, inbox, emit};
  std::unique_ptr<Provider> provider = std::make_unique<Shared>(script);
  Agent agent{.store = *store,
              .context = context,
              .compactor = compactor,
              .hands = hands,
              .calls = calls,
              .inbox = inbox,
              .provider = provider,
              .emit = emit,
              .now = now,
              .refresh = [](std::stop_token) {},
              .show_meters = [] {},
              .limits = {}};
};

inline ToolCall call(const std::string& id, const std::string& name, const std::string& arguments) {
  return {id, name, arguments, {}};
}

}  // namespace tern::test
