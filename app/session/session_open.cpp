// How a session comes to be: a model, trust, the store, the tools, and the agent that works with them.
#include <algorithm>
#include <utility>

#include "agent/context_tools.h"
#include "agent/record.h"
#include "app/session.h"
#include "compression/check.h"

namespace tern {
namespace {

TimePoint clock_now() { return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now()); }

constexpr std::string_view no_way =
    "No model to talk to. Three ways out: set a key (ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY), start a local "
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
    auto name = setup.models.resolve(setup.model);
    if (!name) why = "Unknown model \"" + setup.model + "\": write provider/name (README.md and /model list them).";
    return name;
  }
  if (const auto* kind = kind_with_key(setup)) {
    const auto wanted = kind->model_variable.empty() ? std::string() : setup.env(std::string(kind->model_variable));
    if (wanted.empty() && kind->default_model.empty() &&
        setup.open == SessionSetup::Open::fresh) {  // a resumed one names its own
      why = std::string(kind->title) + " serves many models: name one with --model " + std::string(kind->name) + "/NAME" +
            (kind->model_variable.empty() ? "" : ", or set " + std::string(kind->model_variable)) + ".";
      return std::nullopt;
    }
    return ModelName{std::string(kind->name), wanted.empty() ? std::string(kind->default_model) : wanted};
  }
  for (const auto* local : all_providers()) {
    if (!local->local || local->name == "demo") continue;
    const auto served = served_models(*local, wire_of(setup, *local), std::chrono::milliseconds(150));
    if (!served.empty()) return ModelName{std::string(local->name), served.front()};
  }
  return std::nullopt;
}

void ready_sandbox(Hands& hands, const Workspace& workspace, bool network) {
  const auto& support = probe_sandbox();
  hands.sandbox = sandbox_for(workspace.roots(), hands.spill_dir, {}, support);
  hands.sandbox.network = network;
  hands.policy.sandbox_ready = support.rung != SandboxRung::none;
  hands.policy.sandbox_why = support.why;
}

bool Session::open() {
  exit_code_ = 2;
  if (!setup_.replay.empty() && !(playback_ = Recording::load(setup_.replay, why_))) return false;
  if (!setup_.record.empty() && !(recording_ = Recording::create(setup_.record, why_))) return false;
  if (!choose_model()) return false;  // first: the network thread loads its library beside everything that follows
  emit(first_meters());
  workspace_.emplace(setup_.cwd, setup_.extra_dirs);
  ask_for_trust();
  if (leaving_ || !open_store()) return false;
  const bool lent = setup_.model.empty() && !setup_.may_ask && !playback_ && model_name_.provider == "demo";
  if (lent && opened_.model.rfind("demo", 0) != 0) {
    why_ = std::string(no_way);
    exit_code_ = 3;
    return false;
  }
  read_surroundings();
  make_hands();
  make_agent();
  adopt(std::move(opened_));
  watch_config();
  return true;
}

