// How a session comes to be: a model, trust, the store, the tools, and the agent that works with them.
#include <algorithm>
#include <utility>

#include "agent/helpers/helper_desk.h"
#include "agent/models/document_reader.h"
#include "agent/models/record.h"
#include "agent/store/day_account.h"
#include "agent/turn/context_tools.h"
#include "app/config/config.h"
#include "app/session/session_commands.h"
#include "app/session/session_hooks.h"
#include "app/session/session_lsp.h"
#include "app/session/session_mcp.h"
#include "app/session/session_plan.h"
#include "app/session/session_search.h"
#include "compression/values/check.h"
#include "tools/sandbox/sandbox.h"

namespace tern {
namespace {

TimePoint clock_now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

constexpr std::string_view no_way =
    "No model configured. To use one, do one of: set a key (ANTHROPIC_API_KEY, OPENAI_API_KEY or "
    "GEMINI_API_KEY), start a local "
    "server such as Ollama (or set OPENAI_BASE_URL), or try the built-in demo: tern --model demo/demo.";

// A key or an address in the environment is the nearer choice; then those of the person's file.
const ProviderKind* kind_with_key(const SessionSetup& setup) {
  if (const auto* kind = provider_with_key(setup.env)) return kind;
  for (const auto* kind : all_providers())
    if (kind->needs_key && !lacks_key(*kind, wire_of(setup, *kind))) return kind;
  return nullptr;
}

}  // namespace

ProviderConfig wire_of(const SessionSetup& setup, const ProviderKind& kind) {
  auto config = provider_config(kind, setup.env);
  if (setup.adjust_provider) setup.adjust_provider(kind, config);
  return config;
}

// The flag or the configuration, else whoever has a key, else a local server.
std::optional<ModelName> find_model(const SessionSetup& setup, std::string& why) {
  if (!setup.model.empty()) {
    return model_named(setup, setup.model, why);
  }
  if (const auto* kind = kind_with_key(setup)) {
    const auto wanted =
        kind->model_variable.empty() ? std::string() : setup.env(std::string(kind->model_variable));
    if (wanted.empty() && kind->default_model.empty() &&
        setup.open == SessionSetup::Open::fresh) {  // a resumed one names its own
      why = std::string(kind->title) + " serves many models: name one with --model " +
            std::string(kind->name) + "/NAME" +
            (kind->model_variable.empty() ? "" : ", or set " + std::string(kind->model_variable)) + ".";
      return std::nullopt;
    }
    return ModelName{std::string(kind->name), wanted.empty() ? std::string(kind->default_model) : wanted};
  }
  if (const auto served = locally_served(setup); !served.empty()) return served.front();
  return std::nullopt;
}

void ready_sandbox(ToolEnvironment& hands, const Workspace& workspace, bool network) {
  const auto& support = probe_sandbox();
  hands.sandbox = sandbox_for(workspace.roots(), hands.spill_dir, {}, support);
  hands.sandbox.network = network;
  hands.policy.sandbox_ready = support.rung != SandboxRung::none;
  hands.policy.repository_ready = can_open_repository(hands.sandbox);
  hands.policy.sandbox_why = support.why;
}

bool SessionParts::open() {
  exit_code_ = 2;
  if (!setup_.replay.empty() && !(playback_ = Recording::load(setup_.replay, why_))) return false;
  if (!setup_.record.empty() && !(recording_ = Recording::create(setup_.record, why_))) return false;
  if (!choose_model())
    return false;  // first: the network thread loads its library beside everything that follows
  emit(first_meters());
  workspace_.emplace(setup_.cwd, setup_.extra_dirs);
  ask_for_trust();
  if (leaving_ || !open_store()) return false;
  SessionCommands{*this}.ask_for_entries();
  if (leaving_) return false;
  const bool lent = setup_.model.empty() && !setup_.may_ask && !playback_ && model_name_.provider == "demo";
  if (lent && opened_.model.rfind("demo", 0) != 0) {
    why_ = std::string(no_way);
    exit_code_ = 3;
    return false;
  }
  read_surroundings();
  mcp_ = std::make_unique<SessionMcp>(setup_, workspace_->root(), trusted_,
                                      [this](Notice told) { emit(std::move(told)); });
  make_hands();
  make_agent();
  make_hooks();
  mcp_->start([this] { inbox_.wake(ServersChanged{}); });
  if (setup_.may_ask)
    SessionCommands{*this}.load_brought();  // first: an open session's commands are all known
  adopt(std::move(opened_));
  hooks_->started(opened_.resumed ? (setup_.fork ? "fork" : "resume") : "startup");
  const bool stranded = model_name_.provider == "demo" && setup_.model.empty() && setup_.asks_trust;
  if (stranded && setup_.may_ask && setup_.live) emit(LoginAsked{{}, true});
  watch_config();
  return true;
}

// A model that was chosen in an earlier session and whose key is gone by now is looked for anew.
void SessionParts::forget_useless_model() {
  if (!setup_.model_kept || playback_) return;
  const auto name = setup_.models.resolve(setup_.model);
  const auto* kind = name ? find_provider(name->provider) : nullptr;
  if (kind && !lacks_key(*kind, wire_of(setup_, *kind))) return;
  emit(Notice{Level::warning, setup_.model + " cannot be used now: " +
                                  (kind ? "there is no key for it." : "no provider serves it.") +
                                  " /login adds a key."});
  setup_.model.clear();
}

// What find_model() finds, else the demo: when somebody looks, or until the session that is gone on with
// names its own.
bool SessionParts::choose_model() {
  if (setup_.demo && setup_.model.empty()) setup_.model = "demo/long";
  forget_useless_model();
  auto name = find_model(setup_, why_);
  if (!why_.empty()) {
    exit_code_ = 2;
    return false;
  }
  if (const auto* first = all_providers().front(); !name && playback_)
    name = ModelName{std::string(first->name), std::string(first->default_model)};
  if (!name && (setup_.may_ask || setup_.open != SessionSetup::Open::fresh)) name = ModelName{"demo", "demo"};
  const auto* kind = name ? find_provider(name->provider) : nullptr;
  const bool keyless = kind && setup_.replay.empty() && lacks_key(*kind, wire_of(setup_, *kind));
  if (!kind || keyless) {
    why_ = keyless ? "No key for " + std::string(kind->title) + ": set " +
                         std::string(kind->key_variables.substr(0, kind->key_variables.find(' '))) + ". " +
                         std::string(no_way)
                   : std::string(no_way);
    exit_code_ = 3;
    return false;
  }
  model_name_ = *name;
  context_.window_override = setup_.window;
  context_.config = setup_.compression;
  use_model(*name);
  return true;
}

// The screen names the model before anything is asked.
Meters SessionParts::first_meters() const {
  Meters meters;
  meters.model = model_name_.model;
  meters.provider = model_name_.provider;
  meters.cwd = setup_.cwd.string();
  meters.mode = setup_.mode;
  return meters;
}

std::unique_ptr<Provider> SessionParts::connect(const ModelInfo& model) {
  if (playback_) return replaying_provider(playback_);
  const auto* kind = find_provider(model.provider);
  if (!kind) return nullptr;
  auto config = wire_of(setup_, *kind);
  config.paced = setup_.may_ask && model.provider == "demo";
  if (lacks_key(*kind, config)) return nullptr;
  auto provider = make_provider(model.provider, std::move(config));
  return provider && recording_ ? recording_provider(std::move(provider), recording_) : std::move(provider);
}

void SessionParts::use_model(const ModelName& name) {
  model_name_ = name;
  context_.model = setup_.models.find(name.provider, name.model);
  if (!context_.model.known && !playback_)
    if (const Tokens window = served_window(setup_, name); window > 0) context_.model.window = window;
  context_.gauges.new_model();
  files_.takes_documents = reads_documents(context_.model);
  provider_ = connect(context_.model);
}

// Nothing of the folder is believed before a person has said so once. Where nobody can be asked it stays
// unread.
void SessionParts::ask_for_trust() {
  trust_ = std::make_unique<TrustList>(default_trust_file());
  const auto listed = std::any_of(setup_.trusted.begin(), setup_.trusted.end(),
                                  [&](const auto& folder) { return is_under(folder, workspace_->root()); });
  trusted_ = listed || trust_->trusted(workspace_->root());
  if (trusted_) return;
  auto claims = claims_of(workspace_->root());
  if (!setup_.may_ask || !setup_.asks_trust) {
    // Of these a run would have read something; the history says for itself whether it is believed.
    std::erase_if(claims, [](const std::string& claim) {
      return !claim.starts_with("AGENTS.md:") && !claim.starts_with("CLAUDE.md:") &&
             !claim.starts_with(".compression/config.json:");
    });
    if (!claims.empty())
      emit(Notice{Level::warning, "This folder is not trusted: its " + claims.front() +
                                      " is not read (list it under \"trusted\" in the user's config)."});
    return;
  }
  std::string what;
  for (const auto& claim : claims) what += (what.empty() ? "" : "\n") + claim;
  const auto question = next_question_++;
  emit(TrustAsked{question, workspace_->root().string(), what});
  const auto answer = inbox_.wait_answer(question, stop_.begin());
  trusted_ = answer && answer->verdict != Verdict::no;
  if (trusted_) {
    if (const auto problem = trust_->trust(workspace_->root()); !problem.empty())
      emit(Notice{Level::warning, problem});
  } else {
    why_ = "Nothing was read or run in " + workspace_->root().string() + ".";
    exit_code_ = 0;
    leaving_ = true;
  }
}

bool SessionParts::open_store() {
  StoreOptions options;
  if (setup_.keep) {
    const ProjectDirOptions where{workspace_->root(), setup_.state_dir, !setup_.read_only};
    project_ = open_project_dir(where);
    if (project_.state == ProjectDir::State::foreign && setup_.may_ask) {
      const auto question = next_question_++;
      emit(TrustAsked{question, project_.project.string(), project_.why});
      const auto answer = inbox_.wait_answer(question, stop_.begin());
      if (answer && answer->verdict != Verdict::no) project_ = adopt_project_dir(where);
    }
    if (!project_.why.empty() && project_.state != ProjectDir::State::ours)
      emit(Notice{Level::warning, project_.why});
    options.folder = project_.folder;
    options.read_only = setup_.read_only;
  }
  store_ = Store::open(std::move(options));
  for (const auto& notice : store_->notices()) emit(Notice{Level::warning, notice});
  reload_config();
  show_settings();

  const auto model = model_name_.provider + "/" + model_name_.model;
  std::optional<OpenedSession> opened;
  if (setup_.open == SessionSetup::Open::newest)
    opened = store_->newest(why_, setup_.cwd.string());
  else if (setup_.open == SessionSetup::Open::resume)
    opened = setup_.open_what.empty() ? store_->newest(why_) : store_->resume(setup_.open_what, why_);
  else
    opened = store_->create({setup_.name, setup_.cwd.string(), model});
  if (!opened) {
    if (why_.empty()) why_ = "There is no session to continue.";
    exit_code_ = 2;
    return false;
  }
  opened_ = setup_.fork && opened->resumed ? store_->fork(setup_.name) : std::move(*opened);
  if (opened_.resumed && setup_.model.empty() && !opened_.model.empty())
    if (auto name = setup_.models.resolve(opened_.model); name && *name != model_name_) {
      use_model(*name);
      if (!provider_) use_model(model_name_ = *setup_.models.resolve(model));
      emit(first_meters());
    }
  return true;
}

void SessionParts::read_surroundings() {
  where_ = look_around(setup_.cwd, clock_now());
  branch_ = where_.branch;
  memory_ =
      trusted_ ? memory_files(workspace_->root(), setup_.user_memory) : memory_files({}, setup_.user_memory);
  for (const auto& file : memory_)
    if (file.cut)
      emit(Notice{Level::warning, file.path.string() + (file.text.empty() ? " is not read" : " is cut") +
                                      ": memory files are limited to 32 KB in total, nearest first."});
  context_.prompt = system_prompt(where_, memory_, setup_.mode,
                                  setup_.append_prompt + SessionCommands{*this}.find_skills());
}

ProjectRules SessionParts::project_rules() const {
  const auto config = user_config_file(setup_.env);
  return {config.empty() ? std::filesystem::path() : config.parent_path() / "projects.json",
          workspace_->root()};
}

void SessionParts::make_hands() {
  const auto root = workspace_->root();
  if (!project_.project.empty()) workspace_->protect(project_.project, "tern's own history of this project");
  spill_dir_ = PrivateDir::make();
  journal_ = std::make_unique<Journal>(journal_store(*store_));
  jobs_ = std::make_unique<Jobs>();
  hands_.reset(new ToolEnvironment{
      .workspace = *workspace_, .files = files_, .journal = *journal_, .jobs = *jobs_, .sandbox = {}});
  auto& hands = *hands_;
  files_.open_buffer = setup_.open_buffer;
  jobs_->on_end = [this, &hands](const JobInfo& job) {
    if (setup_.live) inbox_.wake(JobEnded{job.id, job.how, job.command, job.by == StoppedBy::user});
    hands.notes.push("[Background command " + job.id + " has ended (" + job.how + "): " + job.command +
                     ". BashOutput shows its output.]");
  };
  hands.spill_dir = spill_dir_.path();
  hands.allowed_env = setup_.allowed_env;
  hands.may_ask = setup_.may_ask;
  hands.policy.mode = setup_.mode;
  hands.policy.rules = setup_.rules;
  hands.policy.bypass_by_flag = setup_.bypass_by_flag;
  const auto allow = [&](const std::string& text, const char* source, RuleOrigin origin) {
    PermissionRule rule;
    std::string error;
    if (!parse_rule(tools_, text, PermissionRule::Kind::allow, source, rule, error)) return;
    rule.origin = origin;
    hands.policy.rules.push_back(rule);
  };
  for (const auto& text : store_->grants()) allow(text, "remembered", RuleOrigin::session);
  for (const auto& text : project_rules().load()) allow(text, "this project", RuleOrigin::project);
  hands.keep_rule = [this](const PermissionRule& rule) { return project_rules().add(rule_text(rule)); };
  const auto ready = [network = setup_.sandbox_network](ToolEnvironment& own) {
    ready_sandbox(own, own.workspace, network);
  };
  if (setup_.mode == PermissionMode::automatic)
    ready(hands);
  else
    hands.ready_sandbox = ready;
  SessionCommands{*this}.add_task_tool();
  tools_.add(session_search_tool({.agent = [this]() -> Agent& { return *agent_; },
                                  .inbox = inbox_,
                                  .setup = setup_,
                                  .connect = [this](const ModelInfo& model) { return connect(model); }}));
  SessionCommands{*this}.add_skill_tool();
  const bool notes_wanted = context_.config.context_style != ContextStyle::summary;
  for (const auto& tool : tools_) {
    const auto named = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), tool->name) != names.end();
    };
    const bool by_style = notes_wanted && tool->duty == ToolDuty::notes;
    if ((tool->basic || by_style || named(setup_.more_tools)) && !named(setup_.without_tools))
      hands.offered.add(tool);
  }
  mcp_->offer(hands,
              [this](const auto& work) { inbox_.attend([&work, stop = stop_.now()] { work(stop); }); });
  for (const auto& problem : watch_changes(setup_, *workspace_, trusted_, hands))
    emit(Notice{Level::warning, problem});
  for (const auto& tool : hands.offered)
    if (setup_.may_ask || !tool->asks)
      context_.tools.push_back({tool->name, tool->description, tool->schema, tool->duty});
  context_.tool_tokens = tokens_of(context_.tools);
  hands.recall = [this](const RecallQuery& query) { return answer_recall(*store_, query); };
  hands.context = [this](const ContextQuery& query) {
    return answer_context(*agent_, query, [this](const std::string& json) { return configure(json); });
  };
}

