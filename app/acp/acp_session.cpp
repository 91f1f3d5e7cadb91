#include "app/acp/acp_session.h"

#include <algorithm>
#include <utility>

#include "app/acp/acp_commands.h"
#include "app/acp/acp_json.h"
#include "app/acp/acp_questions.h"
#include "compression/text/lines.h"

namespace tern {
namespace {

using nlohmann::json;
using How = TurnEnded::How;

constexpr int wants_login = 3;  // exit code of a session that has no usable key
constexpr std::size_t most_title = 80;

const char* stop_reason(const std::optional<TurnEnded>& end, bool cancelled) {
  if (cancelled) return "cancelled";
  return end && end->how == How::limit ? "max_turn_requests" : "end_turn";
}

}  // namespace

AcpSession::AcpSession(AcpClient& client, Opening opening) : client_(client), opening_(std::move(opening)) {
  opening_.setup.on_done = opening_.setup.on_live_done = [this](const Command& command) { done(command); };
  opening_.setup.open_buffer = [this](const auto& file, const auto& stop) { return open_buffer(file, stop); };
}

AcpSession::~AcpSession() {
  close();
  if (thread_.joinable()) thread_.join();
}

void AcpSession::start() {
  thread_ = std::thread([this] { work(); });
}

void AcpSession::prompt(json request, AcpPrompt prompt) {
  if (!prompt.error.empty()) return client_.fail(request, rpc_code::bad_params, prompt.error);
  const std::lock_guard lock(mutex_);
  if (closing_) return client_.fail(request, rpc_code::invalid_request, "the session is being closed");
  if (waiting_.size() >= most_waiting)
    return client_.fail(request, rpc_code::invalid_request, "too many prompts wait already");
  const auto& text = prompt.submit.text;
  auto title = clipped(text.substr(0, text.find('\n')), most_title);
  auto command = prompt.submit.attachments.empty() ? slash_command(text) : std::nullopt;
  if (command) title.clear();
  waiting_.push_back({std::move(request), command ? std::move(*command) : Command(std::move(prompt.submit)),
                      std::move(title)});
  next();
}

// One prompt at a time reaches the session, so that each has an end of its own.
void AcpSession::next() {
  if (running_ || waiting_.empty() || reopen_ || closing_) return;
  if (std::exchange(trust_due_, false)) return ask_for_trust();
  if (trust_asked_) return;
  auto prompt = std::move(waiting_.front());
  waiting_.pop_front();
  begin(std::move(prompt));
}

void AcpSession::begin(Waiting prompt) {
  cancelled_ = false;
  end_.reset();
  answering_ = !std::holds_alternative<Submit>(prompt.command);
  if (title_.empty() && !prompt.title.empty()) {
    title_ = prompt.title;
    tell_title();
  }
  auto command = std::move(prompt.command);
  if (is_asked(command)) asked_.push_back(Asker::prompt);
  prompt.command = is_asked(command) ? Command(Query{}) : Command(Interrupt{});
  running_ = std::move(prompt);
  commands_.push(std::move(command));
}

void AcpSession::tell_title() {
  auto update = acp_update("session_info_update");
  update["title"] = title_;
  send(update);
}

void AcpSession::done(const Command& command) {
  const std::lock_guard lock(mutex_);
  auto asker = Asker::prompt;
  if (is_asked(command) && !asked_.empty()) {
    asker = asked_.front();
    asked_.pop_front();
  }
  const bool setting = std::holds_alternative<SetMode>(command) || std::holds_alternative<SetModel>(command);
  if (running_ && !setting && asker == Asker::prompt && is_asked(command) == is_asked(running_->command))
    finish_prompt();
}

void AcpSession::finish_prompt() {
  updates_->calls().forget();
  for (const auto question : std::exchange(questions_, {})) client_.withdraw(question);
  updates_->usage(meters_);
  usage_due_ = false;
  answering_ = false;
  const auto request = std::move(running_->request);
  running_.reset();
  if (end_ && end_->how == How::failed && !cancelled_) {
    client_.fail(request, end_->exit_code == wants_login ? acp_code::no_login : rpc_code::internal,
                 end_->error);
  } else {
    json result;
    result["stopReason"] = stop_reason(end_, cancelled_);
    client_.answer(request, result);
  }
  next();
}

void AcpSession::cancel() {
  {
    const std::lock_guard lock(mutex_);
    json result;
    result["stopReason"] = "cancelled";
    for (const auto& prompt : std::exchange(waiting_, {})) client_.answer(prompt.request, result);
    if (!running_) return;
    cancelled_ = true;  // where the session has not begun with it yet, look_at() sees this
  }
  interrupt();
}

bool AcpSession::cancel_prompt(const json& request) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [&](const Waiting& one) { return one.request == request; });
    if (found != waiting_.end()) {
      json result;
      result["stopReason"] = "cancelled";
      client_.answer(request, result);
      waiting_.erase(found);
      return true;
    }
    if (!running_ || running_->request != request) return false;
    cancelled_ = true;
  }
  interrupt();
  return true;
}

void AcpSession::interrupt() {
  const std::lock_guard lock(session_mutex_);
  if (session_) session_->interrupt();
}

bool AcpSession::set(std::string_view option, std::string_view value) {
  const std::lock_guard lock(mutex_);
  auto command = options_.set(option, value);
  if (!command) return false;
  if (is_asked(*command)) asked_.push_back(Asker::setting);
  commands_.push(std::move(*command));
  return true;
}

json AcpSession::config() const {
  const std::lock_guard lock(mutex_);
  return options_.config();
}

void AcpSession::close(json request) {
  cancel();
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    if (!request.is_null()) close_request_ = std::move(request);
  }
  commands_.close();
  interrupt();  // also what a session does before it takes commands
}

void AcpSession::send(const json& update) {
  if (announced_)
    client_.update(id_, update);
  else
    unsent_.push_back(update);
}

}  // namespace tern
