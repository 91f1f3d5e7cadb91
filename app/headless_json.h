// The lines of --output-format json and stream-json, in the field names wrappers already parse.
#pragma once

#include <string>

#include "app/session.h"

namespace tern {

std::string init_line(const Session& session);
// Empty for events that have no line of their own.
std::string stream_line(const Event& event, const Session& session, bool partial);
std::string result_line(Session& session, const TurnEnded& ended, const std::string& text, int requests);
std::string failure_line(const std::string& why);

struct InputLine {
  std::string text, error;
  bool interrupt = false;
};
InputLine parse_input_line(const std::string& line);

}  // namespace tern
