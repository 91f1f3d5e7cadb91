#include <charconv>

#include "compression/plan/strategies.h"
#include "ui/shell/shell.h"
#include "ui/shell/slash_command.h"
#include "ui/shell/words.h"

namespace tern {
namespace {

std::vector<std::string> values(Shell&) {
  std::vector<std::string> all = {"--preview", "to here", "to ", "from "};
  for (const std::string& name : split_words(compaction_names())) all.push_back("--strategy " + name);
  return all;
}

// A line is read whole before anything is sent: what is not understood must not compact.
struct Line {
  const ViewState& view;
  std::vector<std::string> words;
  Compact compact{};
  std::optional<ItemId> from{}, to{};
  std::string wrong{};
  std::size_t at = 0;

  std::string value() {
    if (at + 1 < words.size() && !words[at + 1].starts_with("--")) return words[++at];
    wrong = words[at] + " needs " +
            (words[at] == "--strategy" ? "one of: " + compaction_names() : "the number of a prompt");
    return {};
  }

  // The first message of the nth turn, or of the one after it. Turns count from the first of the
  // conversation.
  std::optional<ItemId> turn(int after) {
    const std::string flag = words[at], nth = value();
    if (!wrong.empty()) return std::nullopt;
    if (view.more_above) {
      wrong = "earlier prompts aren't loaded, so they can't be counted; use Esc Esc to choose a range";
      return std::nullopt;
    }
    std::vector<ItemId> turns;
    for (const Cell& cell : view.cells)
      if (std::holds_alternative<UserCell>(cell.body)) turns.push_back(cell.item);
    std::size_t n = 0;
    const auto [end, fault] = std::from_chars(nth.data(), nth.data() + nth.size(), n);
    if (fault != std::errc() || end != nth.data() + nth.size() || n < 1 || n > turns.size()) {
      wrong = flag + " " + nth + ": there are prompts 1 to " + std::to_string(turns.size());
      return std::nullopt;
    }
    turns.push_back({~0ull});
    return turns[n - 1 + static_cast<std::size_t>(after)];
  }

  // "to 3", "to here", "from 3": a stretch in words. "to make room" is what to keep in mind.
  bool reads_stretch() {
    const std::string& word = words[at];
    if (compact.focus.size() > 0 || at + 1 >= words.size() || (word != "to" && word != "from")) return false;
    if (word == "to" && words[at + 1] == "here") return to_here(), ++at, true;
    if (words[at + 1].find_first_not_of("0123456789") != std::string::npos) return false;
    (word == "to" ? to : from) = turn(word == "to" ? 1 : 0);
    return true;
  }

  // All that stands before the newest prompt.
  void to_here() {
    for (const Cell& cell : view.cells)
      if (std::holds_alternative<UserCell>(cell.body) && cell.item != ItemId{}) to = cell.item;
    if (!to) wrong = "to here: there is no prompt yet";
  }

  void read() {
    for (; at < words.size() && wrong.empty(); ++at) {
      const std::string& word = words[at];
      if (word == "--preview")
        compact.preview = true;
      else if (word == "--strategy")
        compact.strategy = value();
      else if (word == "--from")
        from = turn(0);
      else if (word == "--to")
        to = turn(1);
      else if (reads_stretch())
        continue;
      else if (word.starts_with("--"))
        wrong = "there is no " + word + ": --preview --strategy S --from N --to N";
      else
        compact.focus += (compact.focus.empty() ? "" : " ") + word;
    }
    if (wrong.empty() && !compact.strategy.empty() && !is_compaction(compact.strategy))
      wrong = "no strategy \"" + compact.strategy + "\": " + compaction_names();
    if (wrong.empty() && from && to && *to <= *from) wrong = "--from is after --to";
    if (from || to)
      compact.range = ItemRange{from.value_or(ItemId{1}), ItemId{to.value_or(ItemId{~0ull}).value - 1}};
  }
};

void run(Shell& shell, std::string_view arguments) {
  Line line{shell.view, split_words(arguments)};
  line.read();
  if (!line.wrong.empty()) return shell.say(std::move(line.wrong), 6'000);
  shell.send(std::move(line.compact));
}

}  // namespace

SlashCommand compact_command() {
  return {.name = "compact",
          .aliases = "compress summarize",
          .usage = "[focus | --preview | --strategy S | to N | to here | from N]",
          .help = "shorten the context now; originals are kept",
          .run = run,
          .while_working = false,
          .complete = values};
}

}  // namespace tern
