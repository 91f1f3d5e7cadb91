// Gives a started two-way command its whole input and takes all it answers.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>

#include "tools/exec/process.h"

namespace tern {

// False when it was stopped, took longer than `patience` or answered more than 64 MB; the command then ends
// with its Process.
bool exchange(Process& process, std::string_view input, std::string& output, ProcessEnd& end,
              const std::stop_token& stop, std::chrono::milliseconds patience = std::chrono::minutes(1));

}  // namespace tern
