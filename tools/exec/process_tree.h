// The processes below this one, read from /proc. The supervisor is a subreaper, so everything its command
// ever started and that still lives is found below it, whatever session or group it put itself in.
#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

namespace tern {

struct ProcessEntry {
  pid_t pid = 0, parent = 0, group = 0, session = 0;
  unsigned long long born = 0;  // in ticks
  char state = '?';
};

std::vector<ProcessEntry> descendants_of(pid_t root);  // zombies left out
std::vector<ProcessEntry> children_of(pid_t parent);   // zombies too
int count_descendants();                               // of this process

// Signals each of them by pidfd, after looking again that it still is what was seen; and the group of
// `leader` at once, which no fork in flight escapes.
void signal_descendants(int signal, pid_t leader);

// One of them sleeps in a read of a terminal, as far as the kernel tells, and none of them works.
bool reads_terminal(pid_t root);

// Tasks in the whole system, one short read; to see cheaply whether a look at the tree is due.
long tasks_in_system();

// Kills every process whose environment holds this NAME=value. For the case that a supervisor was lost; slow,
// sure.
int kill_by_cookie(std::string_view cookie);

}  // namespace tern
