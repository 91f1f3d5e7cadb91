// A command line of bash as words, and an honest account of everything that is more than plain words. Pure.
// What is not understood is said to be so: a caller may allow only what is `plain`, and must treat the rest
// as unknown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/gate/shell_script.h"

namespace tern {

ShellScript parse_shell(std::string_view line);

// The commands hidden in wrappers (sudo, env, timeout, nice, xargs, sh -c, eval, command, find -exec …),
// unwrapped again and again, the command itself first. Among them, files it is redirected to or from as the
// words ">" or "<" and the name, and a program that is not known until it runs as the words "$" and its
// source. For denying, never for allowing.
std::vector<std::vector<std::string>> unwrap(const ShellCommand& command);
// The same for what a shell among them reads as its input; nothing when there is no shell.
std::vector<std::vector<std::string>> unwrap_input(const ShellCommand& shell, std::string_view text);

}  // namespace tern
