#include "app/session/session_parts.h"

#include <malloc.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "agent/compactor/cold_cache.h"
#include "agent/compactor/resume_rule.h"
#include "agent/compactor/tuning.h"
#include "agent/helpers/helper_desk.h"
#include "agent/models/demo.h"
#include "agent/models/record.h"
#include "agent/protocol/local_time.h"
#include "agent/store/compaction_text.h"
#include "agent/store/export_summaries.h"
#include "agent/turn/context_tools.h"
#include "agent/turn/turn.h"
#include "app/session/kept_pauses.h"
#include "app/session/session_commands.h"
#include "app/session/session_hooks.h"
#include "app/session/session_mcp.h"
#include "app/session/session_plan.h"
#include "app/session/status_script.h"
#include "app/session/trace.h"
#include "compression/values/check.h"

namespace tern {
namespace {

// "long" alone says nothing; that it is the demo does.
std::string shown_model(const std::string& provider, const std::string& model) {
  return provider == "demo" && model != provider ? provider + "/" + model : model;
}

constexpr std::size_t first_entries = 800;  // of a long log on the first screen: about 200 turns

}  // namespace

SessionParts::SessionParts(SessionSetup setup, Mailbox<Command>& commands, Emit emit)
    : setup_(std::move(setup)),
      emit_(std::move(emit)),
      commands_(commands),
      inbox_(commands, [this](Event event) { this->emit(std::move(event)); }),
      branch_mark_(setup_.cwd, setup_.git_patience) {
  inbox_.set_attending(setup_.live);
  inbox_.set_live([this](Command& command) {
    const bool done = live(command);
    if (done && setup_.on_live_done) setup_.on_live_done(command);
    return done;
  });
  inbox_.set_news([this](const Wake& news) { hear(news); });
}

SessionParts::~SessionParts() {
  config_watch_.reset();
  if (hooks_ && agent_) hooks_->ended("other");
  hooks_.reset();
  status_script_.reset();
  mcp_.reset();
  if (jobs_) jobs_->close();  // its thread tells the hands of every end
  if (jobs_ && journal_) {
    journal_->hand_over();  // run() may have been on a thread of its own
    journal_->settle(*workspace_, *jobs_);
  }
  if (compactor_) compactor_->stop_drafting();
}

void SessionParts::emit(Event event) {
  if (!setup_.trace.empty()) trace_event(setup_.trace, event);
  if (hooks_) hooks_->saw(event);
  if (mcp_) mcp_->saw(event);
  if (const auto* compaction = std::get_if<Compaction>(&event))
    export_due_ = export_due_ || compaction->batch != 0;
  emit_(std::move(event));
}

// The summaries as files for people follow the store after each turn and command.
void SessionParts::export_files() {
  if (!std::exchange(export_due_, false) || project_.folder.empty()) return;
  if (const auto problem =
          export_summaries(store_->summaries(), project_.folder, context_.config.summary_max_chars);
      !problem.empty())
    emit(Notice{Level::warning, problem});
}

bool SessionParts::settle(std::string* told) {
  if (!store_ || (store_->unsaved().empty() && !store_->astray())) return true;
  const auto state = user_state_dir();
  const auto end = store_->settle(state.empty() ? state : state / "rescued");
  if (!end.text.empty()) emit(Notice{Level::error, end.text});
  if (told && !end.text.empty()) *told = end.text + "\n";
  return !end.lost;
}

std::vector<std::string> SessionParts::tool_names() const {
  std::vector<std::string> names;
  for (const auto& tool : context_.tools) names.push_back(tool.name);
  return names;
}

void SessionParts::interrupt() { stop_.end(); }

void SessionParts::adopt(OpenedSession opened) {
  opened_ = std::move(opened);
  context_.conversation = repair(opened_.conversation);
  opened_.conversation = {};
  context_.gauges = Gauges();
  if (opened_.resumed) context_.gauges.load(store_->state("gauges"), context_.model);
  load_pauses(setup_.cache_pauses, context_.gauges);
  agent_->turn = opened_.turns;
  agent_->spending.open(context_.gauges.dollars());
  hands_->todos = store_->todos();
  files_.clear();
  brought_.folders.clear();
  agent_->shown_todos = todo_lines(hands_->todos);
  if (opened_.resumed) compactor_->resumed(context_);
  open_view(opened_.resumed);
  emit(todo_event(hands_->todos));
  for (const auto& notice : opened_.notices) emit(Notice{Level::info, notice});
  show_meters();
}

// What the first screen says of the conversations before this one.
void SessionParts::tell_earlier(SessionOpened& event) const {
  constexpr std::size_t looked_at = 21;  // "20+" is enough to know
  for (const auto& row : store_->sessions({}, looked_at)) {
    if (row.id == opened_.id || row.turns == 0) continue;
    if (event.earlier++ > 0) continue;
    event.last = row.name.empty() ? row.first_prompt : row.name;
    event.last_when = time_ago(row.updated);
  }
}

void SessionParts::open_view(bool resumed) {
  const bool replay = resumed && setup_.may_ask;
  shown_from_ = replay ? store_->screen_begin(SIZE_MAX, first_entries) : 0;
  SessionOpened opened{.id = opened_.id, .name = opened_.name, .resumed = resumed, .more = shown_from_ > 0};
  if (!resumed && setup_.may_ask) tell_earlier(opened);
  emit(std::move(opened));
  if (!replay) return;
  for (auto& event : store_->screen({.begin = shown_from_})) emit(std::move(event));
}

// What commands changed since the last request; the system prompt stays as it is, so that the provider's
// cache holds.
void SessionParts::refresh(std::stop_token stop) {
  owner_.check();
  if (next_model_) {
    const auto name = *std::exchange(next_model_, std::nullopt);
    SessionCommands{*this}.switch_model(name, stop);
  }
  SessionPlan{*this}.pin();
  reload_config();
  SessionCommands{*this}.put_in_skills();
  SessionCommands{*this}.put_in_folder_memory();
}

// The project's settings follow their file: read when it came, changed or went since the last look.
void SessionParts::reload_config() {
  if (!trusted_ || !setup_.project_config || !project_.usable_config()) return;
  std::error_code error;
  auto seen = std::filesystem::last_write_time(project_.project / "config.json", error);
  if (error) seen = {};
  if (seen == config_seen_) return;
  config_seen_ = seen;
  const auto before = context_.config;
  const auto wrong = setup_.project_config(project_.project, context_.config);
  if (wrong != config_told_) {  // tern's own writing in the file is no news
    for (const auto& line : wrong) emit(Notice{Level::warning, line});
  }
  config_told_ = wrong;
  if (context_.config != before) show_settings();
}

// The project's file shows every setting with its value. Not after each look at it: two terns with different
// flags would go on rewriting it for each other.
void SessionParts::show_settings() {
  if (!trusted_ || !setup_.show_in_project_config || !keeps_settings())
    return;  // nothing of it is read before it is trusted
  if (const auto problem = setup_.show_in_project_config(project_.project, trusted_); !problem.empty())
    emit(Notice{Level::warning, problem});
}

bool SessionParts::keeps_settings() const {
  return setup_.keep && !setup_.read_only && project_.usable_config();
}

// Changed settings hold at once and, where the project has a folder of ours, for the sessions to come.
std::string SessionParts::configure(const std::string& json) {
  if (!setup_.configure) return "This session keeps no configuration.";
  auto told =
      setup_.configure(keeps_settings() ? project_.project : std::filesystem::path(), json, context_.config);
  show_settings();
  return told;
}

// A person who edits the file sees at once what it changes, and what is wrong in it; what is under way goes
// on with it.
void SessionParts::watch_config() {
  if (!setup_.live || !trusted_ || !setup_.project_config || !project_.usable_config()) return;
  config_watch_ = std::make_unique<ConfigWatch>(project_.project, [this] { inbox_.wake(SettingsChanged{}); });
}

void SessionParts::show_meters() {
  if (!setup_.may_ask) return;  // a headless run reads them once, at its end
  auto meters = read_meters(context_);
  meters.model = shown_model(meters.provider, meters.model);
  meters.branch = branch_;
  meters.cwd = where_.cwd;
  meters.session = opened_.name.empty() ? opened_.id : opened_.name;
  meters.mode = hands_->policy.mode;
  meters.draft_pending = compactor_->draft_pending();
  meters.draft_ready = compactor_->draft_ready();
  meters.background_jobs = jobs_->running();
  if (!working_ && agent_) tell_cold(meters, context_, agent_->now());
  tell_status(meters);
  emit(std::move(meters));
}

// What commands and other programs did to the repository; off the way of every key and request.
void SessionParts::look_at_branch() {
  if (!setup_.may_ask || !agent_) return;
  if (auto branch = branch_mark_.look(trusted_); branch != branch_) {
    branch_ = std::move(branch);
    show_meters();
  }
}

// autoTune: what the last turns suggest, as far as it may go unasked.
void SessionParts::tune() {
  if (!context_.config.auto_tune || setup_.read_only) return;
  const auto model = model_name_.provider + "/" + model_name_.model;
  const auto found = within_bounds(tuning(*store_, context_.config, model));
  if (found.empty()) return;
  const auto told = configure(changes_of(found));
  note_tuning(*store_, found);
  emit(Notice{Level::info, "autoTune changed settings of this project:\n" + told + reasons_of(found)});
}

TurnEnded SessionParts::once(Submit input) {
  const auto stop = stop_.begin();
  working_ = true;
  TurnEnded end;
  const bool story = setup_.demo && input.text == demo_story().prompt;
  try {
    if (auto wrong = SessionCommands{*this}.begin_prompt(input, stop); !wrong.empty()) {
      end = {TurnEnded::How::failed, std::move(wrong), 1, 0};
      emit(end);
    } else {
      SessionPlan{*this}.tell_mode();
      mcp_->join(*hands_, context_);
      compactor_->new_turn(agent_->turn + 1);
      end = run_turn(*agent_, std::move(input), stop);
      keep_pauses(setup_.cache_pauses, context_.gauges);
    }
  } catch (const std::exception& error) {  // the one catch
    end = {TurnEnded::How::failed, std::string("An internal error ended this turn: ") + error.what(), 1, 0};
    context_.conversation = repair(context_.conversation);
    emit(Notice{Level::error, end.error});
    emit(end);
  }
  SessionCommands{*this}.end_prompt();
  mcp_->tell_news();
  working_ = false;
  if (end.how == TurnEnded::How::done) SessionPlan{*this}.turn_done();
  if (story && end.how == TurnEnded::How::done) {  // what the demo's script cannot do: an undo is the user's
    emit(Notice{Level::info, "Now the last compaction is undone, as with /undo-compact:"});
    compactor_->undo(context_, UndoCompact{});
  }
  compactor_->keep_draft(context_);
  tune();
  show_meters();  // once more: between turns they tell when the cache will be cold
  export_files();
#ifdef __GLIBC__
  ::malloc_trim(0);  // what the turn's requests and results took: a session is open all day
#endif
  return end;
}

void SessionParts::run() {
  while (!leaving_) {
    std::optional<Command> command;
    try {
      if (inbox_.idle()) look_at_branch();
      if (inbox_.idle()) store_->idle();
      if (compactor_) compactor_->keep_draft(context_);
      command = inbox_.next();
      if (!command) break;
      dispatch(std::move(*command));
    } catch (const std::exception& error) {
      working_ = false;
      emit(Notice{Level::error, std::string("Internal error: ") + error.what()});
    }
    if (command && setup_.on_done) setup_.on_done(*command);  // moved from, but its kind is known
  }
  if (hooks_ && agent_) hooks_->ended("prompt_input_exit");
  std::string told = stop_jobs();
  if (compactor_) compactor_->keep_draft(context_);
  settle(&told);
  emit(Goodbye{told + account()});
}

// What still ran in the background ends with the session, and is named.
std::string SessionParts::stop_jobs() {
  if (!jobs_) return {};
  std::string told;
  for (const auto& job : jobs_->list())
    if (job.running) told += "stopped " + job.id + ": " + job.command + "\n";
  jobs_->stop_all(StoppedBy::user);
  return told;
}

void SessionParts::dispatch(Command command) {
  if (auto* prompt = std::get_if<Submit>(&command)) {
    once(std::move(*prompt));
  } else if (const auto* named = std::get_if<RunCommand>(&command)) {
    if (SessionCommands{*this}.knows(*named)) once(Submit{"/" + named->name + " " + named->arguments});
  } else if (std::holds_alternative<Quit>(command)) {
    leaving_ = true;
  } else if (!live(command)) {
    reload_config();
    working_ = true;
    SessionCommands{*this}.run(command, stop_.begin());
    working_ = false;
    if (agent_) show_meters();
    export_files();
  }
}

// What may be answered while a turn runs: it only reads, or takes effect at the next request.
bool SessionParts::live(Command& command) {
  owner_.check();
  if (!agent_) return false;  // still opening
  if (std::holds_alternative<Quit>(command)) interrupt();
  if (std::holds_alternative<Quit>(command) && !working_) return false;
  if (auto* pin = std::get_if<PinThis>(&command); pin && working_ && !pin->what.empty()) pin_later(*pin);
  return SessionCommands{*this}.live(command);
}

// What other threads of this program tell, in the middle of a turn too.
void SessionParts::hear(const Wake& news) {
  owner_.check();
  if (const auto* job = std::get_if<JobEnded>(&news)) {
    journal_->settle(*workspace_, *jobs_);
    const auto how = job->by_user ? std::string(" stopped by you: ") : " has ended (" + job->how + "): ";
    emit(Notice{Level::info, job->id + how + job->command});
  } else if (std::holds_alternative<DraftEnded>(news)) {
    if (!working_) compactor_->keep_draft(context_);
  } else if (std::holds_alternative<ServersChanged>(news)) {
    mcp_->tell_news();
    mcp_->serve_questions([this](const UserQuestion& question, std::stop_token by) {
      return SessionPlan{*this}.ask(question, by);
    });
    if (setup_.may_ask && brought_.loaded && mcp_->lists_changed()) SessionCommands{*this}.tell_brought();
  } else {
    config_seen_ = std::filesystem::file_time_type::min();  // two changes may bear one time
    reload_config();
  }
  show_meters();
}

// A pin waits for the end of the turn, but means what is the last message now.
void SessionParts::pin_later(PinThis& pin) {
  if (const auto last = pin.what == "last" ? last_said(context_.conversation) : nullptr) pin.item = last->id;
  emit(Notice{Level::info,
              (pin.on ? "Pinned once this turn ends: " : "Unpinned once this turn ends: ") + pin.what});
}

std::string SessionParts::last_request() {
  if (!provider_) return {};
  Context asked = context_;
  asked.conversation = store_->asked();
  const auto request = build_request(asked, setup_.limits);
  if (!working_) return provider_->body(request);
  const auto beside = connect(context_.model);  // the turn's own may be streaming
  return beside ? beside->body(request) : std::string();
}

void SessionParts::add_account() {
  if (opened_.id.empty()) return;
  const auto compactions = store_->compactions();
  const auto own =
      std::count_if(compactions.begin(), compactions.end(), [](const auto& one) { return !one.inherited; });
  account_.put({opened_.id, agent_->turn, store_->spent(), static_cast<std::size_t>(own)});
}

std::string SessionParts::account() {
  add_account();
  return account_.text(setup_.keep);
}

}  // namespace tern
