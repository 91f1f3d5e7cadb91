#include "app/start.h"

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "agent/demo.h"
#include "agent/json_schema.h"
#include "agent/project_dir.h"
#include "app/console.h"
#include "app/crash.h"
#include "app/headless.h"
#include "app/subcommands.h"
#include "app/trace.h"
#include "tools/tool.h"
#include "tools/walk.h"
#include "ui/keys.h"
#include "ui/terminal.h"
#include "ui/ui.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

std::string all_of(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

// A schema is JSON text, or the file that holds it.
std::string schema_text(const std::string& given, std::string& error) {
  if (given.empty()) return {};
  auto text = given;
  if (text.find('{') == std::string::npos) {
    std::ifstream file(given);
    text = all_of(file);
  }
  if (!nlohmann::json::accept(text))
    error = "--json-schema is neither JSON nor a file that holds JSON: " + given;
  else if (const auto problem = schema_problem(text); !problem.empty())
    error = "--json-schema: " + problem;
  return text;
}

void add_rules(const std::vector<std::string>& texts, PermissionRule::Kind kind, const std::string& source, SessionSetup& setup,
               std::string& error) {
  for (const auto& text : texts) {
    PermissionRule rule;
    std::string wrong;
    if (parse_rule(text, kind, source, rule, wrong)) {
      if (kind == PermissionRule::Kind::deny && text.find('(') == std::string::npos) setup.without_tools.push_back(rule.tool);
      setup.rules.push_back(std::move(rule));
    } else if (error.empty()) {
      error = source + ": " + wrong;
    }
  }
}

std::string read_stdin() {
  if (::isatty(STDIN_FILENO)) return {};
  pollfd input{STDIN_FILENO, POLLIN, 0};
  constexpr int patience_ms = 3'000;
  if (::poll(&input, 1, patience_ms) == 0)  // an open pipe nobody writes to must not look like a hanging model
    std::fputs("tern: waiting for the end of standard input; with < /dev/null there is none\n", stderr);
  return all_of(std::cin);
}

// Names for the composer's completion, relative to the folder.
std::vector<std::string> project_files(const fs::path& root, std::stop_token stop) {
  WalkOptions walking{.most = 300'000, .stop = stop};
  walking.workers = walk_workers(walking);
  std::vector<std::vector<std::string>> found(walking.workers);
  walk(root, walking, [&](const WalkFile& file) {
    found[file.worker].emplace_back(file.path);
    return true;
  });
  std::vector<std::string> all;
  for (auto& part : found) std::move(part.begin(), part.end(), std::back_inserter(all));
  return all;
}

// Stored project settings are read only after the folder is trusted: the session calls this back.
auto project_config_reader(const Config& config) {
  return [config](const fs::path& folder, CompressionConfig& now) {
    auto copy = config;
    auto problems = read_project_config(folder, copy);
    now = copy.compression;
    return problems;
  };
}

auto provider_adjuster(const Config& config) {
  return [providers = config.providers](const ProviderKind& kind, ProviderConfig& wire) {
    const auto found = providers.find(std::string(kind.name));
    if (found == providers.end()) return;
    const auto& settings = found->second;
    if (!settings.base_url.empty() && wire.base_url.empty()) wire.base_url = settings.base_url;
    if (!settings.key.empty() && wire.key.empty()) wire.key = settings.key;
    wire.headers.insert(wire.headers.end(), settings.headers.begin(), settings.headers.end());
  };
}

void describe_models(const Config& config, Models& models, std::vector<std::string>& problems) {
  for (const auto& [name, json] : config.models)
    if (const auto problem = models.describe(name, json); !problem.empty()) problems.push_back(problem);
  for (const auto& [alias, target] : config.aliases)
    if (auto name = models.resolve(target))
      models.alias(alias, *name);
    else
      problems.push_back("alias \"" + alias + "\": no provider serves \"" + target + "\"; write it as provider/name");
}

}  // namespace

void set_model(const Options& options, const Config& config, SessionSetup& setup, std::vector<std::string>& problems) {
  setup.env = environment();
  setup.demo = options.demo;
  setup.model = config.model;
  describe_models(config, setup.models, problems);
  setup.adjust_provider = provider_adjuster(config);
}

std::string make_setup(const Options& options, const Config& config, SessionSetup& setup) {
  std::string error;
  std::vector<std::string> problems;
  set_model(options, config, setup, problems);
  std::error_code ignored;
  setup.cwd = fs::weakly_canonical(options.cwd.empty() ? fs::current_path(ignored) : fs::path(options.cwd), ignored);
  if (!fs::is_directory(setup.cwd, ignored)) return "there is no folder " + setup.cwd.string();
  setup.home = setup.env("HOME");
  setup.state_dir = options.state_dir;
  const auto user_file = user_config_file(setup.env);
  if (!user_file.empty()) setup.user_memory = user_file.parent_path() / "AGENTS.md";
  for (const auto& folder : options.add_dirs) {
    if (!fs::is_directory(folder, ignored)) return "--add-dir: there is no folder " + folder;
    setup.extra_dirs.emplace_back(folder);
  }
  setup.extra_dirs.insert(setup.extra_dirs.end(), config.add_dirs.begin(), config.add_dirs.end());
  setup.trusted = config.trusted;
  setup.keep = !options.no_session;
  setup.open = options.open == Options::Open::newest   ? SessionSetup::Open::newest
               : options.open == Options::Open::resume ? SessionSetup::Open::resume
                                                       : SessionSetup::Open::fresh;
  setup.open_what = options.resume;
  setup.fork = options.fork;
  setup.name = options.name;
  setup.window = config.window;
  setup.record = options.record;
  setup.replay = options.replay;
  setup.append_prompt = config.append_prompt;
  setup.limits = {config.max_turns, config.max_cost, schema_text(options.json_schema, error), config.thinking};
  setup.mode = config.mode;
  setup.bypass_by_flag = options.bypass || options.permission_mode == "bypass" || options.permission_mode == "bypassPermissions";
  if (options.bypass) setup.mode = PermissionMode::bypass;
  using Kind = PermissionRule::Kind;
  setup.rules = permission_rules(config, problems);
  for (const auto& problem : problems) print(stderr, "tern: " + problem + "\n");
  add_rules(options.allowed_tools, Kind::allow, "--allowed-tools", setup, error);
  add_rules(options.disallowed_tools, Kind::deny, "--disallowed-tools", setup, error);
  for (const auto& name : config.disabled_tools) {
    const auto* tool = find_tool(name);
    if (!tool) print(stderr, "tern: tools.disabled: there is no tool \"" + name + "\"\n");
    setup.without_tools.push_back(tool ? std::string(tool->name) : name);
  }
  setup.more_tools = config.extra_tools;
  setup.allowed_env = config.allowed_env;
  setup.sandbox_network = config.sandbox_network;
  setup.compression = config.compression;
  setup.project_config = project_config_reader(config);
  setup.configure = [](const fs::path& folder, const std::string& json, CompressionConfig& now) {
    bool changed = false;
    return change_project_config(folder, json, now, changed);
  };
  setup.show_config = [config](const fs::path& folder) {
    auto now = config;
    if (!folder.empty()) now.problems = read_project_config(folder, now);
    return config_text(now, true);
  };
  setup.page = [config, options](std::string_view name, std::stop_token stop) {
    std::string text;
    if (name == "doctor") run_doctor(options, config, &text, stop);
    return text;
  };
  if (options.demo) {
    setup.keep = false;
    if (setup.window == 0) setup.window = 12'000;
  }
  setup.trace = options.trace;
  if (!setup.trace.empty() && error.empty())
    if (const auto why = trace_problem(setup.trace); !why.empty()) error = "cannot trace to " + setup.trace + ": " + why;
  return error;
}

int start_headless(const Options& options, SessionSetup setup) {
  HeadlessOptions headless;
  using Format = HeadlessOptions::Format;
  headless.format = options.output_format == "json"          ? Format::json
                    : options.output_format == "stream-json" ? Format::stream_json
                                                             : Format::text;
  headless.input_stream = options.input_format == "stream-json";
  headless.partial = options.partial_messages;
  headless.verbose = options.verbose;
  headless.prompt = options.prompt;
  if (!headless.input_stream && !(options.demo && options.prompt_given)) {
    const auto piped = options.prompt.empty() || !::isatty(STDIN_FILENO) ? read_stdin() : std::string();
    if (!piped.empty()) headless.prompt += (headless.prompt.empty() ? "" : "\n\n") + piped;
  }
  if (options.demo && headless.prompt.empty()) headless.prompt = demo_prompt();
  if (headless.input_stream && options.prompt_given) {
    std::fputs("tern: with --input-format stream-json prompts come on standard input; leave the prompt's words away\n", stderr);
    return 2;
  }
  if (headless.prompt.find_first_not_of(" \t\r\n\f\v") == std::string::npos && !headless.input_stream) {
    std::fputs("tern: -p needs a prompt, as its argument or on standard input\n", stderr);
    return 2;
  }
  return run_headless(std::move(setup), std::move(headless));
}

namespace {

// What is known before the session is open, so that the first frame (and a question about trust) names the right mode.
Meters first_meters(const SessionSetup& setup) {
  const auto name = setup.model.empty() ? std::nullopt : setup.models.resolve(setup.model);
  Meters meters;
  if (name) meters.model = name->model, meters.provider = name->provider;
  meters.cwd = setup.cwd.string();
  meters.mode = setup.mode;
  return meters;
}

// The first screen: what this is, where one is, where summaries are kept, and three ways on. The screen adds the model.
std::vector<std::string> welcome(const SessionSetup& setup, const UiDeps& deps, bool plain) {
  std::vector<std::string> lines = {"tern " + deps.version};
  lines.push_back("folder: " + deps.cwd);
  lines.push_back(setup.keep ? "everything said and seen is kept in .compression/ and can be called back with /recall"
                             : "nothing of this talk is kept on disk");
  lines.emplace_back(plain ? "/help commands · ! shell · # note"
                           : "/ commands · @ files · ! shell · ? keys · shift-tab permission mode");
  return lines;
}

}  // namespace

int start_screen(const Options& options, const Config& config, SessionSetup setup) {
  const bool dumb = setup.env("TERM") == "dumb", plain = config.plain || options.plain || dumb;
  if (!plain && (!::isatty(STDIN_FILENO) || !::isatty(STDOUT_FILENO))) {
    std::fputs("tern: no terminal here; tern --plain talks line by line, tern -p \"...\" answers once\n", stderr);
    return 2;
  }
  setup.asks_trust = ::isatty(STDIN_FILENO) != 0;  // a script's next line is no answer to that
  const auto state = user_state_dir();
  install_crash_handlers(state.string());
  block_ui_signals();  // before any thread starts: the screen's loop reads them, no thread dies of one
  Mailbox<Command> commands;
  std::mutex wake_mutex;
  std::function<void()> wake;
  Mailbox<Event> events(
      [&] {
        std::lock_guard lock(wake_mutex);
        if (wake) wake();
      },
      merge_events);
  const auto root = setup.cwd;
  events.push(first_meters(setup));
  auto problems = config.problems;
  permission_rules(config, problems);  // standard error is hidden behind the screen
  for (const auto& problem : problems) events.push(Notice{Level::warning, problem});
  Session session(setup, commands, [&](Event event) { events.push(std::move(event)); });
  UiDeps deps{.commands = commands,
              .events = events,
              .interrupt = [&] { session.interrupt(); },
              .on_wake =
                  [&](std::function<void()> call) {
                    std::lock_guard lock(wake_mutex);
                    wake = std::move(call);
                  },
              .cwd = setup.cwd.string(),
              .home = setup.home.string(),
              .state_dir = setup.keep ? project_state_dir(setup.cwd).string() : std::string(),
              .version = TERN_VERSION};
  deps.screen = plain                                           ? ScreenKind::plain
                : config.inline_screen || options.inline_screen ? ScreenKind::inline_region
                                                                : ScreenKind::full;
  deps.theme = config.theme;
  deps.vi = config.vim;
  deps.bell = config.bell;
  for (const auto& [action, key] : config.keys) {
    if (const auto problem = rebind_problem(action, key); !problem.empty())
      events.push(Notice{Level::warning, "keys: " + problem});
    else
      deps.keys.emplace_back(action, key);
  }
  for (const auto& clash : rebind_clashes(deps.keys)) events.push(Notice{Level::warning, "keys: " + clash});
  if (!config.editor.empty()) ::setenv("VISUAL", config.editor.c_str(), 1);
  deps.welcome = welcome(setup, deps, plain);
  deps.list_files = [root](std::stop_token stop) { return project_files(root, stop); };
  deps.first_prompt = options.demo && options.prompt.empty() ? std::string(demo_prompt()) : options.prompt;
  std::thread worker([&] {
    if (session.open())
      session.run();
    else
      events.push(Goodbye{session.why()});
  });
  struct Ending {  // also when the screen throws: the session ends in order, and main says why
    Session& session;
    Mailbox<Command>& commands;
    std::thread& worker;
    ~Ending() {
      session.interrupt();
      commands.close();
      worker.join();
    }
  } const ending{session, commands, worker};
  return run_ui(deps);
}

int debug_request(SessionSetup setup) {
  Mailbox<Command> commands;
  setup.live = setup.may_ask = false;
  setup.read_only = true;
  if (setup.open == SessionSetup::Open::fresh) setup.open = SessionSetup::Open::newest;
  Session session(std::move(setup), commands, [](Event) {});
  if (!session.open()) {
    std::fprintf(stderr, "tern: %s\n", session.why().c_str());
    return session.exit_code();
  }
  const std::string request = session.last_request();
  if (request.empty()) {
    print(stderr, "tern: there is none: the demo is a script and sends nothing\n");
    return 1;
  }
  std::printf("%s\n", request.c_str());
  return 0;
}

}  // namespace tern
