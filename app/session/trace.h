// `--trace FILE`: each event as one line of JSON with the time since start, appended as it happens.
#pragma once

#include <string>

#include "agent/protocol/event.h"

namespace tern {

std::string trace_problem(
    const std::string& file);  // why it cannot be written; empty when it can, and then it is there
void trace_event(const std::string& file, const Event& event);

}  // namespace tern
