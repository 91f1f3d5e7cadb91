// Signing in to a server: an address for the browser, and the way back: a redirect to a socket on this
// machine that listens only as long as this lasts, or the redirected address pasted by a person whose browser
// is elsewhere.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "agent/mcp/oauth_client.h"

namespace tern {

class SignIn {
 public:
  SignIn(McpServer server, std::filesystem::path tokens);
  ~SignIn();
  SignIn(const SignIn&) = delete;
  SignIn& operator=(const SignIn&) = delete;

  // Waits until it is done: empty, or why there is no token. `show` gets the address for the browser, once.
  std::string run(const std::function<void(const std::string& url)>& show, std::stop_token stop);
  // Any thread: the address that the browser was sent to. False: that is none.
  bool give(const std::string& redirected);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tern
