// What a terminal would show last of output that goes back over several of its lines: docker pull, npm,
// cargo.
#pragma once

#include <string>
#include <string_view>

namespace tern {

bool goes_back_up(std::string_view text);

// Lines that were written again show their last state, erased ones are gone, and no order to go up or down is
// left. What was written over stands before a carriage return in its line, for whoever resolves those. Never
// longer than the input; text that never goes up comes back as it is.
std::string last_screen(std::string_view text);

}  // namespace tern
