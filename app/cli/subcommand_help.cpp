// `tern help X` and `tern X --help`.
#include "app/config/option_table.h"
#include "app/config/options.h"

namespace tern {
namespace {

struct Details {
  std::string_view name, text;
};
constexpr Details details[] = {
    {"context",
     R"(Shows what fills the context of the newest session: system prompt, tools, messages, results.

  tern context          the breakdown
  tern context log      every compaction with its reason and what it saved
  tern context --json   the breakdown for programs
)"},
    {"summaries", R"(Lists the summaries that compactions of this project have made.

  tern summaries        one line each
  tern summaries 3      the third one in full
  tern summaries --json all of them for programs
)"},
    {"recall",
     R"(Prints an original: the full text of a message or tool result, even after it left the context.

  tern recall r17       by its id
  tern recall r17:1-40  only these lines
  tern recall tokenizer every line of the newest session that contains the text, with its id
)"},
    {"sessions", R"(Lists the sessions of this project, the newest first.

  tern sessions         all of them
  tern sessions parser  those that contain the text
  tern -r ID            continue one of them
)"},
    {"report",
     R"(Writes a session as one page of HTML that needs no network: the conversation with every tool )"
     R"(result folded, the
window over time, what each compaction did and kept, and the cost by source.

  tern report                  the newest session, into tern-ID.html
  tern report ID -o page.html  another one, into a file of your choice
  tern report -o - | less      print it
)"},
    {"config", R"(Shows settings, or changes one in your own config.json; comments in the file are kept.

  tern config                    every setting in force
  tern config theme              the settings whose names hold "theme"
  tern config theme dark         change one
  tern config --origins          also where each value comes from
)"},
    {"login",
     R"(Adds a key. It is read without being shown, tried with one request, and kept in your own config.json,
which only you can read. tern recognizes most keys by their form; for others, name the provider.

  tern login
  tern login openai
  tern login <key.txt    from a file or a password manager
)"},
    {"logout", R"(Removes a key from your own config.json.

  tern logout            when one key is kept
  tern logout openai
)"},
    {"mcp", R"(Manages MCP servers: yours, in your own config.json, or this project's, in .mcp.json.

  tern mcp                                  list them
  tern mcp add github https://host/mcp      a server reached over HTTP
  tern mcp add files -- npx -y server-files a server that tern starts
  tern mcp add db --env URL=x -- db-server  … with a variable of its own
  tern mcp add --project files -- server    for this project: others are asked before it starts
  tern mcp add-json NAME '{"command": …}'   an entry as it is written in the file
  tern mcp get NAME                         show one
  tern mcp remove NAME
  tern mcp login NAME                       sign in to one that wants it (OAuth); logout forgets the tokens
  tern mcp probe NAME|URL|-- COMMAND        open it and list what is there; --call calls each tool once
                                            (--calls '[{"name": …, "arguments": …}]' those),
                                            --agree signs in and fills in forms without asking
  tern mcp import [AGENT|FILE]              take over those of claude, codex, gemini, opencode or crush
)"},
    {"acp", R"(Serves an editor that speaks the Agent Client Protocol (Zed, JetBrains, Neovim, Emacs …) on )"
            R"(standard input and output.
The editor starts it; its settings take this command:

  tern acp                              with the model, keys and settings of your configuration
  tern --model sonnet acp               with other options
  tern acp login                        add a key, as an editor asks for it

A folder that is not trusted yet is asked for at the first prompt; until then nothing it brings is read.
)"},
    {"permissions", R"(Shows what each mode would decide about a command, and why. The command is not run.

  tern permissions test 'git push origin main'
  tern permissions test 'make -j4 && ctest'
)"},
    {"doctor",
     R"(Checks terminal, key, provider, history and sandbox, and says how to fix what is wrong.

  tern doctor
)"},
    {"sandbox", R"(Runs a command as the tools would run it, or shows what the sandbox of this machine can do.

  tern sandbox              what it can do
  tern sandbox ls -l /etc   run a command in it
)"},
    {"debug",
     R"(Prints the exact last request of the newest session, as it would be sent with the options given.

  tern debug request
)"},
    {"completion", R"(Prints a completion script for your shell.

  source <(tern completion bash)
  tern completion zsh >"${fpath[1]}/_tern"
  tern completion fish >~/.config/fish/completions/tern.fish
)"},
    {"man", R"(Prints the manual page.

  tern man | man -l -
)"},
    {"help", R"(Prints the options, or the help of one command.

  tern help
  tern help config
)"},
};

}  // namespace

std::string subcommand_help(std::string_view name) {
  for (const SubcommandRow& row : all_subcommands()) {
    if (row.name != name) continue;
    std::string text = "tern " + std::string(row.name) +
                       (row.arguments.empty() ? "" : " " + std::string(row.arguments)) + "\n\n";
    for (const Details& one : details)
      if (one.name == name) text += one.text;
    return text;
  }
  return {};
}

}  // namespace tern
