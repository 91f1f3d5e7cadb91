// The worker's side of a session: it opens, runs, is opened again once the folder is trusted, and what it
// says goes to the client.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <utility>

#include "agent/gate/trust.h"
#include "agent/store/project_dir.h"
#include "agent/store/store.h"
#include "app/acp/acp_commands.h"
#include "app/acp/acp_json.h"
#include "app/acp/acp_questions.h"
#include "app/acp/acp_session.h"
#include "app/session/console.h"
#include "tools/workspace/workspace.h"

namespace tern {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds buffer_patience{2};  // then the file on disk counts

bool trusts(const SessionSetup& setup) {
  const auto covers = [&](const auto& folder) { return is_under(folder, setup.cwd); };
  return std::any_of(setup.trusted.begin(), setup.trusted.end(), covers) ||
         TrustList(default_trust_file()).trusted(setup.cwd);
}

// What the folder would like to set or run, a line each; a history that is our own is nobody's claim.
std::string claims_on(const SessionSetup& setup) {
  std::string text;
  const auto own = open_project_dir({.root = setup.cwd, .state_dir = setup.state_dir, .create = false}).state;
  for (const auto& claim : claims_of(setup.cwd))
    if (own != ProjectDir::State::ours || !claim.starts_with(".compression")) text += claim + "\n";
  return text;
}

std::string summary_of(const Store& store, std::uint64_t batch) {
  const auto newest = store.summaries(1);
  const bool found =
      !newest.empty() && newest.back().record.batch == batch && newest.back().session == store.session();
  return found ? newest.back().record.summary : std::string();
}

}  // namespace

void AcpSession::work() {
  opening_.before.reset();  // waits for its end
  if (!trusts(opening_.setup))
    claims_ = claims_on(opening_.setup);  // before the session makes files of its own
  for (bool first = true; run_session(first); first = false) {}
  ended_ = true;
  const std::lock_guard lock(mutex_);
  if (!close_request_.is_null()) client_.answer(std::exchange(close_request_, nullptr), json::object());
}

// True: once more, with what has changed.
bool AcpSession::run_session(bool first) {
  try {
    Session session(opening_.setup, commands_, [this](Event event) { hear(std::move(event)); });
    struct Connected {  // while it lives it can be interrupted
      AcpSession& front;
      Connected(AcpSession& owner, Session* to) : front(owner) { set(to); }
      ~Connected() { set(nullptr); }
      void set(Session* to) {
        const std::lock_guard lock(front.session_mutex_);
        front.session_ = to;
      }
    } const connected(*this, &session);
    if (!session.open()) {
      refuse(session.exit_code() == 3 ? acp_code::no_login : rpc_code::internal, session.why());
      return false;
    }
    if (first && !opened_well(session)) return false;
    first ? introduce(session) : reopened();
    session.run();
  } catch (const std::exception& error) {
    refuse(rpc_code::internal, std::string("An internal error ended this session: ") + error.what());
    return false;
  }
  const std::lock_guard lock(mutex_);
  return reopen_ && !closing_;
}

// The request that opened the session, or the prompt that runs, is told why there is none.
void AcpSession::refuse(int code, const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!announced_) return client_.fail(opening_.request, code, why);
  closing_ = true;
  if (running_) client_.fail(running_->request, code, why);
  running_.reset();
  for (const auto& prompt : std::exchange(waiting_, {})) client_.fail(prompt.request, code, why);
}

bool AcpSession::opened_well(Session& session) {
  const bool wrong = opening_.begin != Begin::fresh && session.id() != opening_.setup.open_what;
  if (wrong)
    refuse(acp_code::not_found, "there is no session " + opening_.setup.open_what + " in this folder");
  const bool demo = session.context().model.provider == "demo";
  const bool stranded = !wrong && demo && !opening_.setup.demo && !opening_.setup.model.starts_with("demo");
  if (stranded)
    refuse(acp_code::no_login, "There is no key for a model yet: run `tern login` in a terminal.");
  return !wrong && !stranded;
}

// The client learns of the session: of its history first where it asked for that, then everything that was
// said on the way.
void AcpSession::introduce(Session& session) {
  const std::lock_guard lock(mutex_);
  const auto& setup = opening_.setup;
  const auto& model = session.context().model;
  id_ = session.id();
  options_.mode = session.mode();
  options_.bypass = setup.bypass_by_flag;
  options_.model = model.provider + "/" + model.name;
  options_.thinking = setup.limits.thinking;
  options_.style = session.context().config.style;
  options_.models = usable_models(setup, options_.model);
  trust_due_ = !claims_.empty();
  opening_.on_open(id_, weak_from_this());
  auto later = std::exchange(unsent_, {});
  announced_ = true;
  if (opening_.begin == Begin::load)
    for (const auto& event : session.store().screen()) updates_->replay(event);
  json result;
  if (opening_.begin == Begin::fresh) result["sessionId"] = id_;
  result["modes"] = options_.modes();
  result["configOptions"] = options_.config();
  client_.answer(opening_.request, result);
  for (const auto& update : later) send(update);
  replaying_ = false;
  send(commands_update(brought_));
  if (opening_.begin != Begin::fresh) updates_->usage(meters_);
}

// What waited for it goes on.
void AcpSession::reopened() {
  const std::lock_guard lock(mutex_);
  reopen_ = replaying_ = false;
  next();
}

void AcpSession::hear(Event event) {
  bool stop = false;
  {
    const std::lock_guard lock(mutex_);
    look_at(event);
    stop = cancelled_ &&
           (std::holds_alternative<TurnStarted>(event) || std::holds_alternative<Compaction>(event));
  }
  if (stop) interrupt();
}

