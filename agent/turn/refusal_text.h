// What the model is told of a call that was refused, or of a turn that was interrupted.
#pragma once

#include <string>
#include <string_view>

namespace tern {

inline constexpr std::string_view no_one_to_answer =
    "Nobody can answer in this run. Choose what is most reasonable, say that you did, and go on.";
std::string no_one_to_ask(const std::string& reason);
std::string refused_text(const std::string& note);  // by the user; the note is what they said, if anything
inline constexpr std::string_view interrupted_turn = "[Request interrupted by user]";
inline constexpr std::string_view interrupted_call = "[Request interrupted by user] The call was not run.";
// A message or result as people read it: of one that the user rejected, what they said.
std::string for_people(std::string text);

}  // namespace tern
