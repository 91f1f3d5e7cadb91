#include "app/session/session.h"

#include <utility>

#include "app/session/session_parts.h"

namespace tern {

Session::Session(SessionSetup setup, Mailbox<Command>& commands, Emit emit)
    : parts_(std::make_unique<SessionParts>(std::move(setup), commands, std::move(emit))) {}

Session::~Session() = default;

bool Session::open() { return parts_->open(); }

const std::string& Session::why() const { return parts_->why_; }

int Session::exit_code() const { return parts_->exit_code_; }

void Session::run() { parts_->run(); }

TurnEnded Session::once(Submit input) { return parts_->once(std::move(input)); }

void Session::interrupt() { parts_->interrupt(); }

bool Session::settle(std::string* told) { return parts_->settle(told); }

std::string Session::id() const { return parts_->opened_.id; }

std::string Session::cwd() const { return parts_->setup_.cwd.string(); }

const Context& Session::context() const { return parts_->context_; }

const Agent& Session::agent() const { return *parts_->agent_; }

const Models& Session::models() const { return parts_->setup_.models; }

Store& Session::store() { return *parts_->store_; }

std::vector<std::string> Session::tool_names() const { return parts_->tool_names(); }

PermissionMode Session::mode() const { return parts_->mode(); }

std::string Session::last_request() { return parts_->last_request(); }

std::string Session::account() { return parts_->account(); }

}  // namespace tern
