#include "app/cli/start.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "agent/models/demo.h"
#include "agent/models/key_trial.h"
#include "agent/models/redact.h"
#include "agent/store/project_dir.h"
#include "app/cli/brought_flags.h"
#include "app/cli/crash.h"
#include "app/cli/demo_folder.h"
#include "app/cli/limit_flags.h"
#include "app/cli/subcommands.h"
#include "app/cli/welcome.h"
#include "app/headless/headless.h"
#include "app/session/console.h"
#include "app/session/session_tools.h"
#include "app/session/trace.h"
#include "tools/set/tool.h"
#include "tools/workspace/walk.h"
#include "ui/fronts/ui.h"
#include "ui/shell/keys.h"
#include "ui/terminal/terminal.h"

namespace tern {
namespace {

namespace fs = std::filesystem;

std::string all_of(std::istream& in) { return {std::istreambuf_iterator<char>(in), {}}; }

void add_rules(const std::vector<std::string>& texts, PermissionRule::Kind kind, const std::string& source,
               SessionSetup& setup, std::string& error) {
  for (const auto& text : texts) {
    PermissionRule rule;
    std::string wrong;
    if (parse_rule(session_tools(), text, kind, source, rule, wrong)) {
      if (kind == PermissionRule::Kind::deny && text.find('(') == std::string::npos)
        setup.without_tools.push_back(rule.tool);
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
  if (::poll(&input, 1, patience_ms) ==
      0)  // an open pipe nobody writes to must not look like a hanging model
    std::fputs("tern: waiting for standard input to end; add < /dev/null if there is none\n", stderr);
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

auto project_config_writer(const Config& config) {
  return [config](const fs::path& folder, bool trusted) {
    auto now = config;
    if (trusted) read_project_config(folder, now);
    return show_in_project_config(folder, now);
  };
}

auto provider_adjuster(const Config& config, const std::string& file) {
  return [providers = config.providers, file](const ProviderKind& kind, ProviderConfig& wire) {
    const auto found = providers.find(std::string(kind.name));
    if (found == providers.end()) return;
    const auto& settings = found->second;
    if (!settings.base_url.empty() && wire.base_url.empty()) wire.base_url = settings.base_url;
    if (!settings.key.empty() && wire.key.empty()) {
      wire.key = settings.key;
      wire.key_from = file;
    }
    if (settings.tool_search) wire.tool_search = settings.tool_search;
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
      problems.push_back("alias \"" + alias + "\": no provider serves \"" + target +
                         "\"; write it as provider/name");
}

void set_tools(const Config& config, SessionSetup& setup) {
  const ToolSet known = session_tools();
  for (const auto& name : config.disabled_tools) {
    const auto tool = known.find(name);
    if (!tool && !name.starts_with("mcp__"))
      print(stderr, "tern: tools.disabled: there is no tool \"" + name + "\"\n");
    setup.without_tools.push_back(tool ? tool->name : name);
  }
  setup.disabled_tools = config.disabled_tools, setup.more_tools = config.extra_tools;
  setup.helper_tokens = config.helper_tokens;
}

}  // namespace

void set_model(const Options& options, const Config& config, SessionSetup& setup,
               std::vector<std::string>& problems) {
  setup.env = environment();
  setup.demo = options.demo;
  setup.model = config.model;
  describe_models(config, setup.models, problems);
  const auto origin = config.origins.find("model");
  const auto user_file = user_config_file(setup.env);
  setup.model_kept = origin != config.origins.end() && origin->second == user_file.string();
  setup.user_file = shown_file(user_file, setup.env("HOME"));
  setup.adjust_provider = provider_adjuster(config, setup.user_file);
  setup.write = [user_file](std::string_view key, std::string_view json) {
    return write_setting(user_file, key, json);
  };
}

void show_settings_of(SessionSetup& setup, const std::shared_ptr<Config>& now) {
  const auto read = [now](const fs::path& folder) {
    auto shown = *now;
    if (!folder.empty()) shown.problems = read_project_config(folder, shown);
    return shown;
  };
  setup.show_config = [read](const fs::path& folder) { return config_text(read(folder), true); };
  setup.settings = [read](const fs::path& folder) { return config_rows(read(folder)); };
}

std::string make_setup(const Options& options, const Config& config, SessionSetup& setup) {
  std::string error;
  std::vector<std::string> problems;
  set_model(options, config, setup, problems);
  hide_keys(setup.env);
  for (const auto& [name, settings] : config.providers) register_secret(settings.key);
  std::error_code ignored;
  setup.cwd =
      fs::weakly_canonical(options.cwd.empty() ? fs::current_path(ignored) : fs::path(options.cwd), ignored);
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
  set_limits(options, config, setup, error);
  setup.mode = config.mode;
  setup.bypass_by_flag =
      options.bypass || options.permission_mode == "bypass" || options.permission_mode == "bypassPermissions";
  if (options.bypass) setup.mode = PermissionMode::bypass;
  using Kind = PermissionRule::Kind;
  setup.rules = permission_rules(config, session_tools(), problems);
  for (const auto& problem : problems) print(stderr, "tern: " + problem + "\n");
  add_rules(options.allowed_tools, Kind::allow, "--allowed-tools", setup, error);
  add_rules(options.disallowed_tools, Kind::deny, "--disallowed-tools", setup, error);
  set_tools(config, setup);
  set_brought(options, config, setup, error);
  setup.version = TERN_VERSION;
  setup.allowed_env = config.allowed_env;
  setup.sandbox_network = config.sandbox_network;
  setup.compression = config.compression;
  setup.project_config = project_config_reader(config);
  setup.show_in_project_config = project_config_writer(config);
  setup.configure = [](const fs::path& folder, const std::string& json, CompressionConfig& now) {
    bool changed = false;
    return change_project_config(folder, json, now, changed);
  };
  const auto now = std::make_shared<Config>(config);  // the session's thread alone reads and changes it
  setup.keep_setting = [now, user_file](std::string_view key, std::string_view value) {
    return keep_setting(user_file, *now, key, value);
  };
  show_settings_of(setup, now);
  setup.doctor = [config, options](std::stop_token stop) {
    std::string text;
    run_doctor(options, config, &text, stop);
    return text;
  };
  setup.trace = options.trace;
  if (!setup.trace.empty() && error.empty())
    if (const auto why = trace_problem(setup.trace); !why.empty())
      error = "cannot trace to " + setup.trace + ": " + why;
  if (options.demo && error.empty()) error = set_demo(options, setup);
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
  if (options.demo && headless.prompt.empty()) headless.prompt = first_demo_prompt(options);
  if (headless.input_stream && options.prompt_given) {
    std::fputs(
        "tern: with --input-format stream-json the prompts come on standard input; remove the prompt "
        "argument\n",
        stderr);
    return 2;
  }
  if (headless.prompt.find_first_not_of(" \t\r\n\f\v") == std::string::npos && !headless.input_stream) {
    std::fputs("tern: -p needs a prompt, as its argument or on standard input\n", stderr);
    return 2;
  }
  return run_headless(std::move(setup), std::move(headless));
}

namespace {

// What is known before the session is open, so that the first frame (and a question about trust) names the
// right mode.
Meters first_meters(const SessionSetup& setup) {
  const auto name = setup.model.empty() ? std::nullopt : setup.models.resolve(setup.model);
  Meters meters;
  if (name) meters.model = name->model, meters.provider = name->provider;
  meters.cwd = setup.cwd.string();
  meters.mode = setup.mode;
  return meters;
}

// The keys of the configuration, without those that cannot be.
std::vector<std::pair<std::string, std::string>> rebound_keys(const Config& config, Mailbox<Event>& events) {
  std::vector<std::pair<std::string, std::string>> keys;
  for (const auto& [action, key] : config.keys) {
    if (const auto problem = rebind_problem(action, key); !problem.empty())
      events.push(Notice{Level::warning, "keys: " + problem});
    else
      keys.emplace_back(action, key);
  }
  for (const auto& clash : rebind_clashes(keys)) events.push(Notice{Level::warning, "keys: " + clash});
  return keys;
}

// The linear log sends the next line when the one before has its answer.
void tell_when_done(SessionSetup& setup, Mailbox<Event>& events) {
  setup.on_done = setup.on_live_done = [&events](const Command& command) {
    if (!std::holds_alternative<Answer>(command)) events.push(CommandDone{});
  };
}

}  // namespace

int start_screen(const Options& options, const Config& config, SessionSetup setup) {
  const bool dumb = setup.env("TERM") == "dumb", plain = config.plain || options.plain || dumb;
  if (!plain && (!::isatty(STDIN_FILENO) || !::isatty(STDOUT_FILENO))) {
    std::fputs("tern: no terminal here; tern --plain talks line by line, tern -p \"...\" answers once\n",
               stderr);
    return 2;
  }
  if (!plain) setup.status_line = config.status_line;
  setup.asks_trust = ::isatty(STDIN_FILENO) != 0;  // a script's next line is no answer to that
  install_crash_handlers(user_state_dir().string());
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
  events.push(first_meters(setup));
  auto problems = config.problems;
  permission_rules(config, session_tools(), problems);  // standard error is hidden behind the screen
  for (const auto& problem : problems) events.push(Notice{Level::warning, problem});
  if (plain) tell_when_done(setup, events);
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
  deps.wishes = terminal_wishes(config);
  deps.keys = rebound_keys(config, events);
  if (!config.editor.empty()) ::setenv("VISUAL", config.editor.c_str(), 1);
  deps.welcome = welcome(setup.keep, deps, plain);
  deps.keyed = keyed_providers();
  deps.list_files = [root = setup.cwd](std::stop_token stop) { return project_files(root, stop); };
  deps.first_prompt = options.demo && options.prompt.empty() ? first_demo_prompt(options) : options.prompt;
  std::atomic<int> refused = 0;  // how the program ends when there is no session
  std::thread worker([&] {
    if (session.open()) return session.run();
    refused = session.exit_code();
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
  const int status = run_ui(deps);
  return status != 0 ? status : refused.load();
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
    print(stderr, "tern: no request to show: the demo is scripted and sends none\n");
    return 1;
  }
  std::printf("%s\n", request.c_str());
  return 0;
}

}  // namespace tern
