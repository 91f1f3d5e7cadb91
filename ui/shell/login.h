// The ways to a model: a key, a server on this machine, the demo. And the line a key is pasted into.
#pragma once

#include <string>

#include "agent/protocol/event.h"

namespace tern {

struct Shell;

void open_login(Shell& shell, const LoginAsked& asked);
// What is typed is never shown, kept or put into the history. `wanted`: a provider, or
// provider/model for the model to use with the key; empty, the key tells.
void open_key_entry(Shell& shell, const std::string& wanted);

}  // namespace tern
