// The parts of a summary of ours, found again in its text.
#pragma once

#include <string_view>

namespace tern {

inline constexpr std::string_view kept_heading = "What the user wrote, word for word:";
inline constexpr std::string_view said_heading = "What the assistant said, word for word:";
inline constexpr std::string_view index_heading = "Specifics of the originals (recall by id):";

// What a summary tells itself: without its opening, the kept answers and messages, and the index.
std::string_view told_part(std::string_view summary);
// What a summary kept of the person's words: from their heading to the index; empty when there are none.
std::string_view kept_part(std::string_view summary);

}  // namespace tern
