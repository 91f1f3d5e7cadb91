// What process.cpp and a supervisor tell each other: a ProcessSpec as fields on the wire, and the record of
// its end; and why one can not be asked at all.
#pragma once

#include <string>

#include "tools/exec/pipe_wire.h"
#include "tools/exec/process_spec.h"

namespace tern {

// `cookie` is a NAME=value by which every process of the command is known, `files` its limit of open
// descriptors.
Fields request_of(const ProcessSpec& spec, const std::string& cookie, unsigned long long files);
// The fields of the record, over what is known already. may_stay: the supervisor takes another command.
void take_end(std::string_view record, ProcessEnd& end, bool& may_stay);
std::string random_cookie();
std::string why_unusable(const ProcessSpec& spec);  // empty when it can be run
std::string reason(const char* what, int error);

}  // namespace tern
