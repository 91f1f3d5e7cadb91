// The lines of --output-format json and stream-json, in the field names wrappers already parse.
#pragma once

#include <string>

#include "app/session/session.h"

namespace tern {

std::string init_line(const Session& session);
// Empty for events that have no line of their own.
std::string stream_line(const Event& event, const Session& session, bool partial);
// What one run has done so far, over all its prompts.
struct RunTotals {
  std::vector<ModelUsage> before;  // of the session, when this run took it up
  int requests = 0;
  std::int64_t milliseconds = 0;
};
std::string result_line(Session& session, const TurnEnded& ended, const std::string& text,
                        const RunTotals& run);
std::string input_error_line(const std::string& why, const Session& session);
std::string failure_line(const std::string& why, int exit_code);  // the session could not be opened

struct InputLine {
  std::string text, error;
  bool interrupt = false;
};
InputLine parse_input_line(const std::string& line);

}  // namespace tern
