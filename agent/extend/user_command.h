// The commands that people keep as files: Markdown as Claude Code has it, TOML as Gemini has it. Loading is
// reading only; expanding is pure but for the two ways out that the caller lends.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/extend/brought_places.h"

namespace tern {

struct UserCommand {
  std::string name;    // "git:commit"
  std::string help;    // one line
  std::string usage;   // "[issue]"
  std::string source;  // the file, as people know it
  std::string hash;    // brought_hash() of it
  bool of_project = false;
  std::vector<std::string> allowed_tools;   // permission rules
  std::vector<std::string> argument_names;  // `$name` in the text
  std::string model;
  std::string body;
  enum class Form { markdown, toml } form = Form::markdown;
};

struct UserCommands {
  std::vector<UserCommand> commands;
  std::vector<std::string> problems;  // what was left out and why, for people
  const UserCommand* find(std::string_view name) const;
};
UserCommands load_commands(const BroughtPlaces& places);

struct CommandWorld {
  std::function<std::string(const std::string& command)> run;  // what it printed, or why it was refused
  // The file's text, or why it may not be read; nothing when there is no such file.
  std::function<std::optional<std::string>(const std::string& path)> read;
};
// The prompt that the command stands for. Arguments are put in as they are: what they say is never run and
// never read as a path.
std::string expand(const UserCommand& command, std::string_view arguments, const CommandWorld& world);

// Quotes and backslashes as a shell has them.
std::vector<std::string> argument_words(std::string_view text);

}  // namespace tern
