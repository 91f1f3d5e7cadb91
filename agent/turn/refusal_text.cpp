#include "agent/turn/refusal_text.h"

namespace tern {
namespace {

constexpr std::string_view refused =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file "
    "edit, the new_string was NOT written to the file).";
constexpr std::string_view said = " The user said: ";

}  // namespace

std::string no_one_to_ask(const std::string& reason) {
  return "Permission refused: this needs the user's approval (" + reason +
         ") and nobody can be asked in this run. Do not try to get around it; go on without it or say what "
         "is needed.";
}

std::string refused_text(const std::string& note) {
  const std::string text(refused);
  return note.empty() ? text + " STOP what you are doing and wait for the user to tell you how to proceed."
                      : text + std::string(said) + note;
}

std::string for_people(std::string text) {
  if (text == interrupted_turn) return "You interrupted the turn.";
  if (text == interrupted_call) return "You interrupted it before it ran.";
  if (!text.starts_with(refused)) return text;
  const auto note = text.find(said, refused.size());
  return note == refused.size() ? "Rejected: " + text.substr(note + said.size()) : "Rejected.";
}

}  // namespace tern
