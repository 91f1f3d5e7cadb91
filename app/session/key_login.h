// A pasted key: whose it is, whether it works, and where it is kept.
#pragma once

#include <stop_token>
#include <string>

#include "agent/models/providers.h"
#include "agent/protocol/command.h"
#include "app/session/session_setup.h"

namespace tern {

struct LoginResult {
  const ProviderKind* kind = nullptr;  // null: not kept, `text` says why
  ModelName model;                     // it was tried with
  std::string key;                     // without the blanks around it
  std::string text;                    // for people
  int exit_code = 0;                   // of `tern login`
};
LoginResult log_in(const SessionSetup& setup, const Login& login, std::stop_token stop);

// Takes the key of a provider out of the user's file. What was done, or why not.
std::string log_out(const SessionSetup& setup, const ProviderKind& kind);
// The variable that holds a key of this provider and goes before the file; empty = none does.
std::string key_variable(const ProviderKind& kind, const Environment& env);

}  // namespace tern
