// Signing in to servers from the chat, and what servers ask the person.
#include <nlohmann/json.hpp>

#include "agent/mcp/elicitation.h"
#include "agent/mcp/oauth_store.h"
#include "app/session/session_mcp.h"

namespace tern {

SessionMcp::~SessionMcp() {
  desk_.close();
  logins_.clear();
}

void SessionMcp::wake() const {
  if (on_change_) on_change_();
}

void SessionMcp::tell_later(Notice told) {
  {
    const std::lock_guard lock(later_mutex_);
    later_.push_back(std::move(told));
  }
  wake();
}

void SessionMcp::serve_questions(const QuestionDesk::Ask& ask) {
  if (open_questions_ == 0) desk_.serve(ask);
}

void SessionMcp::saw(const Event& event) {
  if (std::holds_alternative<PermissionAsked>(event) || std::holds_alternative<QuestionAsked>(event))
    ++open_questions_;
  if (!std::holds_alternative<PermissionSettled>(event)) return;
  open_questions_ = std::max(0, open_questions_ - 1);
  if (open_questions_ == 0 && desk_.waiting()) wake();
}

std::string SessionMcp::sign_in(const McpState& state, const std::string& pasted) {
  const std::string& name = state.server.name;
  if (state.server.transport != McpTransport::http) return "Only servers with a URL take a sign-in.\n\n";
  if (setup_.read_only || !on_change_) return "Use `tern mcp login " + name + "` in a terminal.\n\n";
  if (const auto found = logins_.find(name); !pasted.empty()) {
    const bool taken = found != logins_.end() && found->second.way->give(pasted);
    return taken ? "" : "That isn't the address this sign-in ends at: its \"state\" is missing.\n\n";
  }
  logins_.erase(name);
  Login& login = logins_[name];
  login.way = std::make_unique<SignIn>(state.server, default_tokens_file());
  login.thread = std::jthread([this, name, way = login.way.get()](std::stop_token stop) {
    const auto show = [&](const std::string& url) {
      tell_later({Level::info, "Open this address to sign in to " + name + ":\n" + url +
                                   "\nIf the browser is on another machine, its last page cannot be shown "
                                   "there. Copy that page's "
                                   "address and give it: /mcp login " +
                                   name + " ADDRESS"});
    };
    const std::string why = way->run(show, stop);
    if (stop.stop_requested()) return;
    if (why.empty()) hub_->find(name)->restart();
    tell_later(why.empty() ? Notice{Level::info, "Signed in to " + name + "."}
                           : Notice{Level::warning, "Not signed in to " + name + ": " + why + "."});
  });
  return "Signing in to " + name + " …\n\n";
}

std::string SessionMcp::sign_out(const McpState& state) {
  logins_.erase(state.server.name);
  const std::string wrong = OAuthStore(default_tokens_file())
                                .change(state.server.url, [](OAuthTokens& tokens) { tokens = {}; }, {});
  hub_->find(state.server.name)->restart();
  return wrong.empty() ? "The tokens of " + state.server.name + " are deleted.\n\n" : wrong + ".\n\n";
}

}  // namespace tern
