#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) { shell.send(Query{"mcp", std::string(arguments)}); }

}  // namespace

SlashCommand mcp_command() {
  return {.name = "mcp",
          .usage = "[on|off|restart|login|logout|approve|refuse] [NAME] [TOOL]",
          .help = "MCP servers, their tools and errors",
          .run = run};
}

}  // namespace tern