void SessionParts::make_agent() {
  hands_->ask_user = [this](const UserQuestion& question) { return SessionPlan{*this}.ask(question); };
  const auto tell = [this](Event event) { emit(std::move(event)); };
  compactor_ = std::make_unique<Compactor>(CompactorWorld{
      .store = *store_,
      .models = setup_.models,
      .files = files_,
      .todos = hands_->todos,
      .emit = tell,
      .connect = [this](const ModelInfo& model) { return connect(model); },
      .now = clock_now,
      .attend = [this](const std::function<void()>& work) { inbox_.attend(work); },
      .append = [this](Item item) { return append(*agent_, std::move(item)); },
      .root = workspace_->root(),
      .confirm = [this](const std::string& why) { return SessionPlan{*this}.wants_compaction(why); },
      .kept_in = setup_.keep ? project_.folder : std::filesystem::path(),
      .draft_ended =
          [this] {
            if (setup_.live) inbox_.wake(DraftEnded{});
          }});
  compactor_->set_focus(compact_instructions(memory_));
  calls_ = std::make_unique<ToolCalls>(*hands_, context_, *store_, inbox_, tell);
  agent_ = std::make_unique<Agent>(Agent{.store = *store_,
                                         .context = context_,
                                         .compactor = *compactor_,
                                         .hands = *hands_,
                                         .calls = *calls_,
                                         .inbox = inbox_,
                                         .provider = provider_,
                                         .emit = tell,
                                         .now = clock_now,
                                         .refresh = [this](std::stop_token stop) { refresh(stop); },
                                         .show_meters = [this] { show_meters(); },
                                         .limits = setup_.limits});
  const auto account = std::make_shared<DayAccount>(setup_.day_account);
  agent_->spending.count_today = [account](double dollars) { return account->add(dollars, clock_now()); };
  hands_->over_limit = [this](const Tool& tool) { return over_its_limit(*agent_, tool); };
}

}  // namespace tern