void AcpSession::look_at(const Event& event) {
  if (!updates_)
    updates_ = std::make_unique<AcpUpdates>(AcpUpdates::World{
        .cwd = opening_.setup.cwd,
        .abilities = client_.abilities(),
        .send = [this](const json& update) { send(update); },
        .now = std::chrono::steady_clock::now,
        .summary =
            [this](std::uint64_t batch) { return session_ ? summary_of(session_->store(), batch) : ""; }});
  if (const auto* meters = std::get_if<Meters>(&event)) return look_at_meters(*meters);
  if (const auto* ended = std::get_if<TurnEnded>(&event)) return void(end_ = *ended);
  if (const auto* list = std::get_if<CommandList>(&event)) {
    brought_ = list->commands;
    if (announced_) send(commands_update(brought_));
  } else if (const auto* opened = std::get_if<SessionOpened>(&event)) {
    replaying_ = opened->resumed;
    if (!opened->name.empty()) title_ = opened->name;
    if (!title_.empty()) tell_title();
  } else if (const auto* trust = std::get_if<TrustAsked>(&event)) {
    commands_.push(Answer{.id = trust->id});  // a history that came with a clone: not believed
  } else if (const auto* asked = std::get_if<PermissionAsked>(&event)) {
    json params;
    params["toolCall"] = updates_->calls().question(*asked);
    params["options"] = permission_options(*asked);
    answer_later(asked->id, std::move(params));
  } else if (const auto* question = std::get_if<QuestionAsked>(&event)) {
    json params;
    params["toolCall"] = question_call(*question);
    params["options"] = question_options(*question);
    answer_later(question->id, std::move(params));
  } else if (answering_ && AcpUpdates::is_answer(event)) {
    updates_->answer(event);
  } else if (const auto* notice = std::get_if<Notice>(&event);
             notice && !announced_ && !client_.abilities().notices) {
    print(stderr, "tern: " + notice->text + "\n");  // before there is a conversation, it is no part of one
  } else if (!replaying_ || std::holds_alternative<Todos>(event)) {
    updates_->tell(event);
    const auto* compaction = std::get_if<Compaction>(&event);
    usage_due_ |= compaction && compaction->phase == CompactionPhase::completed;
  }
}

void AcpSession::answer_later(std::uint64_t question, json params) {
  params["sessionId"] = id_;
  questions_.push_back(client_.ask("session/request_permission", params,
                                   [self = weak_from_this(), question](const json* answer) {
                                     const auto session = self.lock();
                                     if (!session) return;
                                     if (says_cancelled(answer)) session->cancel();
                                     session->commands_.push(permission_answer(question, answer));
                                   }));
}

// What the session changed by itself: a plan that was agreed on ends plan mode, a model may be refused.
void AcpSession::look_at_meters(const Meters& meters) {
  const bool first = meters_.model.empty();
  meters_ = meters;
  if (first || !announced_) return;
  if (std::exchange(usage_due_, false)) updates_->usage(meters_);
  if (meters.mode != options_.mode) {
    options_.mode = meters.mode;
    auto update = acp_update("current_mode_update");
    update["currentModeId"] = options_.modes()["currentModeId"];
    send(update);
    auto config = acp_update("config_option_update");
    config["configOptions"] = options_.config();
    send(config);
  }
}

std::optional<std::string> AcpSession::open_buffer(const std::filesystem::path& file,
                                                   const std::stop_token& stop) {
  if (!client_.abilities().reads_files) return std::nullopt;
  struct Buffer {
    std::mutex mutex;
    std::condition_variable_any changed;
    bool here = false;
    std::optional<std::string> text;
  };
  const auto answer = std::make_shared<Buffer>();  // a late one finds it still
  json params;
  params["path"] = file.string();
  {
    const std::lock_guard lock(mutex_);
    params["sessionId"] = id_;
  }
  const auto question = client_.ask("fs/read_text_file", params, [answer](const json* result) {
    const std::lock_guard lock(answer->mutex);
    answer->here = true;
    if (result && result->is_object() && result->contains("content") && (*result)["content"].is_string())
      answer->text = (*result)["content"].get<std::string>();
    answer->changed.notify_all();
  });
  std::unique_lock lock(answer->mutex);
  if (!answer->changed.wait_for(lock, stop, buffer_patience, [&] { return answer->here; }))
    client_.withdraw(question);
  return answer->text;
}

// Only what the folder brings waits for this: without a yes the session goes on as if it brought nothing.
void AcpSession::ask_for_trust() {
  trust_asked_ = true;
  json params;
  params["sessionId"] = id_;
  params["toolCall"] = trust_call(opening_.setup.cwd.string(), claims_);
  params["options"] = trust_options();
  client_.ask("session/request_permission", params, [self = weak_from_this()](const json* answer) {
    if (const auto session = self.lock()) session->trust_answered(answer);
  });
}

// The session is opened again, for what it read at its start.
void AcpSession::trust_answered(const json* answer) {
  if (says_cancelled(answer)) cancel();
  const std::lock_guard lock(mutex_);
  trust_asked_ = false;
  if (!says_yes(answer)) return next();
  auto& setup = opening_.setup;
  if (const auto problem = TrustList(default_trust_file()).trust(setup.cwd); !problem.empty())
    print(stderr, "tern: " + problem + "\n");
  setup.trusted.push_back(setup.cwd);
  setup.open = SessionSetup::Open::resume;
  setup.open_what = id_;
  setup.mode = options_.mode;
  reopen_ = true;
  commands_.push(Quit{});
}

}  // namespace tern
