// Stays with a started command until it ends, its time is up, it waits for an answer nobody can give, or the turn is stopped.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "tools/output_ring.h"
#include "tools/process.h"

namespace tern {

struct Following {
  enum class How { ended, time_up, stopped, asking } how = How::ended;
  ProcessEnd end;  // not with time_up: the command still runs
};

struct FollowLimits {
  std::chrono::milliseconds time{120000};
  std::chrono::milliseconds answer{10000};  // silence after something that reads like a question, until it is ended
  std::chrono::milliseconds grace{1000};    // from TERM to KILL when the turn is stopped
  std::stop_token move;                     // requested: as if the time were up
};

Following follow(Process& process, OutputRing& output, const FollowLimits& limits, std::stop_token stop,
                 const std::function<void(std::string_view)>& progress);

// "Password:", "Proceed? [y/N] ", "Press ENTER …": a last line that waits for a person.
bool reads_like_question(std::string_view line);

}  // namespace tern
