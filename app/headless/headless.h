// The front end without a screen: one prompt, or a stream of them, answered on standard output in the shapes
// scripts parse. It never asks. Exit status: 0 done, 1 error, 2 usage, 3 no or wrong key, 4 network, 5 limit
// reached, 6 permission refused, 130 interrupted, 143 terminated.
#pragma once

#include <string>

#include "app/session/session.h"

namespace tern {

struct HeadlessOptions {
  enum class Format { text, json, stream_json } format = Format::text;
  bool input_stream = false;  // --input-format stream-json
  bool partial = false;       // --include-partial-messages
  bool verbose = false;       // progress also where standard error is no terminal
  std::string prompt;
};

int run_headless(SessionSetup setup, HeadlessOptions options);

}  // namespace tern
