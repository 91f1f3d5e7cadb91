#include "compression/strategy.h"
#include "ui/command.h"
#include "ui/shell.h"
#include "ui/words.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) {
  std::vector<std::string> all = {"--preview"};
  for (const std::string& name : split_words(compaction_names())) all.push_back("--strategy " + name);
  return all;
}

void run(Shell& shell, std::string_view arguments) {
  std::vector<std::string> words = split_words(arguments);
  Compact compact;
  std::optional<ItemId> from, to;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] { return i + 1 < words.size() ? words[++i] : std::string(); };
    if (words[i] == "--preview")
      compact.preview = true;
    else if (words[i] == "--strategy")
      compact.strategy = value();
    else if (words[i] == "--from")
      from = item_of_prompt(shell.view, value());
    else if (words[i] == "--to")
      to = item_of_prompt(shell.view, value());
    else
      compact.focus += (compact.focus.empty() ? "" : " ") + words[i];
  }
  if (!compact.strategy.empty() && !is_compaction(compact.strategy))
    return shell.say("no strategy \"" + compact.strategy + "\": " + compaction_names(), 6'000);
  if (from || to) compact.range = ItemRange{from.value_or(ItemId{1}), to.value_or(ItemId{~0ull})};
  shell.send(std::move(compact));
}

}  // namespace

extern const SlashCommand compact_command;
constinit const SlashCommand compact_command{.name = "compact",
                                             .aliases = "compress summarize",
                                             .usage = "[focus | --preview | --strategy S]",
                                             .help = "shorten the context now; originals stay",
                                             .run = run,
                                             .while_working = false,
                                             .complete = values};

}  // namespace tern