// What find_model() finds, else the demo: when somebody looks, or until the session that is gone on with names its own.
bool Session::choose_model() {
  if (setup_.demo && setup_.model.empty()) setup_.model = "demo/long";
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
                         std::string(kind->key_variables.substr(0, kind->key_variables.find(' '))) + ". " + std::string(no_way)
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
Meters Session::first_meters() const {
  Meters meters;
  meters.model = model_name_.model;
  meters.provider = model_name_.provider;
  meters.cwd = setup_.cwd.string();
  meters.mode = setup_.mode;
  return meters;
}

std::unique_ptr<Provider> Session::connect(const ModelInfo& model) {
  if (playback_) return replaying_provider(playback_);
  const auto* kind = find_provider(model.provider);
  if (!kind) return nullptr;
  auto config = wire_of(setup_, *kind);
  config.paced = setup_.may_ask && model.provider == "demo";
  if (lacks_key(*kind, config)) return nullptr;
  auto provider = make_provider(model.provider, std::move(config));
  return provider && recording_ ? recording_provider(std::move(provider), recording_) : std::move(provider);
}

void Session::use_model(const ModelName& name) {
  model_name_ = name;
  context_.model = setup_.models.find(name.provider, name.model);
  context_.gauges.new_model();
  provider_ = connect(context_.model);
}

// Nothing of the folder is believed before a person has said so once. Where nobody can be asked it stays unread.
void Session::ask_for_trust() {
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
  const auto answer = inbox_.wait_answer(question, begin_work());
  trusted_ = answer && answer->verdict != Verdict::no;
  if (trusted_) {
    if (const auto problem = trust_->trust(workspace_->root()); !problem.empty()) emit(Notice{Level::warning, problem});
  } else {
    why_ = "Nothing was read or run in " + workspace_->root().string() + ".";
    exit_code_ = 0;
    leaving_ = true;
  }
}

bool Session::open_store() {
  StoreOptions options;
  if (setup_.keep) {
    const ProjectDirOptions where{workspace_->root(), setup_.state_dir, !setup_.read_only};
    project_ = open_project_dir(where);
    if (project_.state == ProjectDir::State::foreign && setup_.may_ask) {
      const auto question = next_question_++;
      emit(TrustAsked{question, project_.project.string(), project_.why});
      const auto answer = inbox_.wait_answer(question, begin_work());
      if (answer && answer->verdict != Verdict::no) project_ = adopt_project_dir(where);
    }
    if (!project_.why.empty() && project_.state != ProjectDir::State::ours) emit(Notice{Level::warning, project_.why});
    options.folder = project_.folder;
    options.read_only = setup_.read_only;
  }
  store_ = Store::open(std::move(options));
  for (const auto& notice : store_->notices()) emit(Notice{Level::warning, notice});
  reload_config();

  const auto model = model_name_.provider + "/" + model_name_.model;
  std::optional<OpenedSession> opened;
  if (setup_.open == SessionSetup::Open::newest)
    opened = store_->newest(why_, setup_.cwd.string());
  else if (setup_.open == SessionSetup::Open::resume)
    opened = setup_.open_what.empty() ? store_->newest(why_) : store_->resume(setup_.open_what, why_);
  else
    opened = store_->create({setup_.name, setup_.cwd.string(), model});
  if (!opened) {
    if (why_.empty()) why_ = "There is no session to go on with.";
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

void Session::read_surroundings() {
  where_ = look_around(setup_.cwd, clock_now());
  branch_ = where_.branch;
  memory_ = trusted_ ? memory_files(workspace_->root(), setup_.user_memory) : memory_files({}, setup_.user_memory);
  for (const auto& file : memory_)
    if (file.cut)
      emit(Notice{Level::warning, file.path.string() + (file.text.empty() ? " is not read" : " is cut") +
                                      ": memory files may have 32 KB together, the nearest first."});
  context_.prompt = system_prompt(where_, memory_, setup_.mode, setup_.append_prompt);
}

void Session::make_hands() {
  const auto root = workspace_->root();
  if (!project_.project.empty()) workspace_->protect(project_.project, "tern's own history of this project");
  spill_dir_ = PrivateDir::make();
  journal_ = std::make_unique<Journal>(journal_store(*store_));
  jobs_ = std::make_unique<Jobs>();
  hands_.reset(new Hands{.workspace = *workspace_, .files = files_, .journal = *journal_, .jobs = *jobs_, .sandbox = {}});
  auto& hands = *hands_;
  jobs_->on_end = [this, &hands](const JobInfo& job) {
    if (setup_.live) commands_.push(Query{"task ended", job.id + " has ended (" + job.how + "): " + job.command});
    hands.notes.push("[Background command " + job.id + " has ended (" + job.how + "): " + job.command +
                     ". BashOutput shows its output.]");
  };
  hands.spill_dir = spill_dir_.path();
  hands.allowed_env = setup_.allowed_env;
  hands.may_ask = setup_.may_ask;
  hands.policy.mode = setup_.mode;
  hands.policy.rules = setup_.rules;
  hands.policy.bypass_by_flag = setup_.bypass_by_flag;
  for (const auto& text : store_->grants()) {
    PermissionRule rule;
    std::string error;
    if (parse_rule(text, PermissionRule::Kind::allow, "remembered", rule, error)) hands.policy.rules.push_back(rule);
  }
  if (setup_.mode == PermissionMode::automatic) ready_sandbox(hands, *workspace_, setup_.sandbox_network);
  for (const auto* tool : all_tools()) {
    const auto named = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), tool->name) != names.end();
    };
    if ((tool->basic || named(setup_.more_tools)) && !named(setup_.without_tools)) hands.offered.push_back(tool);
  }
  for (const auto* tool : hands.offered)
    context_.tools.push_back({std::string(tool->name), std::string(tool->description), std::string(tool->schema)});
  context_.tool_tokens = tokens_of(context_.tools);
  hands.recall = [this](const RecallQuery& query) { return answer_recall(*store_, query); };
  hands.context = [this](const ContextQuery& query) {
    return answer_context(*agent_, query, [this](const std::string& json) {
      return setup_.configure ? setup_.configure(project_.project, json, context_.config)
                              : std::string("Not possible in this run.");
    });
  };
}

void Session::make_agent() {
  const auto tell = [this](Event event) { emit(std::move(event)); };
  compactor_ =
      std::make_unique<Compactor>(CompactorWorld{.store = *store_,
                                                 .models = setup_.models,
                                                 .files = files_,
                                                 .todos = hands_->todos,
                                                 .emit = tell,
                                                 .connect = [this](const ModelInfo& model) { return connect(model); },
                                                 .now = clock_now,
                                                 .attend = [this](const std::function<void()>& work) { inbox_.attend(work); },
                                                 .append = [this](Item item) { return append(*agent_, std::move(item)); },
                                                 .root = workspace_->root(),
                                                 .draft_ended =
                                                     [this] {
                                                       if (setup_.live) commands_.push(Query{"draft ended", {}});
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
}

}  // namespace tern
