// The ways to a model: a key, a server on this machine, the demo. And the line a key is pasted into.
#pragma once

#include <string>

#include "agent/protocol/event.h"

namespace tern {

struct Shell;

void open_login(Shell& shell, const LoginAsked& asked);
// What is typed is never shown, kept or put into the history. An empty provider is told by the key.
void open_key_entry(Shell& shell, const std::string& provider);

}  // namespace tern
