// `tern --supervise`: reads one request from descriptor 0, runs it in a session of its own, and writes the end to descriptor 2
// after every process of the tree is gone. Descriptor 0 closing means the owner died: the tree is killed.
// main() calls supervise_main() before anything else is set up; it needs no configuration, no locale, no allocation of note.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

int supervise_main(int argc, char** argv);

// Where a command may write its last working directory; high, so that no script's own descriptors meet it.
inline constexpr int cwd_descriptor = 197;

// The wire between process.cpp and the supervisor: a 4-byte length, then key NUL value NUL pairs, in order, keys may repeat.
using Fields = std::vector<std::pair<std::string, std::string>>;
std::string pack_fields(const Fields& fields);
Fields unpack_fields(std::string_view payload);

}  // namespace tern
