// Times and descriptors that a supervisor and its owner agree on.
#pragma once

#include <chrono>

namespace tern {

// What a tree is given, and no wait of its end is longer: an answer comes within linger + quit_grace of the
// shell's end, a tree that was told to end is gone after stop_grace, one whose owner died after orphan_grace.
// Each stays well under a second.
inline constexpr std::chrono::milliseconds linger_time{
    150};  // what was left in the background may still finish by itself
inline constexpr std::chrono::milliseconds quit_grace{300};  // then from TERM to KILL
inline constexpr std::chrono::milliseconds stop_grace{
    600};  // from TERM to KILL when a person or the program ends it
inline constexpr std::chrono::milliseconds orphan_grace{100};

// Where a command may write its last working directory; high, so that no script's own descriptors meet it.
inline constexpr int cwd_descriptor = 197;
// Where the supervisor keeps the ends of a command's own input and error stream, until it has them.
inline constexpr int input_descriptor = 198, errors_descriptor = 199;

}  // namespace tern
