#include "agent/compactor/handover.h"

#include "agent/compactor/fresh_window.h"
#include "agent/compactor/resume_rule.h"
#include "compression/reading/index.h"
#include "compression/values/blocks.h"

namespace tern {
namespace {

std::string said_in(const Item& item) {
  std::string text;
  for (const auto* block : blocks_of<Text>(item)) text += block->text + '\n';
  return text;
}

// The first request, the newest three, and the newest answer, word for word.
std::string last_words(const Conversation& conversation) {
  constexpr std::size_t newest = 3;
  std::vector<const Item*> asked;
  const Item* answer = nullptr;
  for (const auto& item : conversation.items) {
    if (is_human(*item)) asked.push_back(item.get());
    if (item->role == Role::assistant && has<Text>(*item)) answer = item.get();
  }
  if (asked.size() > newest + 1) asked.erase(asked.begin() + 1, asked.end() - newest);
  std::string text;
  for (const auto* item : asked) text += "> " + said_in(*item) + '\n';
  if (answer) text += "The last answer:\n\n" + said_in(*answer) + '\n';
  return text;
}

std::string open_ones(std::vector<TodoItem> todos) {
  std::erase_if(todos, [](const TodoItem& todo) { return todo.status == "completed"; });
  return todo_lines(todos);
}

}  // namespace

std::string handover_text(const Handover& handover, const Conversation& conversation,
                          const CompressionConfig& config, const std::vector<TodoItem>& todos) {
  std::string text = "# Handed over from session " + handover.from + "\n\n";
  if (!handover.focus.empty()) text += "Go on with: " + handover.focus + "\n\n";
  if (const auto notes = notes_text(handover.notes, config.note_budget); !notes.empty())
    text += "# Notes\n\n" + notes + '\n';
  if (const auto open = open_ones(todos); !open.empty()) text += "# Open todos\n\n" + open + '\n';
  if (const auto words = last_words(conversation); !words.empty()) text += "# What was said\n\n" + words;
  if (const auto index = index_of(conversation, config.index_budget); !index.empty())
    text += "# Index of specifics, with ids for Recall\n\n" + index;
  return text;
}

}  // namespace tern
