// The worker: owns the conversation, the store and the provider, takes Commands one by one and speaks only in
// Events. Everything but interrupt() belongs to the thread that runs it. What it is made of: session_parts.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/turn/agent.h"
#include "app/session/session_setup.h"

namespace tern {

struct SessionParts;

class Session {
 public:
  using Emit = std::function<void(Event)>;
  Session(SessionSetup setup, Mailbox<Command>& commands, Emit emit);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Opens or resumes, and shows what was on screen. False: it cannot; why() says it, exit_code() how the
  // program should end.
  bool open();
  const std::string& why() const;
  int exit_code() const;
  void run();                                // until Quit
  TurnEnded once(Submit input);              // headless
  void interrupt();                          // any thread: the turn that runs stops at once
  bool settle(std::string* told = nullptr);  // the last try at what the disk refused; false: some is lost

  std::string id() const;
  std::string cwd() const;
  const Context& context() const;
  const Agent& agent() const;
  const Models& models() const;
  Store& store();
  std::vector<std::string> tool_names() const;
  PermissionMode mode() const;
  std::string last_request();  // the exact body of the latest request
  std::string account();       // what is printed on exit: of every session this run has worked in

 private:
  std::unique_ptr<SessionParts> parts_;
};

}  // namespace tern
