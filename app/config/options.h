// The command line as a value. Nothing is read but the words themselves: no environment, no files.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

struct Options {
  enum class Run { chat, print, subcommand, version, help, supervise } run = Run::chat;
  std::string
      subcommand;  // "context", "summaries", "recall", "sessions", "config", "doctor", "sandbox", "debug" …
  std::vector<std::string> arguments;  // of the subcommand, or what is left over of a prompt

  std::string prompt;  // of -p or the first message of the chat
  bool prompt_given = false;
  std::string output_format = "text", input_format = "text";
  bool partial_messages = false;
  int max_turns = 0;
  double max_cost = 0;
  std::string json_schema;  // JSON text, or the name of a file that holds it
  bool no_session = false;
  std::vector<std::string> allowed_tools, disallowed_tools;  // rules: "Bash(git status)", "Read"
  std::string permission_mode;
  std::string model, small_model, append_prompt;
  long long window = 0;
  int thinking = -1;  // tokens; −1 = not said
  enum class Open { fresh, newest, resume } open = Open::fresh;
  std::string resume;  // id, name or text; empty with Open::resume = pick from a list
  bool fork = false;
  std::string name;
  std::string record, replay, state_dir, trace, cwd;
  std::vector<std::string> add_dirs, mcp_configs;  // mcp_configs: files, or JSON text
  std::vector<std::string> plugin_dirs;
  bool strict_mcp = false;
  bool demo = false, inline_screen = false, plain = false, verbose = false, bypass = false, json = false;
  std::vector<std::pair<std::string, std::string>> config;  // --config key=value, in order

  std::string error;  // not empty: exit with 2 and say this
};

Options parse_options(const std::vector<std::string>& words);
std::string usage_text();
// What one subcommand does, its forms and examples; empty when there is no such command.
std::string subcommand_help(std::string_view name);
// Scripts for bash, zsh and fish, and the manual page; all made from the one table of flags.
std::string completion_script(const std::string& shell);
std::string man_page();

}  // namespace tern
