// What process.cpp asks of a supervisor: a ProcessSpec as fields on the wire, and why one can not be asked at
// all.
#pragma once

#include <string>

#include "tools/exec/pipe_wire.h"
#include "tools/exec/process.h"

namespace tern {

// `cookie` is a NAME=value by which every process of the command is known, `files` its limit of open
// descriptors.
Fields request_of(const ProcessSpec& spec, const std::string& cookie, unsigned long long files);
std::string random_cookie();
std::string why_unusable(const ProcessSpec& spec);  // empty when it can be run
std::string reason(const char* what, int error);

}  // namespace tern
