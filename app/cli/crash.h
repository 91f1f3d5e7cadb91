// When tern itself dies: one line that says so and where the report lies, then the signal takes its course.
// Also keeps other processes from reading this one's memory, where a key may stand.
#pragma once

#include <string>

namespace tern {

// `folder` gets crash-PID.txt (only when it happens); empty = standard error only. Handlers installed later
// may chain to these.
void install_crash_handlers(const std::string& folder);
void guard_memory();      // not dumpable, no core files
void outlive_limits();    // a write over the file size limit fails; it does not end the program
void give_back_memory();  // large buffers go back to the system as soon as they are freed

}  // namespace tern
