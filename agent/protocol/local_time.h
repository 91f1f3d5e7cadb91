// When something was, on the clock of the person's own place.
#pragma once

#include <string>

#include "compression/values/conversation.h"

namespace tern {

std::string local_time(TimePoint when, const char* format = "%Y-%m-%d %H:%M");

// "just now", "12 min ago", "2 h ago", "yesterday", "3 days ago"; from a week on the date.
std::string time_ago(TimePoint when, TimePoint now);
std::string time_ago(TimePoint when);

}  // namespace tern
