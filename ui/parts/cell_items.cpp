#include "ui/parts/cell_items.h"

#include "compression/values/tokens.h"

namespace tern {

std::string item_name(const Cell& cell) {
  if (const auto* tool = std::get_if<ToolCell>(&cell.body))
    return tool->recall && !tool->running ? to_string(tool->recall) : std::string();
  const bool said = std::holds_alternative<UserCell>(cell.body) ||
                    std::holds_alternative<AssistantCell>(cell.body) ||
                    std::holds_alternative<SummaryCell>(cell.body);
  if (!said || cell.item == ItemId{}) return {};
  return cell.recall ? to_string(cell.recall) : "m" + std::to_string(cell.item.value);
}

std::string item_words(const Cell& cell) {
  if (const auto* tool = std::get_if<ToolCell>(&cell.body))
    return tool->subject.empty() ? tool->label : tool->label + " " + tool->subject;
  if (std::holds_alternative<UserCell>(cell.body)) return "you";
  return std::holds_alternative<SummaryCell>(cell.body) ? "summary" : "answer";
}

Tokens item_tokens(const Cell& cell) {
  if (cell.left_context != Tier::none) return 0;
  if (const auto* tool = std::get_if<ToolCell>(&cell.body))
    return estimate(tool->arguments) + estimate(tool->output);
  if (const auto* prompt = std::get_if<UserCell>(&cell.body)) return estimate(prompt->text);
  if (const auto* summary = std::get_if<SummaryCell>(&cell.body)) return estimate(summary->text);
  const auto* answer = std::get_if<AssistantCell>(&cell.body);
  return answer ? estimate(answer->markdown) : 0;
}

}  // namespace tern
