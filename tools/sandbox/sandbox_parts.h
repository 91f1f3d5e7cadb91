// The three walls of the sandbox, each for the calling process. Errors are text; empty means the wall stands.
#pragma once

#include <string>

#include "tools/sandbox/kept_namespaces.h"
#include "tools/sandbox/sandbox_rules.h"

namespace tern::walls {

// Own user, mount and (without a network grant) network namespace; everything read-only but what the sandbox
// says. Those of `kept` that serve are entered and not made.
std::string enter_namespaces(const Sandbox& sandbox, const KeptNamespaces& kept);
// In a process namespace that has just been made: goes on as a process in it, with a /proc that shows no
// other.
std::string enter_own_processes();
// Gives up every capability for good.
std::string drop_capabilities();

int landlock_abi();  // 0: the kernel has none
// Writes only where the sandbox says; no signals, traces or abstract sockets to processes outside, as far as
// the ABI goes.
std::string restrict_with_landlock(const Sandbox& sandbox);

bool seccomp_available();
// No sockets but what the grant or the own network gives, and none of the calls that take a sandbox apart.
std::string filter_system_calls(const Sandbox& sandbox, bool internet);

std::string errno_text(const std::string& what);

}  // namespace tern::walls
