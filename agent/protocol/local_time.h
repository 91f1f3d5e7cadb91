// When something was, on the clock of the person's own place.
#pragma once

#include <string>

#include "compression/values/conversation.h"

namespace tern {

std::string local_time(TimePoint when, const char* format = "%Y-%m-%d %H:%M");

}  // namespace tern
