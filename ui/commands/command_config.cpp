#include "agent/protocol/asked_words.h"
#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"
#include "ui/shell/words.h"

namespace tern {
namespace {

// What belongs to the screen changes here; the session keeps it.
void follow(Shell& shell, const std::string& key, const std::string& value) {
  if (key == "theme") shell.use_theme(value);
  if (key == "vim" && (value == "true" || value == "false")) shell.composer.set_vi(value == "true");
  if (key == "bell") shell.deps.bell = value != "false";
}

void run(Shell& shell, std::string_view arguments) {
  const auto words = split_words(arguments);
  if (words.size() == 2) follow(shell, words[0], words[1]);
  shell.send(asked_words("config", arguments));
}

}  // namespace

SlashCommand config_command() {
  return {.name = "config",
          .aliases = "settings",
          .usage = "[key [value]]",
          .help = "show settings, or change one",
          .run = run};
}

}  // namespace tern
