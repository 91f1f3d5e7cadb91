// What a terminal would show of output that goes back in its line: progress bars, spinners.
#pragma once

#include <string>
#include <string_view>

namespace tern {

// Every line in its last state: carriage returns, backspaces and erasures of the line are obeyed. Lines
// without any of the first two stay as they came; the others are safe text already.
std::string last_states(std::string_view output);

}  // namespace tern
