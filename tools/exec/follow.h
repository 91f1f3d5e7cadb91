// Stays with a started command until it ends, its time is up, the turn is stopped, or it waits for an answer
// nobody can give: its last line reads like a question and it sleeps in a read of a terminal. Without the
// latter it is only said and goes on. Who stops a turn does not wait for a command's manners: one that has
// not ended soon after it was told to is left to the caller.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "tools/exec/command_limits.h"
#include "tools/exec/output_ring.h"
#include "tools/exec/process.h"

namespace tern {

struct Following {
  enum class How { ended, time_up, stopped, leaving, asking } how = How::ended;
  ProcessEnd end;  // not with time_up and leaving: the command still runs
  bool seemed_asking =
      false;  // it fell silent after what reads like a question, but is not known to wait for an answer
};

struct FollowLimits {
  std::chrono::milliseconds time{120000};
  std::chrono::milliseconds answer{
      10000};  // silence after something that reads like a question, until it is looked at
  std::chrono::milliseconds grace = stop_grace;  // from TERM to KILL when the turn is stopped
  std::chrono::milliseconds leave{50};           // … and how long that is waited for here
  std::stop_token move;                          // requested: as if the time were up
};

Following follow(Process& process, OutputRing& output, const FollowLimits& limits, std::stop_token stop,
                 const std::function<void(std::string_view)>& progress);

// "Password:", "Proceed? [y/N] ", "Press ENTER …": a last line that waits for a person.
bool reads_like_question(std::string_view line);

}  // namespace tern
