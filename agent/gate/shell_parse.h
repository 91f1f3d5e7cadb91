// A command line of bash as words, and an honest account of everything that is more than plain words. Pure.
// What is not understood is said to be so: a caller may allow only what is `plain`, and must treat the rest
// as unknown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

struct ShellWord {
  std::string text;     // after quote removal; of a word that is not literal: its source text
  bool literal = true;  // no expansion of any kind can change it
  bool tilde = false;   // begins with an unquoted "~" or "~/": below the home directory
  bool quoted = false;  // some part was quoted
};

struct ShellRedirect {
  std::string op;       // "<" ">" ">>" ">|" "&>" "<>" "<<" "<<<" ">&" "<&" …
  int fd = -1;          // written before the operator; −1 = its default
  ShellWord target;     // file, descriptor, here-string, or delimiter
  std::string body;     // of a here-document
  bool writes() const;  // could make or change a file
};

struct ShellCommand {  // one simple command
  std::vector<ShellWord> words;
  std::vector<std::string> assignments;  // "NAME=value" in front of it
  bool assignments_literal = true;
  std::vector<ShellRedirect> redirects;
  std::string before;  // the operator that led here: "" "&&" "||" ";" "|" "|&" "&" "\n"
  int depth = 0;       // > 0 inside a substitution, a subshell, a group, a loop, a function …
  bool background = false;
  std::string source;          // its own piece of the line, as written
  bool plain() const;          // every word and assignment literal
  std::string joined() const;  // words with one blank between
};

struct ShellScript {
  std::vector<ShellCommand> commands;  // every simple command at any depth, in order of appearance
  std::vector<std::string>
      unplain;            // reasons, each once: "command substitution", "glob", "loop", "function" …
  std::string error;      // could not be parsed; `commands` then holds what came before
  bool too_long = false;  // more than max_segments
  bool plain() const { return error.empty() && !too_long && unplain.empty(); }
};

inline constexpr std::size_t max_segments = 1000;

ShellScript parse_shell(std::string_view line);

// The commands hidden in wrappers (sudo, env, timeout, nice, xargs, sh -c, eval, command, find -exec …),
// unwrapped again and again, the command itself first. Among them, files it is redirected to or from as the
// words ">" or "<" and the name, and a program that is not known until it runs as the words "$" and its
// source. For denying, never for allowing.
std::vector<std::vector<std::string>> unwrap(const ShellCommand& command);
// The same for what a shell among them reads as its input; nothing when there is no shell.
std::vector<std::vector<std::string>> unwrap_input(const ShellCommand& shell, std::string_view text);

}  // namespace tern
