// Help, shell completions and the manual page, all from the table of flags.
#include <algorithm>
#include <iterator>

#include "app/config/option_table.h"
#include "app/config/options.h"

namespace tern {
namespace {

std::string spelled(const Flag& flag) {
  std::string text = flag.letter ? std::string("-") + flag.letter + ", " : std::string("    ");
  text += flag.name;
  if (!flag.value.empty()) text += " " + std::string(flag.value);
  return text;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

std::string help_of(const Flag& flag) {
  return std::string(flag.help) + (flag.choices.empty() ? "" : " (" + std::string(flag.choices) + ")");
}

constexpr std::string_view examples =
    R"x(  tern "fix the failing test"         open the chat with a first prompt
  tern -c                             continue the newest session in this folder
  tern -p "what does main.cpp do"     answer once, on standard output
  git diff | tern -p "review this"    … with standard input after the prompt
  tern -p --allowed-tools "Edit,Bash(make)" "make it build"
  tern config theme dark              keep a setting
)x";

struct FlagGroup {
  std::string_view title, flags;  // names between blanks; those in no group are in the last one
};
constexpr FlagGroup flag_groups[] = {
    {"Sessions", " --continue --resume --fork --name --no-session --cwd --state-dir "},
    {"Model", " --model --small-model --window --thinking --append-system-prompt "},
    {"Permissions",
     " --permission-mode --allowed-tools --disallowed-tools --dangerously-skip-permissions --add-dir "},
    {"Without a screen",
     " --print --output-format --input-format --include-partial-messages --max-turns --max-cost "
     "--json-schema --verbose "},
    {"Screen", " --inline --plain --demo "},
    {"More", ""},
};

bool listed(const Flag& flag, const FlagGroup& group) {
  return group.flags.find(" " + std::string(flag.name) + " ") != group.flags.npos;
}

bool in_group(const Flag& flag, const FlagGroup& group) {
  if (!group.flags.empty()) return listed(flag, group);
  return std::none_of(std::begin(flag_groups), std::end(flag_groups),
                      [&](const FlagGroup& one) { return listed(flag, one); });
}

std::string bash_script() {
  std::string flags, choices, subcommands;
  for (const Flag& flag : all_flags()) {
    flags += std::string(flag.name) + " ";
    if (!flag.choices.empty())
      choices += "    " + std::string(flag.name) + ") COMPREPLY=($(compgen -W \"" +
                 std::string(flag.choices) + "\" -- \"$cur\")); return;;\n";
  }
  for (const SubcommandRow& row : all_subcommands()) subcommands += std::string(row.name) + " ";
  return "_tern() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n  case $prev "
         "in\n" +
         choices + "  esac\n  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"" + flags +
         "\" -- \"$cur\"))\n" + "  elif [[ $COMP_CWORD == 1 ]]; then COMPREPLY=($(compgen -W \"" +
         subcommands + "\" -- \"$cur\"))\n  fi\n}\n" + "complete -o default -F _tern tern\n";
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string zsh_script() {
  std::string out = "#compdef tern\n_arguments \\\n";
  for (const Flag& flag : all_flags()) {
    std::string spec = std::string(flag.name) + "[";
    for (char c : flag.help)
      spec += c == '[' || c == ']' || c == ':' ? std::string("\\") + c : std::string(1, c);
    spec += "]";
    if (!flag.value.empty())
      spec += ":" + std::string(flag.value) + ":" +
              (flag.choices.empty() ? "_files" : "(" + std::string(flag.choices) + ")");
    out += "  " + single_quoted(spec) + " \\\n";
  }
  std::string names;
  for (const SubcommandRow& row : all_subcommands()) names += std::string(row.name) + " ";
  return out + "  '1:command:(" + names + ")' '*:words:_files'\n";
}

std::string fish_script() {
  std::string out;
  for (const Flag& flag : all_flags()) {
    out += "complete -c tern -l " + std::string(flag.name.substr(2)) +
           (flag.letter ? std::string(" -s ") + flag.letter : "") + (flag.value.empty() ? "" : " -r") +
           (flag.choices.empty() ? "" : " -f -a " + single_quoted(flag.choices)) + " -d " +
           single_quoted(flag.help) + "\n";
  }
  for (const SubcommandRow& row : all_subcommands()) {
    out += "complete -c tern -n __fish_use_subcommand -a " + std::string(row.name) + " -d " +
           single_quoted(row.help) + "\n";
  }
  return out;
}

std::string roff(std::string_view text) {
  std::string out;
  for (char c : text)
    out += c == '-' ? std::string("\\-") : c == '\\' ? std::string("\\e") : std::string(1, c);
  return out;
}

}  // namespace

const std::vector<SubcommandRow>& all_subcommands() {
  static const std::vector<SubcommandRow> table = {
      {"context", "[log|tune]",
       "what fills the newest session; log: every compaction; tune [--apply]: better settings"},
      {"summaries", "[N]", "the summaries of this project, or one of them in full"},
      {"recall", "ID|TEXT", "an original by its id, or all that contain a text"},
      {"sessions", "[TEXT]", "the sessions of this project, or those that contain a text"},
      {"report", "[SESSION] [-o FILE]",
       "a session as a web page: conversation, window, compactions and cost"},
      {"config", "[KEY [VALUE]]", "every setting and its origin, or change one"},
      {"login", "[PROVIDER]", "add a key: it is tried, then stored for you"},
      {"logout", "[PROVIDER]", "forget a key"},
      {"mcp", "[list|add|login|probe …]",
       "MCP servers: list, add, remove, sign in to and try them, or import those of other agents"},
      {"acp", "", "serve an editor that speaks the Agent Client Protocol"},
      {"permissions", "test COMMAND", "what each mode would decide about a command, and why"},
      {"doctor", "", "check terminal, key, provider, history and sandbox"},
      {"sandbox", "COMMAND", "run a command as the tools would, or say what it may do"},
      {"debug", "request", "the exact last request, as these options would send it"},
      {"completion", "bash|zsh|fish", "a completion script for the shell"},
      {"man", "", "the manual page"},
      {"help", "[COMMAND]", "this help, or the help of one command"},
  };
  return table;
}

std::string usage_text() {
  std::string text =
      "tern — a terminal coding agent for the long haul\n\n  tern [OPTIONS] [PROMPT]        open the chat\n";
  text += "  tern -p [OPTIONS] [PROMPT]     answer once\n\nCommands\n";
  for (const SubcommandRow& row : all_subcommands()) {
    text += "  " + padded(std::string(row.name) + " " + std::string(row.arguments), 30) +
            std::string(row.help) + "\n";
  }
  text += "\nExamples\n" + std::string(examples);
  for (const FlagGroup& group : flag_groups) {
    text += "\n" + std::string(group.title) + "\n";
    for (const Flag& flag : all_flags())
      if (in_group(flag, group)) text += "  " + padded(spelled(flag), 38) + help_of(flag) + "\n";
  }
  text +=
      "\nExit status of -p: 0 done, 1 error, 2 usage, 3 no or wrong key, 4 network, 5 limit reached, 6 "
      "permission refused,\n";
  return text + "130 interrupted, 143 terminated.\n";
}

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash_script();
  if (shell == "zsh") return zsh_script();
  return shell == "fish" ? fish_script() : std::string();
}

std::string man_page() {
  std::string page =
      ".TH TERN 1\n.SH NAME\ntern \\- a terminal coding agent for the long haul\n.SH SYNOPSIS\n.B "
      "tern\n[OPTIONS] [PROMPT]\n";
  page +=
      ".SH DESCRIPTION\nOpens a chat with a language model that reads, edits and runs things in your "
      "project. The conversation\n";
  page +=
      "is compressed as it grows; everything that left it stays in .compression/tern.db and can be called "
      "back.\n.SH COMMANDS\n";
  for (const SubcommandRow& row : all_subcommands()) {
    page += ".TP\n.B " + roff(row.name) + " " + roff(row.arguments) + "\n" + roff(row.help) + "\n";
  }
  page += ".SH OPTIONS\n";
  for (const Flag& flag : all_flags())
    page += ".TP\n.B " + roff(spelled(flag)) + "\n" + roff(help_of(flag)) + "\n";
  page +=
      ".SH EXIT STATUS\n0 done, 1 error, 2 usage, 3 no or wrong key, 4 network, 5 limit reached, 6 "
      "permission refused, 130 "
      "interrupted,\n";
  return page +
         "143 terminated.\n.SH FILES\n.I ~/.config/tern/config.json\n.br\n.I .compression/config.json\n";
}

}  // namespace tern
