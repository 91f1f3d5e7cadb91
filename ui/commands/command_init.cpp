#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"

namespace tern {
namespace {

void run(Shell& shell, std::string_view arguments) {
  (void)arguments;
  Submit submit;
  submit.text =
      "Look at this project (build files, sources, tests) and write a short AGENTS.md in its root: what it "
      "is, how to build, "
      "test and run it, "
      "the layout, conventions a newcomer would break, and a section \"Compact instructions\" naming what a "
      "summary of our "
      "conversation "
      "must keep. "
      "If AGENTS.md exists, improve it. Keep it under 60 lines.";
  shell.send(std::move(submit));
}

}  // namespace

SlashCommand init_command() {
  return {.name = "init", .help = "let the model write AGENTS.md for this project", .run = run};
}

}  // namespace tern
