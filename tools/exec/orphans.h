// What is left of a command whose supervisor was killed. This process is a subreaper, so orphans become its
// children: in a session apart from its own, while what it starts otherwise shares its session; supervisors
// are known here by their numbers. Safe from any thread.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string_view>

namespace tern {

// Starts a supervisor (`start` gives its number, or less than 0), so that it is never taken for an orphan.
int start_own(const std::function<int()>& start);
void forget_own(pid_t pid);  // it is reaped

// The present in the unit in which the kernel dates processes.
unsigned long long now_in_ticks();

// Ends and reaps what has come here since then, with all below it. How many were ended.
int end_orphans(unsigned long long since);

}  // namespace tern
