// `tern doctor`: what is so, what is wrong and what to do about it.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "agent/models/cost.h"
#include "agent/models/models.h"
#include "agent/models/providers.h"
#include "agent/store/project_dir.h"
#include "agent/store/sqlite.h"
#include "agent/store/store.h"
#include "app/cli/start.h"
#include "app/cli/subcommands.h"
#include "app/session/console.h"
#include "app/session/session_setup.h"
#include "compression/values/tokens.h"
#include "tools/sandbox/sandbox.h"

namespace tern {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::seconds kPatience{30};

class Report {
 public:
  Report(bool marks, std::string* into, nlohmann::ordered_json* json)
      : marks_(marks), into_(into), json_(json) {}
  void good(const char* what, const std::string& text) { line(marks_ ? "✓" : "ok  ", "ok", what, text); }
  void note(const char* what, const std::string& text) { line(marks_ ? "·" : "note", "note", what, text); }
  void bad(const char* what, const std::string& text) {
    wrong_ = true;
    line(marks_ ? "✗" : "BAD ", "bad", what, text);
  }
  int status() const { return wrong_ ? 1 : 0; }

 private:
  void line(const char* mark, const char* state, const char* what, const std::string& text) {
    if (json_) return json_->push_back({{"check", what}, {"state", state}, {"text", text}});
    std::string name = what;
    name.resize(std::max<std::size_t>(name.size(), 9), ' ');
    const std::string line = std::string(mark) + ' ' + name + ' ' + text + '\n';
    if (into_) return void(*into_ += line);
    print(stdout, line);
    std::fflush(stdout);
  }
  bool marks_, wrong_ = false;
  std::string* into_;             // nullptr: each line is printed as it is found
  nlohmann::ordered_json* json_;  // instead of lines
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = variable(name);
    if (!value.empty())
      return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

void check_terminal(Report& report) {
  if (!::isatty(STDOUT_FILENO))
    return report.note("terminal", "output is not a terminal; tern -p works everywhere");
  winsize size{};
  ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  const std::string term = variable("TERM");
  const std::string text = term + ", " + std::to_string(size.ws_col) + " × " + std::to_string(size.ws_row);
  if (term.empty() || term == "dumb")
    report.bad("terminal", "TERM is \"" + term + "\": set it (xterm-256color), or use tern --plain");
  else if (size.ws_col < 60 || size.ws_row < 15)
    report.bad("terminal", text + ": at least 60 × 15 is needed to be comfortable");
  else if (!utf8_locale())
    report.bad("terminal", text + ": the locale is not UTF-8; export LANG=C.UTF-8");
  else
    report.good("terminal",
                text + (variable("COLORTERM").empty() ? ", 256 colours" : ", " + variable("COLORTERM")));
}

void check_config(Report& report, const Config& config, const fs::path& user_file) {
  for (const std::string& problem : config.problems) report.bad("config", problem);
  if (config.problems.empty())
    report.good("config", fs::exists(user_file) ? user_file.string()
                                                : "defaults (" + user_file.string() + " is not there)");
}

void check_store(Report& report, const Options& options) {
  if (const std::string unsound = sqlite_unsound(); !unsound.empty()) report.bad("store", unsound);
  const ProjectDir project =
      open_project_dir({.root = options.cwd.empty() ? fs::current_path() : fs::path(options.cwd),
                        .state_dir = options.state_dir,
                        .create = false});
  if (!project.why.empty()) report.bad("store", project.why);
  const fs::path file = project.folder / "tern.db";
  if (project.folder.empty() || !fs::exists(file))
    return report.note("store", "no history here yet; SQLite " + sqlite_version());
  const auto store = Store::open({.folder = project.folder, .read_only = true});
  for (const std::string& notice : store->notices()) report.bad("store", notice);
  const std::string state = store->integrity();
  const std::string text =
      file.string() + ", " + std::to_string(store->size_on_disk() / 1024) + " KB, " +
      counted(static_cast<std::int64_t>(store->sessions({}, SIZE_MAX).size()), "session") + ", SQLite " +
      sqlite_version();
  if (state == "ok")
    report.good("store", text);
  else
    report.bad("store", text + ": " + state +
                            "; start tern once, it recovers what is readable and keeps the damaged file");
}

void check_sandbox(Report& report) {
  const SandboxSupport& support = probe_sandbox();
  if (support.rung == SandboxRung::none)
    return report.bad("sandbox", "none: every command asks. " + support.why);
  const bool best = support.rung == SandboxRung::namespaces;
  const std::string text = best ? "namespaces, Landlock, seccomp" : "Landlock and seccomp. " + support.why;
  best ? report.good("sandbox", text) : report.note("sandbox", text);
}

// Stops a stream that takes too long; ends at once when the stream has ended.
class Patience {
 public:
  explicit Patience(std::stop_token person)
      : person_(std::move(person), [this] { source_.request_stop(); }), thread_([this] {
          std::unique_lock lock(mutex_);
          if (!done_.wait_for(lock, kPatience, [this] { return over_; })) source_.request_stop();
        }) {}
  ~Patience() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    done_.notify_one();
    thread_.join();
  }
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> person_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool over_ = false;
  std::thread thread_;
};

struct Answer {
  std::vector<Block> blocks;
  std::string failure;
};

Answer ask(Provider& provider, const Request& request, const std::stop_token& stop) {
  Answer answer;
  Patience patience(stop);
  provider.stream(
      request,
      [&](StreamEvent event) {
        if (auto* done = std::get_if<BlockDone>(&event)) answer.blocks.push_back(std::move(done->block));
        if (auto* failed = std::get_if<Failed>(&event))
          answer.failure = failed->message.empty() ? "it failed" : failed->message;
      },
      patience.token());
  if (stop.stop_requested())
    answer.failure = "not finished: you stopped it";
  else if (patience.token().stop_requested())
    answer.failure = "no whole answer within " + std::to_string(kPatience.count()) + " s";
  return answer;
}

ItemPtr message(std::uint64_t id, Role role, std::vector<Block> blocks) {
  Item item;
  item.id = {id}, item.role = role, item.blocks = std::move(blocks);
  return make_item(std::move(item));
}

// One question that needs a tool, its result, and the answer: the whole road a turn takes.
std::string round_trip(Provider& provider, const ModelInfo& model, const std::stop_token& stop) {
  Request request;
  request.model = model.name, request.window = model.window,
  request.max_output = model.thinking ? 4'000 : 200;
  request.system = "You test a connection. Call the tool once, then answer with its word.";
  request.tools = {{"secret_word", "Returns the word.", R"({"type":"object","properties":{}})"}};
  request.conversation.items.push_back(
      message(1, Role::user, {Text{"Call secret_word and tell me the word."}}));
  Answer first = ask(provider, request, stop);
  if (!first.failure.empty()) return first.failure;
  const ToolCall* call = nullptr;
  for (const Block& block : first.blocks) {
    if (const auto* found = std::get_if<ToolCall>(&block)) call = found;
  }
  if (!call) return "the model replied without calling the test tool; it may not support tool use";
  ToolResult result;
  result.call_id = call->id, result.tool = call->name, result.text = "kittiwake";
  request.conversation.items.push_back(message(2, Role::assistant, first.blocks));
  request.conversation.items.push_back(message(3, Role::user, {result}));
  const Answer second = ask(provider, request, stop);
  return second.failure;
}

void check_provider(Report& report, const Options& options, const Config& config,
                    const std::stop_token& stop) {
  SessionSetup setup;
  std::vector<std::string> problems;
  set_model(options, config, setup, problems);
  for (const std::string& problem : problems) report.bad("model", problem);
  std::string why;
  const auto found = find_model(setup, why);
  const ProviderKind* kind = found ? find_provider(found->provider) : nullptr;
  if (!why.empty()) return report.bad("provider", why);
  if (!kind && options.demo) return report.note("provider", "the scripted demo");
  if (!kind) {
    return report.bad(
        "provider",
        "no key is set: export ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY; or run a local server "
        "(Ollama) and name its model with --model; or try tern --demo");
  }
  if (kind->name == "demo")
    return report.note("provider", "the scripted demo; for a real model set a key or start a local server");
  const ProviderConfig wire = wire_of(setup, *kind);
  const std::string& name = found->model;
  const std::string title = std::string(kind->title) + ", " + name;
  if (lacks_key(*kind, wire)) return report.bad("key", title + ": set " + std::string(kind->key_variables));
  if (!wire.key.empty()) report.good("key", "there is one for " + std::string(kind->title));
  const auto provider = make_provider(kind->name, wire);
  const auto begin = std::chrono::steady_clock::now();
  const std::string failure =
      provider ? round_trip(*provider, setup.models.find(kind->name, name), stop) : "it cannot be made";
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
  if (failure.empty())
    report.good("provider", title + ": a tool round trip took " + std::to_string(took.count()) + " ms");
  else
    report.bad("provider", title + ": " + failure);
}

}  // namespace

int run_doctor(const Options& options, const Config& config, std::string* into, std::stop_token stop) {
  auto list = nlohmann::ordered_json::array();
  const bool as_json = options.json && !into;
  Report report(utf8_locale(), into, as_json ? &list : nullptr);
  check_terminal(report);
  check_config(report, config, user_config_file(environment()));
  check_store(report, options);
  check_sandbox(report);
  check_provider(report, options, config, stop);
  if (as_json) print(stdout, list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return report.status();
}

}  // namespace tern
