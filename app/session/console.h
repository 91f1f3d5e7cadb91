// What is printed without a screen: a terminal must not act on what a model or a tool wrote, so there it is
// made harmless; a pipe or a file gets every byte.
#pragma once

#include <cstdio>
#include <string_view>

namespace tern {

void print(std::FILE* stream, std::string_view text);
// Before anything is opened: a standard stream that was closed must not become one of our files.
void hold_standard_streams();
// At the end: the exit code, which is 1 instead of 0 when standard output took not everything (and standard
// error says so).
int written(int code);

}  // namespace tern
