// Small questions about items that every unit of this folder asks.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "compression/values/conversation.h"

namespace tern {

template <class T>
bool has(const Item& item) {
  return std::any_of(item.blocks.begin(), item.blocks.end(),
                     [](const Block& b) { return std::holds_alternative<T>(b); });
}

template <class T>
std::vector<const T*> blocks_of(const Item& item) {
  std::vector<const T*> found;
  for (const auto& block : item.blocks) {
    if (const auto* b = std::get_if<T>(&block)) found.push_back(b);
  }
  return found;
}

inline bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n\v\f") == text.npos; }

// A text or summary with nothing in it: no provider takes one.
inline bool is_empty_text(const Block& block) {
  if (const auto* text = std::get_if<Text>(&block)) return is_blank(text->text);
  if (const auto* summary = std::get_if<Summary>(&block)) return is_blank(summary->text);
  return false;
}

// What a role may carry: calls and thoughts are the assistant's, results travel with the user.
inline bool belongs(const Block& block, Role role) {
  if (std::holds_alternative<ToolCall>(block) || std::holds_alternative<Thinking>(block))
    return role == Role::assistant;
  return !std::holds_alternative<ToolResult>(block) || role == Role::user;
}

// What the person said: a user message that tern did not write, with text of its own.
inline bool is_human(const Item& item) {
  return item.role == Role::user && !item.synthetic && has<Text>(item);
}

}  // namespace tern
