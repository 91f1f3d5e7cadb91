#include "app/session.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "agent/compaction_text.h"
#include "agent/context_tools.h"
#include "agent/export_summaries.h"
#include "agent/record.h"
#include "agent/resume_rule.h"
#include "agent/turn.h"
#include "app/session_commands.h"
#include "app/trace.h"
#include "compression/check.h"

namespace tern {
namespace {

// "long" alone says nothing; that it is the demo does.
std::string shown_model(const std::string& provider, const std::string& model) {
  return provider == "demo" && model != provider ? provider + "/" + model : model;
}

constexpr std::size_t first_entries = 800;  // of a long log on the first screen: about 200 turns

}  // namespace

Session::Session(SessionSetup setup, Mailbox<Command>& commands, Emit emit)
    : setup_(std::move(setup)),
      emit_(std::move(emit)),
      commands_(commands),
      inbox_(commands, [this](Event event) { this->emit(std::move(event)); }),
      branch_mark_(setup_.cwd, setup_.git_patience) {
  inbox_.set_attending(setup_.live);
  inbox_.set_live([this](Command& command) { return live(command); });
}

Session::~Session() {
  config_watch_.reset();
  if (jobs_) jobs_->close();  // its thread tells the hands of every end
  if (jobs_ && journal_) journal_->settle(*workspace_, *jobs_);
  if (compactor_) compactor_->stop_drafting();
}

void Session::emit(Event event) {
  if (!setup_.trace.empty()) trace_event(setup_.trace, event);
  if (const auto* compaction = std::get_if<Compaction>(&event)) export_due_ = export_due_ || compaction->batch != 0;
  emit_(std::move(event));
}

// The summaries as files for people follow the store after each turn and command.
void Session::export_files() {
  if (!std::exchange(export_due_, false) || project_.folder.empty()) return;
  if (const auto problem = export_summaries(*store_, project_.folder, context_.config.summary_max_chars); !problem.empty())
    emit(Notice{Level::warning, problem});
}

bool Session::settle(std::string* told) {
  if (!store_ || (store_->unsaved().empty() && !store_->astray())) return true;
  const auto state = user_state_dir();
  const auto end = store_->settle(state.empty() ? state : state / "rescued");
  if (!end.text.empty()) emit(Notice{Level::error, end.text});
  if (told && !end.text.empty()) *told = end.text + "\n";
  return !end.lost;
}

std::string Session::id() const { return opened_.id; }

std::vector<std::string> Session::tool_names() const {
  std::vector<std::string> names;
  for (const auto& tool : context_.tools) names.push_back(tool.name);
  return names;
}

void Session::interrupt() {
  std::lock_guard lock(stop_mutex_);
  stop_.request_stop();
}

std::stop_token Session::begin_work() {
  std::lock_guard lock(stop_mutex_);
  stop_ = std::stop_source();
  return stop_.get_token();
}

void Session::adopt(OpenedSession opened) {
  opened_ = std::move(opened);
  context_.conversation = repair(opened_.conversation);
  opened_.conversation = {};
  context_.gauges = Gauges();
  if (opened_.resumed) context_.gauges.load(store_->state("gauges"), context_.model);
  agent_->turn = opened_.turns;
  agent_->spent_before = context_.gauges.dollars();
  hands_->todos = store_->todos();
  files_.clear();
  agent_->shown_todos = todo_lines(hands_->todos);
  if (opened_.resumed) compactor_->resumed(context_);
  open_view(opened_.resumed);
  emit(todo_event(hands_->todos));
  for (const auto& notice : opened_.notices) emit(Notice{Level::info, notice});
  show_meters();
}

void Session::open_view(bool resumed) {
  const bool replay = resumed && setup_.may_ask;
  shown_from_ = replay ? store_->screen_begin(SIZE_MAX, first_entries) : 0;
  emit(SessionOpened{opened_.id, opened_.name, resumed, shown_from_ > 0});
  if (!replay) return;
  for (auto& event : store_->screen({.begin = shown_from_})) emit(std::move(event));
}

// What commands changed since the last request; the system prompt stays as it is, so that the provider's cache holds.
void Session::refresh(std::stop_token stop) {
  if (next_model_) {
    const auto name = *std::exchange(next_model_, std::nullopt);
    SessionCommands{*this}.switch_model(name, stop);
  }
  reload_config();
}

// The project's settings follow their file: read when it came, changed or went since the last look.
void Session::reload_config() {
  if (!trusted_ || !setup_.project_config || !project_.usable_config()) return;
  std::error_code error;
  auto seen = std::filesystem::last_write_time(project_.project / "config.json", error);
  if (error) seen = {};
  if (seen == config_seen_) return;
  config_seen_ = seen;
  for (const auto& line : setup_.project_config(project_.project, context_.config)) emit(Notice{Level::warning, line});
}

// A person who edits the file sees at once what it changes, and what is wrong in it; what is under way goes on with it.
void Session::watch_config() {
  if (!setup_.live || !trusted_ || !setup_.project_config || !project_.usable_config()) return;
  config_watch_ = std::make_unique<ConfigWatch>(project_.project, [this] { commands_.push(Query{"settings changed", {}}); });
}

void Session::show_meters() {
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
  emit(std::move(meters));
}

// What commands and other programs did to the repository; off the way of every key and request.
void Session::look_at_branch() {
  if (!setup_.may_ask || !agent_) return;
  if (auto branch = branch_mark_.look(trusted_); branch != branch_) {
    branch_ = std::move(branch);
    show_meters();
  }
}

TurnEnded Session::once(Submit input) {
  const auto stop = begin_work();
  working_ = true;
  TurnEnded end;
  try {
    compactor_->new_turn(agent_->turn + 1);
    end = run_turn(*agent_, std::move(input), stop);
  } catch (const std::exception& error) {  // the one catch
    end = {TurnEnded::How::failed, std::string("A fault inside tern ended this turn: ") + error.what(), 1, 0};
    context_.conversation = repair(context_.conversation);
    emit(Notice{Level::error, end.error});
    emit(end);
  }
  working_ = false;
  compactor_->keep_draft(context_);
  export_files();
  return end;
}

void Session::run() {
  while (!leaving_) {
    if (inbox_.idle()) look_at_branch();
    if (inbox_.idle()) store_->idle();
    if (compactor_) compactor_->keep_draft(context_);
    auto command = inbox_.next();
    if (!command) break;
    try {
      dispatch(std::move(*command));
    } catch (const std::exception& error) {
      working_ = false;
      emit(Notice{Level::error, std::string("That failed inside tern: ") + error.what()});
    }
  }
  if (jobs_) jobs_->stop_all();
  if (compactor_) compactor_->keep_draft(context_);
  std::string told;
  settle(&told);
  emit(Goodbye{told + account()});
}

void Session::dispatch(Command command) {
  if (auto* prompt = std::get_if<Submit>(&command)) {
    once(std::move(*prompt));
  } else if (std::holds_alternative<Quit>(command)) {
    leaving_ = true;
  } else if (!live(command)) {
    reload_config();
    working_ = true;
    SessionCommands{*this}.run(command, begin_work());
    working_ = false;
    export_files();
  }
}

// What may be answered while a turn runs: it only reads, or takes effect at the next request.
bool Session::live(Command& command) {
  if (!agent_) return false;  // still opening
  if (std::holds_alternative<Quit>(command)) interrupt();
  if (std::holds_alternative<Quit>(command) && !working_) return false;
  if (auto* pin = std::get_if<PinThis>(&command); pin && working_ && !pin->what.empty()) pin_later(*pin);
  return SessionCommands{*this}.live(command);
}

// A pin waits for the end of the turn, but means what is the last message now.
void Session::pin_later(PinThis& pin) {
  if (const auto last = pin.what == "last" ? last_said(context_.conversation) : nullptr) pin.item = last->id;
  emit(Notice{Level::info, (pin.on ? "Pinned when this turn has ended: " : "Unpinned when this turn has ended: ") + pin.what});
}

std::string Session::last_request() {
  if (!provider_) return {};
  Context asked = context_;
  asked.conversation = store_->asked();
  return provider_->body(build_request(asked, setup_.limits));
}

void Session::add_account() {
  if (opened_.id.empty()) return;
  std::erase_if(accounts_, [this](const Account& one) { return one.session == opened_.id; });
  accounts_.push_back({opened_.id, agent_->turn, store_->usage_total(), store_->compactions().size()});
}

std::string Session::account() {
  add_account();
  Account all;
  std::string ways;
  for (const Account& one : accounts_) {
    all.turns += one.turns;
    all.compactions += one.compactions;
    all.used.input += one.used.input + one.used.cache_read + one.used.cache_write;
    all.used.output += one.used.output;
    all.used.dollars += one.used.dollars;
    if (!setup_.keep || one.turns == 0) continue;
    ways = (ways.empty() ? "\nresume with: tern --resume " + one.session
                         : "\nresume with: tern --resume " + one.session + "\nbefore it:   " + ways.substr(ways.find(" tern ")));
  }
  auto text = std::to_string(all.turns) + (all.turns == 1 ? " turn · " : " turns · ") + thousands(all.used.input) +
              " tokens in, " + thousands(all.used.output) + " out";
  if (all.used.dollars > 0) text += " · " + money(all.used.dollars);
  if (all.compactions) text += " · " + std::to_string(all.compactions) + (all.compactions == 1 ? " compaction" : " compactions");
  return text + ways;
}

}  // namespace tern
