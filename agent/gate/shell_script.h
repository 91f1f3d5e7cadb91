// A command line of bash as words, as a value.
#pragma once

#include <cstddef>
#include <string>
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

}  // namespace tern
