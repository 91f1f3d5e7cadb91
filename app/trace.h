// `--trace FILE`: each event as one line of JSON with the time since start, appended as it happens.
#pragma once

#include <string>

#include "agent/event.h"

namespace tern {

void trace_event(const std::string& file, const Event& event);

}  // namespace tern
